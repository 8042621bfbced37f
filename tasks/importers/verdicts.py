"""Three-valued outcomes from rewards, and whether two verdicts on one episode agree.

What is missing is unknown, never a failure. A reward that is no finite number is a verdict that
cannot be read: it agrees with no real reward.
"""

from dataclasses import dataclass

from schemas.fields import Outcome
from tasks.importers.decoding import JsonValue
from tasks.importers.reading import as_number

TOLERANCE = 1e-6
_NOT_A_NUMBER = "reward_not_a_number"


def judge_reward(value: JsonValue) -> tuple[Outcome, str]:
    """Outcome of a reward and the rule behind it: success only within 1e-6 of 1."""
    reward = as_number(value)
    if reward is None:
        return "unknown", "reward_missing" if value is None else _NOT_A_NUMBER
    return ("success" if abs(reward - 1) <= TOLERANCE else "failure"), "reward_is_one"


@dataclass(frozen=True)
class Stated:
    """What a source says of an episode.

    Attributes:
        outcome: its outcome.
        rule: rule that made the outcome of the source's reward.
        reward: its reward; null when there is none, or none that can be read.
    """

    outcome: Outcome
    rule: str = ""
    reward: float | None = None

    @property
    def is_silent(self) -> bool:
        """Whether it gives no verdict at all."""
        return self.outcome == "unknown" and self.rule != _NOT_A_NUMBER

    def agrees_with(self, other: "Stated") -> bool:
        """Whether outcome and reward are the same."""
        if self.reward is None or other.reward is None:
            same_reward = self.reward is other.reward
        else:
            same_reward = abs(self.reward - other.reward) <= TOLERANCE
        return self.outcome == other.outcome and same_reward

    def __str__(self) -> str:
        """For people."""
        no_number = "no number" if self.rule == _NOT_A_NUMBER else "missing"
        reward = no_number if self.reward is None else f"{self.reward:g}"
        return f"{self.outcome} (reward {reward})"
