"""Who gets the harness: everybody, nobody (it only watches), or a drawn share of conversations."""

import hashlib
import re
from dataclasses import dataclass

from schemas.errors import ConfigError
from schemas.traffic import Mode, TrafficArm
from tasks.harness import Harness

_SPLIT = re.compile(r"split:(?P<share>[0-9.]{1,12})")


@dataclass(frozen=True)
class Policy:
    """Harnesses and how they are shared out.

    Attributes:
        share: probability that a conversation gets the treatment; 1 outside of a split.
        control: harness of the other arm; null when everything passes unchanged there.
    """

    mode: Mode
    share: float
    treatment: Harness
    control: Harness | None = None


@dataclass(frozen=True)
class Assignment:
    """What one conversation gets.

    Attributes:
        propensity: probability with which it got its arm.
        acts: whether the harness changes anything.
    """

    arm: TrafficArm
    propensity: float
    harness: Harness
    acts: bool


def read_mode(word: str) -> tuple[Mode, float]:
    """Mode and share that a word such as `split:0.5` names.

    Raises:
        ConfigError: it names none.
    """
    if word in ("enforce", "shadow"):
        return ("enforce" if word == "enforce" else "shadow"), 1.0
    match = _SPLIT.fullmatch(word)
    try:
        share = float(match["share"]) if match else 0.0
    except ValueError:
        share = 0.0
    if not 0 < share < 1:
        what = f"there is no mode `{word[:40]}`"
        raise ConfigError(what, hint="enforce, shadow, or split:P with P between 0 and 1")
    return "split", share


def assign(policy: Policy, session: str, empty: Harness) -> Assignment:
    """Arm of a conversation; the same name always gets the same one.

    `empty` stands for passing everything unchanged. The draw is a hash of treatment and name, so
    two trials draw independently.
    """
    if policy.mode == "shadow":
        return Assignment("treatment", 1.0, policy.treatment, acts=False)
    if policy.mode == "enforce":
        return Assignment("treatment", 1.0, policy.treatment, acts=True)
    key = f"{policy.treatment.harness_id}\n{session}".encode("utf-8", "surrogatepass")
    drawn = int.from_bytes(hashlib.sha256(key).digest()[:8]) / 2**64
    if drawn < policy.share:
        return Assignment("treatment", policy.share, policy.treatment, acts=True)
    control = policy.control
    return Assignment("control", 1 - policy.share, control or empty, acts=control is not None)
