"""Three-valued outcomes from rewards: what is missing is unknown, never a failure."""

from schemas.fields import Outcome
from tasks.importers.decoding import JsonValue
from tasks.importers.reading import as_number

TOLERANCE = 1e-6


def judge_reward(value: JsonValue) -> tuple[Outcome, str]:
    """Outcome of a reward and the rule behind it: success only within 1e-6 of 1."""
    reward = as_number(value)
    if reward is None:
        return "unknown", "reward_missing" if value is None else "reward_not_a_number"
    return ("success" if abs(reward - 1) <= TOLERANCE else "failure"), "reward_is_one"
