"""Splits of worlds that have none of their own, and the order in which tasks are listed."""

import hashlib
from collections.abc import Sequence
from typing import Any

SHARES = (("train", 0.4), ("select", 0.8), ("sealed", 1.0))


def by_hash(ids: Sequence[str]) -> dict[str, str]:
    """Split of each id: 40/40/20 in the order of their hashes."""
    ranked = ranked_by_hash(ids)
    found: dict[str, str] = {}
    start = 0
    for split, edge in SHARES:
        end = round(edge * len(ranked))
        found |= dict.fromkeys(ranked[start:end], split)
        start = end
    return found


def halves(ids: Sequence[str]) -> dict[str, str]:
    """Split of each id of a world's own train split: half train, half select."""
    ranked = ranked_by_hash(ids)
    half = len(ranked) // 2
    return dict.fromkeys(ranked[:half], "train") | dict.fromkeys(ranked[half:], "select")


def ranked_by_hash(ids: Sequence[str]) -> list[str]:
    """Ids in the order of their hashes."""
    return sorted(ids, key=lambda one: hashlib.sha256(one.encode()).hexdigest())


def interleaved(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Tasks with their families in turn; within a family they keep their order."""
    seen: dict[str, int] = {}
    ranks = []
    for row in rows:
        family = row["task_id"].split("/")[1]
        ranks.append(seen.setdefault(family, 0))
        seen[family] += 1
    order = sorted(range(len(rows)), key=lambda place: ranks[place])
    return [rows[place] for place in order]
