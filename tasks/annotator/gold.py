"""What a source holds about the right course: expected calls, check results, the user's brief.

Rules that read it say `uses_gold`. Everything is optional; imports and worlds put it into
`reward_parts` of the trajectory, in their own words, and this module is the one reader.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from schemas.episode import Episode
from tasks.annotator.canonical import canonical_arguments

_EXPECTED_KEYS = ("expected_actions", "actions", "gold_actions", "expected_calls")
_CHECK_KEYS = ("action_checks", "checks")
_BASE_KEYS = ("r_actions", "r_outputs", "base_reward", "base_success")
_SUCCESS_TOLERANCE = 1e-6


@dataclass(frozen=True)
class ExpectedCall:
    """A call of the oracle; `is_matched` is the source's own check, None when it has none."""

    tool: str
    arguments: dict[str, Any]
    is_matched: bool | None = None
    is_users: bool = False

    @property
    def key(self) -> str:
        """The call with canonical arguments."""
        return f"{self.tool} {canonical_arguments(self.arguments)}"


@dataclass(frozen=True)
class Gold:
    """Everything known about the right course of one episode."""

    is_known: bool = False
    calls: tuple[ExpectedCall, ...] = ()
    outputs: tuple[str, ...] = ()
    brief: str = ""
    base_verdicts: dict[str, float] = field(default_factory=dict[str, float])
    answer_type: str | None = None
    db_match: bool | None = None


NOTHING = Gold()


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return float(value)
    return float(value) if isinstance(value, int | float) else None


def _as_call(item: Any, *, matched: bool | None = None) -> ExpectedCall | None:
    if not isinstance(item, dict):
        return None
    inner = item.get("action")
    if isinstance(inner, dict):
        match = item.get("action_match")
        return _as_call(inner, matched=match if isinstance(match, bool) else None)
    name = item.get("name") or item.get("tool")
    arguments = item.get("kwargs", item.get("arguments", {}))
    if not isinstance(name, str):
        return None
    is_users = item.get("requestor") == "user"
    return ExpectedCall(name, arguments if isinstance(arguments, dict) else {}, matched, is_users)


def _walk(parts: Any, keys: tuple[str, ...], depth: int = 0) -> Any:
    """Find the first value under one of the keys, outermost first."""
    if not isinstance(parts, dict) or depth > 4:
        return None
    for key in keys:
        if parts.get(key) is not None:
            return parts[key]
    for name in sorted(parts, key=str):
        found = _walk(parts[name], keys, depth + 1)
        if found is not None:
            return found
    return None


def _calls(parts: Any) -> tuple[tuple[ExpectedCall, ...], bool]:
    for keys in (_CHECK_KEYS, _EXPECTED_KEYS):
        found = _walk(parts, keys)
        if isinstance(found, list):
            calls = [call for call in map(_as_call, found) if call is not None]
            return tuple(calls), True
    return (), False


def _texts(value: Any) -> tuple[str, ...]:
    items = value if isinstance(value, list) else []
    return tuple(item for item in items if isinstance(item, str))


def read_gold(episode: Episode) -> Gold:
    """Read what the source holds; `NOTHING` when that is nothing or unreadable."""
    try:
        parts = json.loads(episode.trajectory.reward_parts or "{}")
    except (ValueError, RecursionError):
        return NOTHING
    if not isinstance(parts, dict) or not parts:
        return NOTHING
    calls, is_known = _calls(parts)
    base = {key: _number(_walk(parts, (key,))) for key in _BASE_KEYS}
    db_match = _walk(parts, ("db_match",))
    answer_type = parts.get("answer_type")
    return Gold(
        is_known=is_known,
        calls=calls,
        outputs=_texts(_walk(parts, ("expected_outputs", "outputs"))),
        brief=_brief(parts),
        base_verdicts={key: value for key, value in base.items() if value is not None},
        answer_type=answer_type if isinstance(answer_type, str) else None,
        db_match=db_match if isinstance(db_match, bool) else None,
    )


def _brief(parts: dict[str, Any]) -> str:
    found = _walk(parts, ("instruction", "user_instructions", "user_scenario", "instructions"))
    return found if isinstance(found, str) else json.dumps(found) if found else ""


def is_full(value: float) -> bool:
    """Whether a partial verdict is a full success."""
    return abs(value - 1.0) <= _SUCCESS_TOLERANCE
