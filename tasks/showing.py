"""Why something happened: one trajectory or one edit, read back from the warehouse."""

from pathlib import Path

from schemas.failures import FailureLabelRow, FailurePatternRow, RuleHitRow
from schemas.gate import GateDecisionRow, PairedTrialRow, ReplayCheckRow
from schemas.harness import EditPredictionRow, EditRow
from schemas.runs import CycleTrajectoryRow
from schemas.trajectories import VerdictRow
from tasks.evaluation_cards import card_record
from tasks.page_file import write_page
from tasks.presentation.document import Document
from tasks.presentation.edit import EditFacts, show_edit
from tasks.presentation.evaluation import show_evaluation
from tasks.presentation.page import render_page
from tasks.presentation.pairs import PairFacts
from tasks.presentation.record import Record, edit_record, trajectory_record
from tasks.presentation.step import ON_PAGE, ON_TERMINAL, Limits
from tasks.presentation.terminal import render_terminal
from tasks.presentation.trajectory import TrajectoryFacts, show_trajectory
from tasks.stored_ids import CARD, EDIT, TRAJECTORY, find_id
from tasks.workbench import Workbench
from warehouse.reader import Reader

_EXAMPLES = """
SELECT example_id FROM training_examples
WHERE trajectory_id = ? OR rejected_trajectory_id = ? ORDER BY 1
"""
_FORKS = "SELECT count(*) FROM trajectories WHERE starts_with(arm, ?)"
_MODEL = "SELECT model FROM cycles WHERE cycle_id = ?"
_BUNDLE = """
SELECT edits.layer || ' ' || edits.artifact AS name
FROM gate_decisions JOIN edits USING (edit_id)
WHERE gate_decisions.trial_id = ? ORDER BY edits.round, edits.ordinal
"""
_RESULTS = "SELECT result, count(*) AS pairs FROM paired_trials WHERE trial_id = ? GROUP BY result"
ELSEWHERE = {
    "cyc_": "a cycle is shown by `tackroom report --cycle ID --out FILE`",
    "harn": "a harness is shown by `tackroom harness show ID`",
}


def show_text(
    which: str, *, color: bool = False, pairs: int | None = None, width: int | None = None
) -> str:
    """A trajectory, an edit or an evaluation for a terminal.

    Raises:
        ConfigError: the id is unknown, or is the start of several.
    """
    document = _document(which, _limits(ON_TERMINAL, pairs))
    return render_terminal(document, color=color, width=width)


def show_html(which: str, path: Path, *, pairs: int | None = None) -> Path:
    """Write a trajectory, an edit or an evaluation as one self-contained page.

    Raises:
        ConfigError: the id is unknown, is the start of several, or the path is a folder.
        OSError: the page cannot be written.
    """
    return write_page(path, render_page(_document(which, _limits(ON_PAGE, pairs))))


def show_record(which: str, *, pairs: int | None = None) -> Record:
    """Any of them as plain values; of an edit every pair, unless `pairs` bounds them.

    Raises:
        ConfigError: the id is unknown, or is the start of several.
    """
    with Workbench.open().warehouse.read() as reader:
        found = _resolve(reader, which.strip())
        if found.startswith("card_"):
            return card_record(reader, found)
        if not found.startswith("edit_"):
            return trajectory_record(_trajectory_facts(reader, found))
        facts = _edit_facts(reader, found, _limits(ON_TERMINAL, 0))
        trial_id = facts.decision.trial_id if facts.decision else None
        return edit_record(facts, _pairs(reader, trial_id or "", pairs))


def _pairs(reader: Reader, trial_id: str, most: int | None) -> list[PairedTrialRow]:
    rows = sorted(
        reader.rows(PairedTrialRow, "trial_id = ?", [trial_id]), key=lambda row: row.ordinal
    )
    if most is None:
        return rows
    return [row for kind in ("loss", "win") for row in [r for r in rows if r.result == kind][:most]]


def _limits(limits: Limits, pairs: int | None) -> Limits:
    if pairs is None:
        return limits
    return Limits(limits.text, limits.fact, limits.steps, pairs, limits.moves)


def _document(which: str, limits: Limits) -> Document:
    with Workbench.open().warehouse.read() as reader:
        found = _resolve(reader, which.strip())
        if found.startswith("card_"):
            return show_evaluation(card_record(reader, found))
        if found.startswith("edit_"):
            return show_edit(_edit_facts(reader, found, limits), limits)
        return show_trajectory(_trajectory_facts(reader, found), limits)


def _resolve(reader: Reader, word: str) -> str:
    hint = ELSEWHERE.get(word[:4], "an id starts with traj_, edit_ or card_; see `tackroom sql`")
    places = TRAJECTORY | EDIT | CARD
    return find_id(reader, word, places, what="trajectory, edit or evaluation", hint=hint)


def _trajectory_facts(reader: Reader, trajectory_id: str) -> TrajectoryFacts:
    one = [trajectory_id]
    return TrajectoryFacts(
        episode=reader.episodes(one)[0],
        labels=tuple(reader.rows(FailureLabelRow, "trajectory_id = ?", one)),
        hits=tuple(reader.rows(RuleHitRow, "trajectory_id = ?", one)),
        uses=tuple(reader.rows(CycleTrajectoryRow, "trajectory_id = ?", one)),
        verdicts=tuple(reader.rows(VerdictRow, "trajectory_id = ?", one)),
        examples=tuple(str(row[0]) for row in reader.frame(_EXAMPLES, [*one, *one]).rows()),
        forks=int(reader.scalar(_FORKS, [f"fork:{trajectory_id}:"]) or 0),
    )


def _edit_facts(reader: Reader, edit_id: str, limits: Limits) -> EditFacts:
    one = [edit_id]
    edit = reader.rows(EditRow, "edit_id = ?", one)[0]
    decision = next(iter(reader.rows(GateDecisionRow, "edit_id = ?", one)), None)
    pattern = reader.rows(FailurePatternRow, "pattern_id = ?", [edit.pattern_id or ""])
    trial = [decision.trial_id if decision and decision.trial_id else ""]
    return EditFacts(
        edit=edit,
        model=str(reader.scalar(_MODEL, [edit.cycle_id]) or ""),
        decision=decision,
        replays=tuple(reader.rows(ReplayCheckRow, "edit_id = ?", one)),
        predictions=tuple(reader.rows(EditPredictionRow, "edit_id = ?", one)),
        pattern=next(iter(pattern), None),
        bundle=tuple(str(row[0]) for row in reader.frame(_BUNDLE, trial).rows()),
        results={str(name): int(count) for name, count in reader.frame(_RESULTS, trial).rows()},
        pairs=_pair_facts(reader, trial[0], limits),
    )


def _pair_facts(reader: Reader, trial_id: str, limits: Limits) -> tuple[PairFacts, ...]:
    """The first won and the first lost pairs of a trial, with their episodes."""
    where = "trial_id = ? AND result = ?"
    rows = [
        row
        for result in ("loss", "win")
        for row in sorted(
            reader.rows(PairedTrialRow, where, [trial_id, result]), key=lambda row: row.ordinal
        )[: limits.pairs]
    ]
    wanted = [
        name
        for row in rows
        for name in (row.old_trajectory_id, row.new_trajectory_id)
        if name is not None
    ]
    episodes = {one.trajectory_id: one for one in reader.episodes(wanted)}
    return tuple(
        PairFacts(
            row,
            episodes.get(row.old_trajectory_id or ""),
            episodes.get(row.new_trajectory_id or ""),
        )
        for row in rows
    )
