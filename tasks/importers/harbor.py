"""Harbor's trials: the verdict on a trajectory stands in `result.json` beside it (formats.md 2.4).

A verifier that failed says nothing about the agent, an agent that ran out of time may still have
solved the task: rewards decide where there are any.
"""

from dataclasses import dataclass
from pathlib import Path

from schemas.fields import Termination
from tasks.importers.container import whole
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import DraftVerdict, Redacts
from tasks.importers.names import clean_name
from tasks.importers.reading import (
    JsonObject,
    as_amount,
    as_count,
    as_name,
    as_object,
    as_text,
    drop_nulls,
)
from tasks.importers.verdicts import judge_reward

RESULT = "result.json"
TRAJECTORY = "trajectory.json"
_VERIFIER = ("verifier", "reward", "grader")
_AGENT_TIMEOUT = ("agenttimeout", "agentsetuptimeout")
_LONGEST = 4_000


def is_trial(value: JsonValue) -> bool:
    """Whether an object is the result of a trial."""
    members = as_object(value)
    told = {"verifier_result", "agent_result", "exception_info", "agent_info"} & set(members)
    return "trial_name" in members and bool(told)


@dataclass(frozen=True)
class Trial:
    """The result of a trial."""

    members: JsonObject

    @property
    def name(self) -> str | None:
        """Name of the trial."""
        return as_name(self.members.get("trial_name"))

    @property
    def task(self) -> str | None:
        """Name of the task."""
        return as_name(self.members.get("task_name"))

    @property
    def environment(self) -> str:
        """Environment, called after the data set where there is one."""
        source = as_text(self.members.get("source"))
        return f"harbor_{clean_name(source)}" if source else "harbor"

    @property
    def model(self) -> str | None:
        """Model that the trial was given."""
        info = as_object(as_object(self.members.get("agent_info")).get("model_info"))
        name, provider = as_text(info.get("name")), as_text(info.get("provider"))
        return f"{provider}/{name}" if name and provider else name

    @property
    def usage(self) -> JsonObject:
        """Tokens and cost of the agent."""
        return as_object(self.members.get("agent_result"))

    @property
    def cost_usd(self) -> float | None:
        """What the agent cost."""
        return as_amount(self.usage.get("cost_usd"))

    def tokens(self, side: str) -> int | None:
        """Tokens of one side, `input` or `output`."""
        return as_count(self.usage.get(f"n_{side}_tokens"))

    def judge(self) -> DraftVerdict:
        """Verdict and end of the trial."""
        graded = as_object(self.members.get("verifier_result"))
        rewards = as_object(graded.get("rewards"))
        error = as_object(self.members.get("exception_info"))
        kind = as_text(error.get("exception_type"))
        reward = _main_reward(rewards)
        if self.members.get("reward_valid") is False:
            reward = None
        parts = drop_nulls(
            {
                "rewards": rewards or None,
                "exception": kind,
                "message": (as_text(error.get("exception_message")) or "")[:_LONGEST] or None,
            }
        )
        end: Termination = "finished" if kind is None else end_of(kind)
        if reward is None:
            fault = fault_of(kind)
            rule = "fault" if fault else ("several_rewards" if rewards else "reward_missing")
            return DraftVerdict(
                "unknown", rule, "fault" if fault else end, kind, fault, None, parts
            )
        outcome, rule = judge_reward(reward)
        return DraftVerdict(outcome, rule, end, kind, None, as_amount(reward), parts)


def _main_reward(rewards: JsonObject) -> JsonValue:
    """The reward called so, or the only one; several others decide nothing."""
    if "reward" in rewards:
        return rewards["reward"]
    return next(iter(rewards.values())) if len(rewards) == 1 else None


def end_of(kind: str) -> Termination:
    """How a trial ended, by the name of what went wrong."""
    name = kind.lower()
    if name.startswith(_VERIFIER):
        return "finished"
    return "timeout" if "timeout" in name else "agent_error"


def fault_of(kind: str | None) -> str | None:
    """Fault of a trial without a reward: all that went wrong but the agent's own time."""
    name = (kind or "").lower()
    if kind is None or name.startswith(_AGENT_TIMEOUT):
        return None
    return "grader_error" if name.startswith(_VERIFIER) else "crash"


def find_trial(path: Path, redactor: Redacts) -> Trial | None:
    """The trial that a trajectory was made in, by the folders of Harbor; null without one."""
    for folder in (path.parent, path.parent.parent):
        file = folder / RESULT
        if file != path and file.is_file():
            value = redactor.value(whole(file).value)
            return Trial(value) if is_trial(value) else None
    return None


def trajectory_of(path: Path) -> Path | None:
    """The trajectory that a trial's result belongs to; null when there is none."""
    places = (path.parent / "agent" / TRAJECTORY, path.parent / TRAJECTORY)
    return next((place for place in places if place.is_file()), None)
