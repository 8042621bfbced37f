"""What is written about a trajectory beside its messages, the same in every format."""

import json
from typing import Any

from schemas.episode import Episode

_KEPT = (
    *("environment", "task_id", "split", "model", "harness_id", "seed", "repeat"),
    *("termination", "fault", "reward", "cost_usd", "prompt_tokens", "completion_tokens"),
)


def facts_of(episode: Episode) -> dict[str, Any]:
    """Members of the trajectory that are known; `success` only where the outcome is."""
    row = episode.trajectory
    found: dict[str, Any] = {"trajectory_id": row.trajectory_id}
    found |= {name: value for name in _KEPT if (value := getattr(row, name)) is not None}
    if row.outcome != "unknown":
        found["success"] = row.outcome == "success"
    return found


def reward_of(episode: Episode) -> float | None:
    """A reward that says the same as the outcome, for formats that have no other verdict."""
    row = episode.trajectory
    if row.outcome == "unknown":
        return None
    is_told = row.reward is not None and (row.reward >= 1) == (row.outcome == "success")
    return row.reward if is_told else float(row.outcome == "success")


def tools_of(episode: Episode) -> list[Any] | None:
    """Tool definitions the model saw; null when they are not known."""
    text = episode.prompt_text(episode.trajectory.tools_prompt_id)
    value = json.loads(text) if text else None
    return value if isinstance(value, list) and value else None
