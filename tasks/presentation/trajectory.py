"""A trajectory as a document: outcome, why it failed, every step, where it is used."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.episode import Episode
from schemas.failures import FailureLabelRow, RuleHitRow
from schemas.notes import AgentNoteRow
from schemas.runs import CycleTrajectoryRow
from schemas.trajectories import TrajectoryRow, VerdictRow
from tasks.presentation.cutting import as_facts, number, on_one_line, shown
from tasks.presentation.document import Document, Facts, Group, Passage, Table, facts
from tasks.presentation.step import Evidence, Limits, show_step

SIMULATED = "simulated"
CONSTRAINED = "constrained decoding"
HIDES = "so calls that cannot be executed could not show"


@dataclass(frozen=True)
class TrajectoryFacts:
    """Everything stored about one trajectory."""

    episode: Episode
    labels: tuple[FailureLabelRow, ...] = ()
    hits: tuple[RuleHitRow, ...] = ()
    uses: tuple[CycleTrajectoryRow, ...] = ()
    verdicts: tuple[VerdictRow, ...] = ()
    examples: tuple[str, ...] = ()
    forks: int = 0


def show_trajectory(found: TrajectoryFacts, limits: Limits) -> Document:
    """Lay out a trajectory; every foreign text is bounded by the limits."""
    row = found.episode.trajectory
    groups = [
        Group("Outcome", (_outcome(row), *_faults(row))),
        *(_label(label, limits) for label in found.labels),
        *_later_verdicts(found.verdicts),
        Group("Task", (Passage("", shown(found.episode.task_text or "unknown", limits.text)),)),
        *_prompts(found.episode, limits),
        *_notes(found.episode, limits),
        *_steps(found, limits),
        _lineage(found),
    ]
    badges = (SIMULATED,) if is_simulated(row.model) else ()
    if any(one.kind == "constrain" for one in found.episode.interventions):
        badges = (*badges, CONSTRAINED)
    lead = f"{row.outcome}, {row.termination}: {row.model} on {row.task_id}"
    return Document(row.trajectory_id, on_one_line(lead, limits.text), tuple(groups), badges)


def is_simulated(model: str) -> bool:
    """Whether a model is one of ours that only plays a model."""
    return model.startswith("simulated:")


def _outcome(row: TrajectoryRow) -> Facts:
    budget = f" of {row.budget}" if row.budget is not None else ""
    tokens = f"{number(row.prompt_tokens)} in, {number(row.completion_tokens)} out"
    users = f"{number(row.user_prompt_tokens)} in, {number(row.user_completion_tokens)} out"
    if row.user_cost_usd is not None:
        users += f", {row.user_cost_usd:.4f} USD"
    values: tuple[tuple[str, object], ...] = (
        ("outcome", f"{row.outcome} (rule {row.outcome_rule})"),
        ("ended", " / ".join(filter(None, [row.termination, row.termination_raw]))),
        ("reward", number(row.reward)),
        ("reward parts", "" if row.reward_parts == "{}" else as_facts(row.reward_parts, 400)),
        ("steps", f"{row.steps}{budget}"),
        ("tokens", "" if row.prompt_tokens is None else tokens),
        ("cost", "" if row.cost_usd is None else f"{row.cost_usd:.4f} USD"),
        ("user's tokens", "" if row.user_prompt_tokens is None else users),
        ("environment", row.environment),
        ("task", f"{row.task_id} ({row.split})"),
        ("model", row.model),
        ("harness", row.harness_id),
        ("seed", f"{row.seed}, repeat {row.repeat}, arm {row.arm}, {row.origin}"),
        ("not recorded", "" if row.lost_evidence == "[]" else row.lost_evidence),
    )
    return facts(*((name, shown(str(value or ""), 2000)) for name, value in values))


def _faults(row: TrajectoryRow) -> tuple[Passage, ...]:
    if row.fault is None:
        return ()
    text = shown(row.fault, 2000)
    return (Passage("fault of infrastructure, not of the agent", text, "bad"),)


def _label(label: FailureLabelRow, limits: Limits) -> Group:
    step = "no step" if label.step_index is None else f"step {label.step_index}"
    gold = "read expected actions or the final state" if label.uses_gold else ""
    values = facts(
        ("label", f"{label.bullet} {label.category}"),
        ("rule", label.rule),
        ("at", step),
        ("said by", f"{label.source}, taxonomy {label.taxonomy_version}"),
        ("with", gold),
        ("signature", as_facts(label.signature, limits.fact)),
        ("other rules", "" if label.runner_ups == "[]" else as_facts(label.runner_ups, 400)),
    )
    evidence = Passage("evidence", as_facts(label.evidence, limits.fact), "mark")
    return Group("Why it failed", (values, evidence), "mark")


def _later_verdicts(verdicts: Sequence[VerdictRow]) -> tuple[Group, ...]:
    if not verdicts:
        return ()
    rows = tuple(
        (
            on_one_line(row.source, 80),
            row.outcome,
            number(row.reward),
            "disputed" if row.disputed else "",
        )
        for row in verdicts
    )
    columns = ("source", "outcome", "reward", "doubt")
    return (Group("Later verdicts", (Table("Verdicts that came later", columns, rows),)),)


def _prompts(episode: Episode, limits: Limits) -> list[Group]:
    row = episode.trajectory
    prompts = (
        ("System prompt", row.system_prompt_id),
        ("Tool definitions", row.tools_prompt_id),
    )
    return [
        Group(
            f"{title} ({len(text):,} characters)",
            (Passage("", shown(text, limits.text)),),
            folded=True,
        )
        for title, prompt_id in prompts
        if (text := episode.prompt_text(prompt_id))
    ]


def _notes(episode: Episode, limits: Limits) -> list[Group]:
    """What the agent was shown of its own writing."""
    passages = tuple(
        Passage(_note_label(note), shown(note.text, limits.text)) for note in episode.notes
    )
    return [Group("Notes of the agent to itself", passages)] if passages else []


def _note_label(note: AgentNoteRow) -> str:
    about = f" on {note.about_trajectory_id}" if note.about_trajectory_id else ""
    return f"{note.kind}{about}{', of an earlier trial' if note.carried else ''}"


def _steps(found: TrajectoryFacts, limits: Limits) -> list[Group]:
    episode, evidence = found.episode, gather_evidence(found.labels, found.hits)
    results = {call.result_step_index for call in episode.calls} - {None}
    marked = {index for index, _ in evidence} | {one.step_index for one in episode.interventions}
    visible = [
        step
        for step in episode.steps
        if step.role != "tool" or step.step_index not in results or step.step_index in marked
    ]
    groups = [
        show_step(episode, step, evidence, limits)
        for step in visible[: limits.steps]
        if step.step_index is not None
    ]
    if len(visible) > limits.steps:
        groups.append(Group(f"{len(visible) - limits.steps:,} more steps are left out"))
    return groups


def gather_evidence(
    labels: Sequence[FailureLabelRow], hits: Sequence[RuleHitRow]
) -> dict[tuple[int, str], Evidence]:
    """What rules saw, by step and rule; the deciding label comes before mere hits."""
    found: dict[tuple[int, str], Evidence] = {}
    for label in labels:
        if label.step_index is not None:
            head = f"label {label.bullet} by {label.source}, rule {label.rule}"
            found[label.step_index, label.rule] = Evidence(head, label.evidence, is_label=True)
        for step in _hit_steps(label.evidence):
            found.setdefault((step, label.rule), Evidence(f"seen by rule {label.rule}", "{}"))
    for hit in hits:
        if hit.step_index is not None:
            head = f"rule {hit.rule} ({hit.bullet})" + ("" if hit.decisive else ", not decisive")
            found.setdefault((hit.step_index, hit.rule), Evidence(head, hit.evidence))
    return found


def _hit_steps(evidence: str) -> list[int]:
    try:
        steps = json.loads(evidence).get("hit_steps")
    except (ValueError, RecursionError, AttributeError):
        return []
    return [step for step in steps if type(step) is int] if isinstance(steps, list) else []


def _lineage(found: TrajectoryFacts) -> Group:
    uses = tuple((row.cycle_id, on_one_line(row.purpose, 80)) for row in found.uses)
    sources = tuple(
        (on_one_line(row.source_file, 200), str(row.source_index), row.source_format)
        for row in found.episode.sources
    )
    blocks: list[Table | Facts] = []
    if uses:
        blocks.append(Table("Cycles that used it", ("cycle", "purpose"), uses))
    if sources:
        columns = ("file", "position", "format")
        blocks.append(Table("Files it was found in", columns, sources, numeric=("position",)))
    blocks.append(
        facts(
            ("forks of it", found.forks or ""),
            ("examples", ", ".join(found.examples[:20])),
            ("more examples", max(0, len(found.examples) - 20) or ""),
            ("fingerprints", f"environment {found.episode.trajectory.environment_fingerprint}"),
        )
    )
    return Group("Where it comes from and is used", tuple(blocks))
