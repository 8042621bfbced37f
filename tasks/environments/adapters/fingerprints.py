"""Fingerprints: a hash of everything that determines an episode of an installed world."""

import hashlib
import json
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent


def fingerprint(name: str, package: str, modules: Sequence[str]) -> str:
    """Hash of an environment's name, the version of its package, and modules of this folder."""
    return fingerprint_of(name, [package, version(package)], modules)


def fingerprint_of(name: str, parts: Sequence[str], modules: Sequence[str]) -> str:
    """Hash of an environment's name, what it is made of, and modules below this folder."""
    code = [(HERE / f"{module}.py").read_text(encoding="utf-8") for module in sorted(modules)]
    text = json.dumps([name, *parts, code])
    return hashlib.sha256(text.encode()).hexdigest()[:16]
