"""What a source holds about the right course: expected calls, check results, the user's brief.

Rules that read it say `uses_gold`. Everything is optional; imports and worlds put it into
`reward_parts` of the trajectory, in their own words, and this module is the one reader.
"""

import json
from dataclasses import dataclass
from typing import Any

from schemas.episode import Episode
from tasks.annotator.canonical import canonical_arguments, clip

_EXPECTED_KEYS = ("expected_actions", "expected_calls", "gold_actions", "action_checks", "actions")
_SUCCESS_TOLERANCE = 1e-6
_DEPTH = 4
_LARGEST = 1e12


@dataclass(frozen=True)
class ExpectedCall:
    """A call of the oracle; `is_users` when the simulated user was to make it."""

    tool: str
    arguments: dict[str, Any]
    is_users: bool = False

    @property
    def key(self) -> str:
        """The call with canonical arguments."""
        return f"{self.tool} {canonical_arguments(self.arguments)}"


@dataclass(frozen=True)
class Gold:
    """Everything known about the right course of one episode.

    Attributes:
        is_known: whether the expected calls are known, be they none.
        brief: what the simulated user was told.
        base_reward: verdict of the environment itself where the reward adds other terms.
        is_state_checked: whether the verdict rests on the final state.
        missing_outputs: texts that the agent should have told the user and did not.
        user_fault: what the source says about a fault of its simulated user.
    """

    is_known: bool = False
    calls: tuple[ExpectedCall, ...] = ()
    brief: str = ""
    base_reward: float | None = None
    is_state_checked: bool = True
    state_matches: bool | None = None
    missing_outputs: tuple[str, ...] = ()
    answer_type: str | None = None
    user_fault: str | None = None
    is_task_disputed: bool = False


NOTHING = Gold()


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and -_LARGEST < value < _LARGEST
    return float(value) if is_number else None


def _as_call(item: Any) -> ExpectedCall | None:
    if not isinstance(item, dict):
        return None
    inner = item.get("action")
    if isinstance(inner, dict):
        return _as_call(inner)
    name = item.get("name") or item.get("tool")
    arguments = item.get("kwargs", item.get("arguments", {}))
    if not isinstance(name, str):
        return None
    is_users = item.get("requestor") == "user"
    return ExpectedCall(name, arguments if isinstance(arguments, dict) else {}, is_users)


def _walk(parts: Any, keys: tuple[str, ...], depth: int = 0) -> Any:
    """Find the first value under one of the keys, outermost first."""
    if not isinstance(parts, dict) or depth > _DEPTH:
        return None
    for key in keys:
        if parts.get(key) is not None:
            return parts[key]
    for name in sorted(parts, key=str):
        found = _walk(parts[name], keys, depth + 1)
        if found is not None:
            return found
    return None


def _base_reward(parts: dict[str, Any]) -> float | None:
    found = _number(_walk(parts, ("base_reward", "base_success")))
    if found is not None:
        return found
    graded = [_number(_walk(parts, (key,))) for key in ("r_actions", "r_outputs")]
    known = [value for value in graded if value is not None]
    return min(known) if known else None


def _missing_outputs(parts: dict[str, Any]) -> tuple[str, ...]:
    checks = _walk(parts, ("output_checks",))
    if isinstance(checks, dict):
        return tuple(sorted(str(text) for text, is_met in checks.items() if is_met is False))
    told = _walk(parts, ("communicate_checks",))
    items = [item for item in told if isinstance(item, dict)] if isinstance(told, list) else []
    return tuple(sorted(str(item.get("info")) for item in items if item.get("met") is False))


def _is_state_checked(parts: dict[str, Any]) -> bool:
    basis = _walk(parts, ("reward_basis",))
    return not isinstance(basis, list) or not basis or "DB" in basis


def _user_fault(parts: dict[str, Any], termination: str) -> str | None:
    if termination == "user_error":
        return "user_error"
    for key in ("hallucination_check", "review"):
        found = _walk(parts, (key,))
        text = json.dumps(found)[:4000].lower() if found is not None else ""
        if '"user"' in text and ('"error' in text or "true" in text):
            return key
    return None


def read_gold(episode: Episode) -> Gold:
    """Read what the source holds; `NOTHING` when that is nothing or unreadable."""
    try:
        parts = json.loads(episode.trajectory.reward_parts or "{}")
    except (ValueError, RecursionError):
        return NOTHING
    if not isinstance(parts, dict) or not parts:
        return NOTHING
    expected = _walk(parts, _EXPECTED_KEYS)
    calls = map(_as_call, expected) if isinstance(expected, list) else ()
    state = _walk(parts, ("db_match",))
    answer_type = parts.get("answer_type")
    return Gold(
        is_known=isinstance(expected, list),
        calls=tuple(call for call in calls if call is not None),
        brief=_brief(parts),
        base_reward=_base_reward(parts),
        is_state_checked=_is_state_checked(parts),
        state_matches=state if isinstance(state, bool) else None,
        missing_outputs=_missing_outputs(parts),
        answer_type=answer_type if isinstance(answer_type, str) else None,
        user_fault=_user_fault(parts, episode.trajectory.termination),
        is_task_disputed=bool(parts.get("task_disputed")),
    )


def _brief(parts: dict[str, Any]) -> str:
    found = _walk(parts, ("instruction", "user_scenario", "instructions"))
    text = found if isinstance(found, str) else json.dumps(found) if found else ""
    return clip(text)


def is_full(value: float) -> bool:
    """Whether a partial verdict is a full success."""
    return abs(value - 1.0) <= _SUCCESS_TOLERANCE
