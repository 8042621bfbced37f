"""What a rule gets and gives: the view of a failed episode, and hits with their evidence."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from schemas.fields import Bullet, Category
from schemas.ids import canonical_json
from tasks.annotator.canonical import canonical_arguments
from tasks.annotator.gold import Gold
from tasks.annotator.parameters import Parameters
from tasks.annotator.profile import EnvironmentProfile
from tasks.annotator.records import Records, ShownCall, record_history
from tasks.annotator.signatures import KINDS
from tasks.annotator.timeline import CallView, Timeline, Turn

T = TypeVar("T")

QUOTE_CAP = 600
_FIRST_WORD = re.compile(r"\s*(?:--[^\n]*\n\s*|/\*)?\s*([A-Za-z_]+)")

CATEGORY_OF: dict[Bullet, Category] = {
    "NA": "not_attributable",
    "AR1": "action_realization",
    "AR2": "action_realization",
    "AR3": "action_realization",
    "EC1": "environment_contract",
    "EC2": "environment_contract",
    "EC3": "environment_contract",
    "TD1": "trajectory_degeneration",
    "TD2": "trajectory_degeneration",
    "TD3": "trajectory_degeneration",
    "RR": "residual_reasoning",
}
BULLETS: tuple[Bullet, ...] = tuple(CATEGORY_OF)


@dataclass(frozen=True)
class View:
    """One failed episode as rules see it."""

    timeline: Timeline
    profile: EnvironmentProfile
    parameters: Parameters
    gold: Gold
    _memory: dict[str, Any] = field(default_factory=dict[str, Any])

    def once(self, name: str, compute: Callable[[], T]) -> T:
        """Compute something that several rules need only once for an episode."""
        if name not in self._memory:
            self._memory[name] = compute()
        return self._memory[name]

    def records(self, turn_index: int) -> Records:
        """Records that tools had shown before a turn; one with a conditioned write, or the end."""
        return self.once("records", self._record_history)[turn_index]

    def _record_history(self) -> dict[int, Records]:
        guarded = {condition.tool for condition in self.profile.preconditions}
        calls = self.timeline.calls()
        wanted = {turn.index for turn, call in calls if call.run_tool in guarded}
        episode = self.timeline.episode
        shown = [
            ShownCall(
                turn.index,
                call.run_arguments,
                call.result,
                self.profile.is_write(call.run_tool),
            )
            for turn, call in calls
            if call.ran and guarded
        ]
        policy = episode.prompt_text(episode.trajectory.system_prompt_id)
        return record_history(shown, policy, wanted | {len(self.timeline.turns)})

    def intent_of(self, call: CallView) -> str:
        """What a call is after: its tool, with the verb of a statement or command."""
        return step_signature(self.profile, call.run_tool, call.run_arguments)


@dataclass(frozen=True)
class Hit:
    """A rule that matched.

    Attributes:
        turn: index of the agent turn; None when the cause belongs to no turn of the agent.
        step_index: step the label points to.
        signature: trigger without episode-specific values (see `signatures.KINDS`).
        evidence: the concrete instance.
        intent: what a later successful call must be after to repair it; `*` is any call;
            None when nothing repairs it.
        is_open_only: whether it counts only where the outcome was otherwise right or open.
        is_lasting_write: whether it changed the world for good, so that the run was lost by it.
    """

    rule: str
    bullet: Bullet
    turn: int | None
    step_index: int | None
    signature: dict[str, Any]
    evidence: dict[str, Any] = field(default_factory=dict[str, Any])
    uses_gold: bool = False
    intent: str | None = None
    is_open_only: bool = False
    is_lasting_write: bool = False

    @property
    def category(self) -> Category:
        """Category of the bullet."""
        return CATEGORY_OF[self.bullet]

    @property
    def signature_text(self) -> str:
        """The signature as canonical JSON."""
        return canonical_json(self.signature)


def hit_at(
    turn: Turn,
    rule: str,
    bullet: Bullet,
    signature: dict[str, Any],
    evidence: dict[str, Any],
    intent: str | None = None,
) -> Hit:
    """Build a hit at a turn of the agent."""
    return Hit(rule, bullet, turn.index, turn.step_index, signature, evidence, intent=intent)


def sign(kind: str, **values: Any) -> dict[str, Any]:
    """Build a signature; all keys of its kind are present, unknown ones as null."""
    keys = KINDS[kind].keys
    return {"kind": kind, **{key: values.get(key) for key in keys}}


def quote(text: str | None) -> str:
    """Cut a text to what evidence may carry; surrogates and NULs become U+FFFD."""
    cut = (text or "")[:QUOTE_CAP]
    return cut.encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd")


def call_evidence(turn: Turn, call: CallView) -> dict[str, Any]:
    """Facts of a call for the evidence of a hit."""
    return {
        "step": turn.step_index,
        "tool": quote(call.tool),
        "arguments": quote(
            call.raw if call.raw is not None else canonical_arguments(call.run_arguments)
        ),
        "result": quote(call.result or turn.observation),
    }


def step_signature(profile: EnvironmentProfile, tool: str, arguments: dict[str, Any]) -> str:
    """Name a step: the tool, with the leading verb of its SQL statement or command."""
    argument = profile.sql_arguments.get(tool) or profile.command_arguments.get(tool)
    text = arguments.get(argument) if argument else None
    match = _FIRST_WORD.match(text[:2000]) if isinstance(text, str) else None
    return f"{tool}:{match.group(1).lower()}" if match else tool
