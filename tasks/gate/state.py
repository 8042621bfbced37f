"""What a round of the gate has decided, run and spent so far."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from schemas.fields import Reason
from schemas.gate import GateDecisionRow, GateStage, PairedTrialRow
from tasks.agent.protocols import Task
from tasks.gate.arms import Arms, CanTouch
from tasks.gate.bundles import combine
from tasks.gate.candidate import Candidate, GateWorld
from tasks.gate.findings import Checked, as_json, decide_early
from tasks.gate.power import resolvable_gain
from tasks.harness import Harness


@dataclass
class RoundState:
    """One round; `order` are the select tasks in the order of its pairs."""

    world: GateWorld
    base: Harness
    slots: int
    first_slot: int
    can_touch: CanTouch
    order: tuple[Task, ...]
    edits: dict[str, Checked]
    flip_rate: float | None = None
    accepted: list[Candidate] = field(default_factory=list[Candidate])
    decisions: dict[str, GateDecisionRow] = field(default_factory=dict[str, GateDecisionRow])
    trials: dict[str, tuple[PairedTrialRow, ...]] = field(
        default_factory=dict[str, tuple[PairedTrialRow, ...]]
    )
    spent: int = 0

    @property
    def has_slot(self) -> bool:
        """Whether a slot is left."""
        return self.spent < self.slots

    def harness_with(self, edits: Sequence[Candidate]) -> Harness:
        """Build the harness in force plus some edits."""
        return combine(self.base, [*self.accepted, *edits])

    def arms(self, edits: Sequence[Candidate]) -> Arms:
        """The harness in force against itself plus some edits."""
        old, new = self.harness_with([]), self.harness_with(edits)
        return Arms(self.world, old, new, self.can_touch)

    def settle_early(
        self, edit: Candidate, reason: Reason, note: str = "", stage: GateStage | None = None
    ) -> None:
        """Decide an edit without a paired trial."""
        entry = self.edits[edit.edit_id]
        gain = None
        if reason == "no_slot":
            gain = resolvable_gain(len(self.order), self.world.settings.threshold)
        row = decide_early(entry, self.world.cycle_id, reason, gain)
        changes: dict[str, object] = {"flip_rate": self.flip_rate, "stage": stage or row.stage}
        if note:
            changes["findings"] = as_json([note, *entry.notes])
        self.decisions[edit.edit_id] = row.model_copy(update=changes)
