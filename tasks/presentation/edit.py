"""An edit as a document: what it changes and why, what the gate saw, pairs won and lost."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.failures import FailurePatternRow
from schemas.fields import Verdict
from schemas.gate import GateDecisionRow, PairedTrialRow, ReplayCheckRow
from schemas.harness import EditPredictionRow, EditRow
from tasks.presentation.cutting import (
    cut,
    number,
    on_one_line,
    percent,
    plain,
    points,
    shown,
    visible,
)
from tasks.presentation.document import Diff, Document, Facts, Group, Passage, Table, Tone, facts
from tasks.presentation.pairs import PairFacts, show_pair
from tasks.presentation.step import Limits
from tasks.presentation.trajectory import SIMULATED, is_simulated

MANY = 10
_TONES: dict[Verdict, Tone] = {"accepted": "good", "rejected": "bad", "undecided": "dim"}


@dataclass(frozen=True)
class EditFacts:
    """Everything stored about one edit.

    Attributes:
        bundle: titles of the edits that were tried together, this one included.
        pairs: won and lost pairs with their episodes, at most as many as are shown.
        results: pairs of the trial by result.
    """

    edit: EditRow
    model: str
    decision: GateDecisionRow | None = None
    replays: tuple[ReplayCheckRow, ...] = ()
    predictions: tuple[EditPredictionRow, ...] = ()
    pattern: FailurePatternRow | None = None
    bundle: tuple[str, ...] = ()
    trial: PairedTrialRow | None = None
    results: dict[str, int] | None = None
    pairs: tuple[PairFacts, ...] = ()


def show_edit(found: EditFacts, limits: Limits) -> Document:
    """Lay out an edit; every foreign text is bounded by the limits."""
    edit, decision = found.edit, found.decision
    verdict = f"{decision.verdict}, {decision.reason}" if decision else "waits for its verdict"
    lead = f"{verdict}: {edit.layer} {edit.artifact}. {edit.title}"
    diff = visible(cut(edit.diff, 5 * limits.text))
    groups = [
        Group("Edit", (_edit(edit),)),
        _why(found, limits),
        Group("Change", (Diff(diff),)),
        _replay(found),
        _decision(found, limits),
        *_pairs(found, limits),
    ]
    badges = (SIMULATED,) if is_simulated(found.model) else ()
    return Document(edit.edit_id, on_one_line(lead, 1000), tuple(groups), badges)


def _edit(edit: EditRow) -> Facts:
    return facts(
        ("title", on_one_line(edit.title, 500)),
        ("layer", edit.layer),
        ("artifact", f"{on_one_line(edit.artifact, 200)} ({on_one_line(edit.kind, 80)})"),
        ("editor", on_one_line(edit.editor, 200)),
        ("cycle", f"{edit.cycle_id}, round {edit.round}, proposal {edit.ordinal + 1}"),
        ("parent", edit.parent_harness_id),
        ("child", edit.child_harness_id),
        ("revises", edit.revises or ""),
    )


def _why(found: EditFacts, limits: Limits) -> Group:
    manifest = _as_object(found.edit.manifest)
    places = manifest.get("evidence")
    texts = facts(
        *((name.replace("_", " "), plain(manifest.get(name) or "", limits.fact)) for name in _TEXTS)
    )
    foreseen = facts(
        *((name.replace("_", " "), _listed(manifest.get(name))) for name in _LISTS),
        ("evidence", _listed([_place(one) for one in places] if isinstance(places, list) else [])),
    )
    blocks: list[Facts | Passage] = [texts, foreseen]
    if found.pattern is not None:
        blocks.insert(0, _pattern(found.pattern))
    if not (texts.rows or foreseen.rows or found.pattern):
        blocks = [Passage("", "The editor gave no reason.", "dim")]
    return Group("Why", tuple(blocks))


_TEXTS = ("root_cause", "why_safe", "watch")
_LISTS = ("predicted_fixes", "predicted_risks")


def _place(one: object) -> str:
    if not isinstance(one, dict):
        return plain(one, 80)
    step = "" if one.get("step") is None else f" step {plain(one.get('step'), 20)}"
    return f"{plain(one.get('trajectory_id'), 64)}{step}"


def _pattern(row: FailurePatternRow) -> Facts:
    runs = f"{row.runs} failed runs of {row.tasks} tasks"
    family = f", family {row.family}" if row.family else ""
    return facts(
        ("pattern", f"{row.pattern_id}: {row.bullet} {row.category}, rule {row.rule}"),
        ("seen in", on_one_line(f"{runs}{family}", 300)),
        ("trigger", plain(row.signature, 400)),
    )


def _replay(found: EditFacts) -> Group:
    if not found.replays:
        text = "Not replayed: static checks decided, or replay has not run."
        return Group("Replay over stored trajectories", (Passage("", text, "dim"),))
    columns = (
        "artifact",
        "fires on failures",
        "on successes",
        "precision",
        "false fire",
        "in time",
        "result",
    )
    rows = tuple(
        (
            on_one_line(row.artifact, 120),
            f"{row.fires_on_failures} of {row.failures}",
            f"{row.fires_on_successes} of {row.successes}",
            percent(row.trigger_precision),
            percent(row.false_fire),
            percent(row.coverage),
            "passed" if row.passed else row.reason,
        )
        for row in found.replays
    )
    risks = [task for row in found.replays for task in _as_list(row.tasks_at_risk)]
    foreseen = [row.task_id for row in found.predictions if row.forecaster == "replay"]
    blocks = (
        Table("What the artifact would have done", columns, rows, numeric=columns[1:6]),
        facts(("tasks at risk", _listed(risks)), ("tasks touched", _listed(foreseen))),
    )
    return Group("Replay over stored trajectories", blocks)


def _decision(found: EditFacts, limits: Limits) -> Group:
    row = found.decision
    if row is None:
        text = "The gate has not decided yet."
        return Group("Decision", (Passage("", text, "dim"),))
    results = found.results or {}
    values = facts(
        ("verdict", f"{row.verdict}, {row.reason}, decided by {row.stage}"),
        ("pairs", f"{row.wins} won, {row.losses} lost, {row.ties} tied" if row.trial_id else ""),
        ("not paired", results.get("invalid") or ""),
        (
            "e-value",
            f"{number(row.e_value)}, needed {number(row.threshold)}" if row.e_value else "",
        ),
        (row.objective, points(row.delta, row.delta_lo, row.delta_hi)),
        ("regressions", row.regressions if row.trial_id else ""),
        ("slot", row.slot),
        ("trial", row.trial_id),
        ("bundle", _bundle(found.bundle)),
    )
    findings = tuple(
        Passage("found", plain(text, limits.fact), "bad" if row.verdict == "rejected" else "")
        for text in _as_list(row.findings)
    )
    return Group("Decision", (Passage("", row.verdict, _TONES[row.verdict]), values, *findings))


def _against(e_value: float | None, threshold: float | None) -> str:
    return "" if e_value is None else f"{number(e_value)}, needed {number(threshold)}"


def _bundle(titles: Sequence[str]) -> str:
    if len(titles) < 2:
        return ""
    shown_titles = "\n".join(on_one_line(title, 200) for title in titles)
    return f"the trial tried {len(titles)} edits together:\n{shown_titles}"


def _pairs(found: EditFacts, limits: Limits) -> list[Group]:
    results = found.results or {}
    groups: list[Group] = []
    for result, title in (("loss", "Lost pairs"), ("win", "Won pairs")):
        members = [pair for pair in found.pairs if pair.trial.result == result][: limits.pairs]
        total = results.get(result, 0)
        if total:
            left = total - len(members)
            rest = (Group(f"{left} more are not shown"),) if left else ()
            blocks = (*(show_pair(pair, limits) for pair in members), *rest)
            groups.append(Group(f"{title} ({total})", blocks))
    return groups


def _listed(values: object) -> str:
    items = [plain(value, 120) for value in values] if isinstance(values, list) else []
    more = f" and {len(items) - MANY} more" if len(items) > MANY else ""
    return f"{len(items)}: {', '.join(items[:MANY])}{more}" if items else ""


def _as_object(text: str) -> dict[str, object]:
    value = _parse(text)
    return value if isinstance(value, dict) else {}


def _as_list(text: str) -> list[object]:
    value = _parse(text)
    return value if isinstance(value, list) else [value] if value else []


def _parse(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return shown(text, 2000)
