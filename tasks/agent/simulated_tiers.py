"""How the simulated tiers differ: obedience, recovery, use of skills.

Shapes follow what was published for real models: the right skill loaded in 25 / 45-80 / 96 % of
episodes, obedience that falls along the episode and in long prompts, the middle tier gaining
most from a good harness.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from tasks.agent.simulated_world import Source, Tier

LONG_PROMPT_TOKENS = 2_000


@dataclass(frozen=True)
class TierProfile:
    """Parameters of one tier, all probabilities.

    Attributes:
        adherence: chance to obey a cue that stands in the prompt, at the first reply.
        hint_adherence: chance to obey a cue that has just come in.
        fade: factor on `adherence` for each reply given.
        patience: factor on `adherence` for each doubling of a prompt beyond the long-prompt mark.
        recovery: chance to get out of a fault at the first try.
        lock_in: factor on `recovery` for each further repetition of the fault.
        loads_skill: chance to load the right skill when it is due.
        nudge: share of the episodes without a load that a reference turns into one.
    """

    adherence: float
    hint_adherence: float
    fade: float
    patience: float
    recovery: float
    lock_in: float
    loads_skill: float
    nudge: float

    def obedience(self, source: Source, turns: int, tokens: int) -> float:
        """Chance to obey a cue of full weight."""
        length = self.patience ** _doublings(tokens)
        if source == "recent":
            return self.hint_adherence * length
        return self.adherence * self.fade**turns * length


PROFILES: Mapping[Tier, TierProfile] = {
    "weak": TierProfile(0.72, 0.70, 0.975, 0.75, 0.14, 0.6, 0.25, 0.5),
    "mid": TierProfile(0.92, 0.90, 0.985, 0.85, 0.28, 0.6, 0.60, 0.7),
    "strong": TierProfile(0.97, 0.96, 0.995, 0.95, 0.55, 0.7, 0.96, 0.9),
}


@dataclass(frozen=True)
class Luck:
    """Draws of one episode; neither harness nor arm is in them, so that pairs share their luck."""

    seed: int
    task_id: str
    repeat: int

    def draw(self, kind: str, number: int) -> float:
        """Uniform number in [0, 1) for the n-th opportunity of a kind."""
        key = f"{self.seed}\x1f{self.task_id}\x1f{self.repeat}\x1f{kind}\x1f{number}"
        return int.from_bytes(hashlib.sha256(key.encode()).digest()[:7], "big") / 2**56


def _doublings(tokens: int) -> float:
    doubled, count = LONG_PROMPT_TOKENS, 0.0
    while tokens > doubled:
        count += min(1.0, (tokens - doubled) / doubled)
        doubled *= 2
    return count
