"""Fingerprints: a hash of everything that determines an episode of an embedded world.

What is hashed: what the world declares, all problems with their solutions, the fault kinds with
their rates and weights, and the source of every module of the world and of this room - transitions,
checker, policy, cues. A stored episode is used again only while all of it is as it was.
"""

import json
import pkgutil
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields, is_dataclass
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from typing import Any

from schemas.ids import canonical_json, sha256_hex
from tasks.agent.simulated_world import FaultKind

DIGITS = 16


def fingerprint(
    declared: object,
    problems: Iterable[object],
    kinds: Sequence[FaultKind],
    packages: Sequence[str],
) -> str:
    """Hash what an environment is made of."""
    parts = [
        canonical_json(declared),
        _data(list(problems)),
        canonical_json([asdict(kind) for kind in kinds]),
        *(source_hash(package) for package in packages),
    ]
    return sha256_hex(canonical_json([sha256_hex(part) for part in parts]))[:DIGITS]


def source_hash(package: str) -> str:
    """Hash the source of a package's modules, or of one module; nothing of it is run."""
    spec = find_spec(package)
    folders = list(spec.submodule_search_locations or []) if spec else []
    found = {package: _source(spec)}
    for one in pkgutil.iter_modules(folders, f"{package}."):
        found[one.name] = _source(one.module_finder.find_spec(one.name, None))
    return sha256_hex("\n".join(f"{name}\n{found[name]}" for name in sorted(found)))


def _source(spec: ModuleSpec | None) -> str:
    get = getattr(spec.loader, "get_source", None) if spec else None
    text = get(spec.name) if get and spec else None
    return "\n".join((text or "").splitlines())


def _data(problems: list[object]) -> str:
    return json.dumps(problems, default=_plain, sort_keys=True, ensure_ascii=False)


def _plain(value: Any) -> object:
    """Dataclasses as objects; what has no data of its own stands as its name."""
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, bytes):
        return value.hex()
    return sorted(value) if isinstance(value, set | frozenset) else repr(type(value))
