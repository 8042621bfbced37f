"""Fingerprints: a hash of everything that determines an episode of an embedded world.

What is hashed: what the world declares, all problems with their solutions, the fault kinds with
their rates and weights, and the source of every module of the world and of this room - transitions,
checker, policy, cues. A stored episode is used again only while all of it is as it was.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields, is_dataclass
from typing import Any

from schemas.ids import canonical_json, sha256_hex
from tasks.agent.simulated_world import FaultKind
from tasks.agent.sources import source_hash

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
        source_hash(*packages),
    ]
    return sha256_hex(canonical_json([sha256_hex(part) for part in parts]))[:DIGITS]


def _data(problems: list[object]) -> str:
    return json.dumps(problems, default=_plain, sort_keys=True, ensure_ascii=False)


def _plain(value: Any) -> object:
    """Dataclasses as objects; what has no data of its own stands as its name."""
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, bytes):
        return value.hex()
    return sorted(value) if isinstance(value, set | frozenset) else repr(type(value))
