"""What a harness does with what its rules returned; pure but for the counts of one episode.

A live session and the replay of a stored one both go through here, so they cannot differ.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from .harness import Harness
from .ordering import AFTERWARDS, WITH_CALL, WITHOUT_CALL, Ranked, rank
from .results import BadResultError, Proposed, read_result
from .rules import RuleFile
from .sandbox import RuleOutcome
from .skills import Skill
from .text import canonical_json, encode, shorten
from .values import (
    Action,
    Artifact,
    ArtifactFault,
    Call,
    Decision,
    FaultKind,
    Intervention,
    InterventionKind,
    Regulated,
    RuleLayer,
)

MAX_LOGGED = 4_000
LOAD_TOOL = "load_skill"


@dataclass(frozen=True)
class Verdict:
    """Rule results of one moment, read and ranked, with the faults among them."""

    ranked: Ranked
    faults: tuple[ArtifactFault, ...]


@dataclass
class Conduct:
    """The judgement of one harness in one episode.

    Attributes:
        dismissed: rules that used up the sandbox once; they are not asked again.
        hints: hints given so far.
        forced: actions forced so far.
    """

    harness: Harness
    tools: frozenset[str]
    dismissed: dict[RuleLayer, set[str]] = field(
        default_factory=lambda: {"actions": set[str](), "regulation": set[str]()}
    )
    hints: int = 0
    forced: int = 0

    def rules(self, layer: RuleLayer) -> RuleFile | None:
        """Rules to ask in a layer; null when it is off or has none."""
        rules = self.harness.actions if layer == "actions" else self.harness.regulation
        return rules if layer in self.harness.layers and rules.rules else None

    def artifact(self, layer: RuleLayer, name: str) -> Artifact:
        """The artifact of a rule."""
        return self.harness.artifact(layer, name)

    def answer_load(self, action: Action) -> Decision | None:
        """Answer a call that loads a skill; null when it is no such call."""
        if action.tool != LOAD_TOOL or not self.harness.offers_skills or action.call is None:
            return None
        wanted = action.call.arguments.get("name")
        for skill in self.harness.skills:
            if skill.name == wanted:
                log = (self.given(skill, "load"),)
                return Decision("loaded", None, skill.prompt, None, log)
        names = ", ".join(skill.name for skill in self.harness.skills)
        return Decision("unusable", None, f"There is no such skill. Skills: {names}.")

    def given(self, skill: Skill, kind: InterventionKind) -> Intervention:
        """Log that a skill was given to the model."""
        artifact = self.harness.artifact("skills", skill.name)
        return Intervention("skills", artifact.artifact_id, skill.name, kind, None, skill.prompt)

    def rescue(self, action: Action, outcomes: Sequence[RuleOutcome]) -> tuple[Decision, bool]:
        """Decide on a turn without a usable call; true when a call was found in it.

        A call that was found still has to pass the other rules, see `decide`.
        """
        verdict = self._read("actions", outcomes, WITHOUT_CALL, before=None)
        winner = verdict.ranked.winner
        log = self._log("actions", verdict.ranked, _written(action))
        if winner is not None and winner.call is not None:
            decision = Decision("execute", winner.call, "", action.parse_error, log, verdict.faults)
            return decision, True
        if winner is not None:
            message = self._bounded(winner.message)
            return Decision(
                "blocked", None, message, action.parse_error, log, verdict.faults
            ), False
        kind = "none" if action.tool is None else "unusable"
        message = self._complaint(action)
        return Decision(kind, None, message, action.parse_error, log, verdict.faults), False

    def decide(self, call: Call, outcomes: Sequence[RuleOutcome]) -> Decision:
        """Decide on a call: block it, rewrite it or let it pass."""
        verdict = self._read("actions", outcomes, WITH_CALL, before=call)
        log = self._log("actions", verdict.ranked, show(call))
        winner = verdict.ranked.winner
        if winner is None or winner.call is not None:
            final = winner.call if winner is not None else call
            return Decision("execute", final, interventions=log, faults=verdict.faults)
        return Decision("blocked", None, self._bounded(winner.message), None, log, verdict.faults)

    def regulate(
        self, observation: str, outcomes: Sequence[RuleOutcome], *, remaining_steps: int | None
    ) -> Regulated:
        """Decide what follows a result: stop, a forced action, a hint or nothing."""
        exhausted = self._exhausted(remaining_steps)
        verdict = self._read("regulation", outcomes, AFTERWARDS, exhausted=exhausted)
        log = self._log("regulation", verdict.ranked, observation)
        winner = verdict.ranked.winner
        if winner is None:
            return Regulated(observation, interventions=log, faults=verdict.faults)
        if winner.kind == "hint":
            self.hints += 1
            merged = merge_hint(observation, self._bounded(winner.message))
            return Regulated(merged, interventions=log, faults=verdict.faults)
        if winner.kind == "force":
            self.forced += 1
        is_stop = winner.kind == "stop"
        return Regulated(observation, winner.call, is_stop, log, verdict.faults)

    def _exhausted(self, remaining_steps: int | None) -> set[InterventionKind]:
        budgets = self.harness.budgets
        spent: set[InterventionKind] = set()
        if budgets.hints is not None and self.hints >= budgets.hints:
            spent.add("hint")
        is_over = remaining_steps is not None and remaining_steps <= 0
        if is_over or (budgets.forced is not None and self.forced >= budgets.forced):
            spent.add("force")
        return spent

    def _read(
        self,
        layer: RuleLayer,
        outcomes: Sequence[RuleOutcome],
        order: Sequence[InterventionKind],
        *,
        before: Call | None = None,
        exhausted: Collection[InterventionKind] = (),
    ) -> Verdict:
        proposed: list[Proposed] = []
        faults: list[ArtifactFault] = []
        for outcome in outcomes:
            if outcome.rule in self.dismissed[layer]:
                continue
            if outcome.is_exhausting:
                self.dismissed[layer].add(outcome.rule)
            try:
                read = self._accept(layer, outcome)
            except BadResultError as error:
                faults.append(self._fault(layer, outcome.rule, "bad_result", str(error)))
                continue
            if isinstance(read, ArtifactFault):
                faults.append(read)
            elif not (read.kind == "rewrite" and read.call == before):
                proposed.append(read)
        return Verdict(rank(proposed, order, exhausted=exhausted), tuple(faults))

    def _accept(self, layer: RuleLayer, outcome: RuleOutcome) -> Proposed | ArtifactFault:
        if outcome.fault is not None or outcome.result is None:
            return self._fault(layer, outcome.rule, outcome.fault or "error", outcome.message)
        return read_result(outcome.rule, outcome.result, layer=layer, tools=self.tools)

    def _fault(self, layer: RuleLayer, rule: str, kind: FaultKind, message: str) -> ArtifactFault:
        artifact = self.artifact(layer, rule)
        return ArtifactFault(layer, artifact.artifact_id, rule, kind, message)

    def _log(self, layer: RuleLayer, ranked: Ranked, before: str) -> tuple[Intervention, ...]:
        winner = [(ranked.winner, False)] if ranked.winner is not None else []
        rows = [*winner, *((loser, True) for loser in ranked.suppressed)]
        return tuple(
            Intervention(
                layer,
                self.artifact(layer, proposed.rule).artifact_id,
                proposed.rule,
                proposed.kind,
                shorten(before, MAX_LOGGED),
                shorten(self._effect(proposed), MAX_LOGGED),
                suppressed,
            )
            for proposed, suppressed in rows
        )

    def _effect(self, proposed: Proposed) -> str:
        return show(proposed.call) if proposed.call else self._bounded(proposed.message)

    def _bounded(self, message: str) -> str:
        limit = self.harness.budgets.hint_chars
        return message if len(message) <= limit else message[: limit - 1] + "…"

    def _complaint(self, action: Action) -> str:
        if action.tool is None:
            listed = ", ".join(sorted(self.tools)) or "the tools you were given"
            return (
                "Your reply contained no tool call, so nothing was executed. "
                f"Call one of: {listed}."
            )
        return (
            f"The call of {action.tool[:100]} was not executed: {action.parse_error}. "
            "Give the arguments as one JSON object."
        )


def merge_hint(observation: str, hint: str) -> str:
    """Put a hint behind an observation."""
    return f"{observation}\n\nHint: {hint}" if observation else f"Hint: {hint}"


def show(call: Call) -> str:
    """Render a call for people and for logs."""
    return canonical_json({"tool": call.tool, "arguments": call.arguments})


def _written(action: Action) -> str:
    if action.tool is None:
        return action.raw_text
    return encode({"tool": action.tool, "parse_error": action.parse_error}) + action.raw_text
