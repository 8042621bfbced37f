"""What the gate is given: candidates rebuilt from rows, past edits, secrets it must not find."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from schemas.acceptance import EditFollowUpRow
from schemas.episode import Episode
from schemas.errors import ConfigError
from schemas.failures import FailurePatternRow
from schemas.fields import Split
from schemas.gate import GateDecisionRow, ReplayCheckRow
from schemas.harness import EditRow
from schemas.ids import canonical_json
from schemas.plans import CyclePlan
from schemas.runs import CycleRow
from tasks.agent.capabilities import HasGoldTexts
from tasks.agent.protocols import Environment, Task
from tasks.editor.manifest import Manifest
from tasks.editor.protocols import Proposal
from tasks.gate.candidate import DECOY_EDITORS, Candidate, Member
from tasks.gate.findings import Checked
from tasks.gate.leak import LeakGuard
from tasks.gate.sameness import Refusals
from tasks.gate.static import StaticContext
from tasks.harness import Harness
from tasks.workbench import Workbench


@dataclass(frozen=True)
class PastEdit:
    """A decided edit of the cycle and the text it added."""

    edit: EditRow
    decision: GateDecisionRow
    parent: Harness
    child: Harness

    @property
    def body(self) -> str:
        """Text of the artifact it added or changed; empty when it removed one."""
        for artifact in self.child.artifacts:
            if (artifact.layer, artifact.name) == (self.edit.layer, self.edit.artifact):
                return artifact.body
        return ""

    @property
    def told_to_editor(self) -> tuple[str, ...]:
        """Findings an editor may see: all of static checks and replay, counts of a trial."""
        if self.decision.stage in ("static", "replay"):
            return tuple(str(text) for text in json.loads(self.decision.findings))
        counts = f"{self.decision.wins} won, {self.decision.losses} lost, {self.decision.ties} tied"
        return (f"{self.decision.verdict}, {self.decision.reason}: {counts}",)


def past_edits(bench: Workbench, cycle_id: str) -> list[PastEdit]:
    """Decided edits of a cycle in the order they were proposed."""
    with bench.warehouse.read() as reader:
        decisions = {
            row.edit_id: row for row in reader.rows(GateDecisionRow, "cycle_id = ?", [cycle_id])
        }
        for row in reader.rows(EditFollowUpRow, "cycle_id = ? AND is_reverted", [cycle_id]):
            decisions[row.edit_id] = _falsified(decisions[row.edit_id], row)
        edits = reader.rows(EditRow, "cycle_id = ?", [cycle_id])
    edits = sorted(
        (edit for edit in edits if edit.edit_id in decisions),
        key=lambda edit: (edit.round, edit.ordinal),
    )
    harnesses = bench.stored_harnesses(both_harnesses(edits))
    return [
        PastEdit(
            edit,
            decisions[edit.edit_id],
            harnesses[edit.parent_harness_id],
            harnesses[edit.child_harness_id],
        )
        for edit in edits
    ]


def _falsified(decision: GateDecisionRow, found: EditFollowUpRow) -> GateDecisionRow:
    """As if refused: an edit whose promises were not kept must not come back unchanged."""
    said = f"It was taken out again: {found.realised_fixes} of {found.observed_fixes} promised "
    said += f"fixes came true, {found.unpredicted_losses} tasks were lost."
    update = {"verdict": "rejected", "reason": "regression", "findings": canonical_json([said])}
    return decision.model_copy(update=update)


def both_harnesses(edits: Iterable[EditRow]) -> set[str]:
    """Ids of the parents and children of edits."""
    return {name for edit in edits for name in (edit.parent_harness_id, edit.child_harness_id)}


def open_edits(bench: Workbench, plan: CyclePlan, round_number: int) -> list[Checked]:
    """Edits of a round that static checks and replay let through, in their order."""
    with bench.warehouse.read() as reader:
        where = "cycle_id = ? AND round = ?"
        edits = reader.rows(EditRow, where, [plan.cycle_id, round_number])
        decided = {
            row.edit_id for row in reader.rows(GateDecisionRow, "cycle_id = ?", [plan.cycle_id])
        }
        ids = [edit.edit_id for edit in edits]
        among = "edit_id IN (SELECT unnest(?::VARCHAR[]))"
        replays = {row.edit_id: row for row in reader.rows(ReplayCheckRow, among, [ids])}
    waiting = sorted(
        (edit for edit in edits if edit.edit_id not in decided), key=lambda edit: edit.ordinal
    )
    harnesses = bench.stored_harnesses(both_harnesses(waiting))
    return [
        Checked(
            candidate_of(
                edit.edit_id,
                stored_proposal(harnesses, edit),
                is_decoy=edit.editor in DECOY_EDITORS,
            ),
            "replay",
            replay=replays.get(edit.edit_id),
        )
        for edit in waiting
    ]


def stored_proposal(harnesses: Mapping[str, Harness], edit: EditRow) -> Proposal:
    """The proposal that a stored edit was."""
    return Proposal(
        parent=harnesses[edit.parent_harness_id],
        child=harnesses[edit.child_harness_id],
        layer=edit.layer,
        artifact=edit.artifact,
        kind=edit.kind,
        title=edit.title,
        manifest=Manifest.model_validate_json(edit.manifest),
        pattern_id=edit.pattern_id,
        revision=edit.revision,
    )


def candidate_of(edit_id: str, proposal: Proposal, *, is_decoy: bool) -> Candidate:
    """What the gate judges of a proposal; the runs it names as evidence are what it must cover."""
    manifest = proposal.manifest
    return Candidate(
        edit_id=edit_id,
        parent=proposal.parent,
        child=proposal.child,
        layer=proposal.layer,
        artifact=proposal.artifact,
        members=tuple(Member(one.trajectory_id, one.step) for one in manifest.evidence),
        predicted_fixes=frozenset(manifest.predicted_fixes),
        predicted_risks=frozenset(manifest.predicted_risks),
        declared_token_increase=manifest.token_increase,
        is_decoy=is_decoy,
    )


def pattern_members(pattern: FailurePatternRow) -> set[str]:
    """Trajectories of a pattern."""
    return {item["trajectory_id"] for item in json.loads(pattern.members)}


def static_context(
    past_edits: Sequence[PastEdit],
    environment: Environment,
    episodes: Sequence[Episode],
    pinned: str = "",
) -> StaticContext:
    """What candidates of a round are checked against; `pinned` is the fingerprint it began with."""
    refused = [past for past in past_edits if past.decision.verdict == "rejected"]
    refusals = Refusals()
    for past in refused:
        if past.decision.reason != "duplicate":
            refusals.add(past.parent, past.child)
    train, closed = _task_list(environment, "train"), _task_list(environment, "select", "sealed")
    parents = [text for past in past_edits[-1:] for text in past.parent.files.values()]
    visible = [environment.system_prompt, *_tool_texts(environment), *_seen(episodes), *parents]
    visible += [task.text for task in train]
    return StaticContext(
        known={
            past.edit.child_harness_id: f"refused as {past.decision.reason}" for past in refused
        },
        refusals=refusals,
        guard=LeakGuard.build(
            gold=gold_texts(environment),
            closed=[task.text for task in closed],
            visible=visible,
            task_ids=[task.task_id for task in (*train, *closed)],
        ),
        visible_text="\n".join(visible),
        pinned_fingerprint=pinned or environment.fingerprint,
        fingerprint=environment.fingerprint,
    )


def pinned_fingerprint(bench: Workbench, cycle_id: str) -> str:
    """Fingerprint of environment and checker when a cycle was opened; empty when unknown."""
    with bench.warehouse.read() as reader:
        cycles = reader.rows(CycleRow, "cycle_id = ?", [cycle_id])
    if not cycles:
        return ""
    return str(json.loads(cycles[0].inputs).get("environment_fingerprint", ""))


def require_pinned(bench: Workbench, plan: CyclePlan, environment: Environment) -> None:
    """Refuse to go on with a cycle whose environment or checker has changed since it was opened.

    Raises:
        ConfigError: it has.
    """
    pinned = pinned_fingerprint(bench, plan.cycle_id)
    if pinned and pinned != environment.fingerprint:
        what = f"environment `{environment.name}` or its checker changed during {plan.cycle_id}"
        what += f": fingerprint {pinned} when it began, {environment.fingerprint} now"
        raise ConfigError(what, hint="run the command again; it opens a new cycle")


def _task_list(environment: Environment, *splits: Split) -> list[Task]:
    return [task for split in splits for task in environment.tasks(split)]


def gold_texts(environment: Environment) -> tuple[str, ...]:
    """Gold answers an environment gives out for leak checks; none when it gives none."""
    return environment.gold_texts() if isinstance(environment, HasGoldTexts) else ()


def _tool_texts(environment: Environment) -> list[str]:
    return [json.dumps(tool.as_openai(), ensure_ascii=False) for tool in environment.tools]


def _seen(episodes: Iterable[Episode]) -> list[str]:
    """Everything an agent saw or said in train episodes."""
    texts: list[str] = []
    for episode in episodes:
        texts.append(episode.task_text)
        texts += [step.observation for step in episode.steps if step.observation]
        texts += [step.text for step in episode.steps if step.text]
        texts += [call.arguments_raw for call in episode.calls if call.arguments_raw]
    return texts
