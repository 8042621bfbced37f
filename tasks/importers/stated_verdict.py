"""Verdicts where a format has none: only what the user points at is one.

A member called `reward`, `score` or `label` may mean anything, so it is kept among the parts of
the verdict and decides nothing unless the user names it.
"""

from typing import Any

from schemas.fields import Termination
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import DraftVerdict
from tasks.importers.reading import JsonObject, as_number
from tasks.importers.verdicts import judge_reward

_LONGEST = 2_000
_MOST = 60
NO_VERDICT = "no_verdict"
NAMED = "named_member"


def judge_named(
    episode: JsonObject,
    name: str,
    *,
    termination: Termination = "unknown",
    termination_raw: str | None = None,
    parts: dict[str, Any] | None = None,
) -> DraftVerdict:
    """Verdict by the member that the user named; unknown without one, or when it is missing.

    A truth value is the outcome, a number a reward. A name with dots goes into objects.
    """
    value: JsonValue = episode
    for step in name.split(".") if name else ():
        value = value.get(step) if isinstance(value, dict) else None
    shown = parts or {}
    if not name or value is None or not isinstance(value, bool | int | float):
        return DraftVerdict("unknown", NO_VERDICT, termination, termination_raw, None, None, shown)
    if isinstance(value, bool):
        outcome = "success" if value else "failure"
        return DraftVerdict(outcome, NAMED, termination, termination_raw, None, float(value), shown)
    outcome, rule = judge_reward(value)
    return DraftVerdict(outcome, rule, termination, termination_raw, None, as_number(value), shown)


def plain_members(episode: JsonObject, left_out: frozenset[str]) -> dict[str, JsonValue]:
    """Members that are short texts, numbers or truth values, to be kept with the verdict."""
    kept = {
        name: value
        for name, value in episode.items()
        if name not in left_out and (isinstance(value, bool | int | float) or _is_short(value))
    }
    return dict(list(kept.items())[:_MOST])


def _is_short(value: JsonValue) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST
