"""Fingerprints: a hash of everything that determines an episode of an installed world."""

import hashlib
import json
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent


def fingerprint(name: str, package: str, modules: Sequence[str]) -> str:
    """Hash of an environment's name, the version of its package, and modules of this folder."""
    code = [(HERE / f"{module}.py").read_text(encoding="utf-8") for module in sorted(modules)]
    parts = json.dumps([name, package, version(package), code])
    return hashlib.sha256(parts.encode()).hexdigest()[:16]
