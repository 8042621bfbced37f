"""What became of accepted edits, and of released harnesses, as the views tell it."""

from datetime import UTC, datetime, timedelta

import pytest

from schemas.acceptance import ApprovalRow, EditFollowUpRow
from schemas.benefit import BenefitRateRow
from schemas.gate import GateDecisionRow
from schemas.harness import EditRow
from schemas.ids import make_id
from schemas.runs import CycleRow

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CYCLE = make_id("cyc", 1)


def harness_id(number: int) -> str:
    return make_id("harn", number)


def edit(number: int, round_number: int = 1) -> list:
    edit_id = make_id("edit", number)
    row = EditRow(
        edit_id=edit_id,
        cycle_id=CYCLE,
        round=round_number,
        ordinal=number,
        editor="rules",
        parent_harness_id=harness_id(0),
        child_harness_id=harness_id(number),
        layer="contract",
        artifact=f"Section {number}",
        kind="contract_sentence",
        pattern_id=None,
        title="a sentence",
        manifest="{}",
        diff="",
        created_at=NOW,
    )
    decision = GateDecisionRow(
        edit_id=edit_id,
        cycle_id=CYCLE,
        stage="paired",
        verdict="accepted",
        reason="evidence",
        trial_id=None,
        slot=1,
        wins=10,
        losses=0,
        ties=4,
        e_value=186.1,
        threshold=120,
        delta=None,
        delta_lo=None,
        delta_hi=None,
        regressions=0,
        findings="[]",
    )
    return [row, decision]


def follow_up(number: int, *, is_reverted: bool) -> EditFollowUpRow:
    return EditFollowUpRow(
        edit_id=make_id("edit", number),
        cycle_id=CYCLE,
        round=1,
        old_harness_id=harness_id(0),
        new_harness_id=harness_id(9),
        runs=120,
        observed_fixes=5,
        realised_fixes=0 if is_reverted else 3,
        unpredicted_losses=0,
        verdict="falsified" if is_reverted else "holds",
        is_reverted=is_reverted,
    )


def test_falsified_and_unapproved_edits_count_as_rejected(store, fill):
    unapproved = ApprovalRow(
        cycle_id=CYCLE,
        round=2,
        old_harness_id=harness_id(9),
        new_harness_id=harness_id(10),
        answer="rejected",
        decided_by="timeout",
        note="",
        created_at=NOW,
    )
    rows = [*edit(1), *edit(2), *edit(3, round_number=2)]
    rows += [follow_up(1, is_reverted=False), follow_up(2, is_reverted=True), unapproved]
    fill(store, rows)
    with store.read() as reader:
        found = reader.frame("SELECT edit_id, verdict, reason FROM edit_history").rows()
    assert set(found) == {
        (make_id("edit", 1), "accepted", "evidence"),
        (make_id("edit", 2), "rejected", "falsified"),
        (make_id("edit", 3), "rejected", "approval"),
    }


def released(number: int, base: int, final: int, gain: float, hbr: float | None) -> list:
    cycle = CycleRow(
        cycle_id=make_id("cyc", number),
        environment="sqldesk",
        model="simulated:weak",
        reference="simulated:strong",
        editor="rules",
        seed=number,
        base_harness_id=harness_id(base),
        inputs="{}",
        created_at=NOW + timedelta(hours=number),
    )
    rate = BenefitRateRow(
        cycle_id=cycle.cycle_id,
        environment=cycle.environment,
        model=cycle.model,
        reference=cycle.reference,
        base_harness_id=harness_id(base),
        updated_harness_id=harness_id(final),
        tasks=120,
        gain=gain,
        gain_lo=gain - 0.05,
        gain_hi=gain + 0.05,
        reference_gain=0.3,
        hbr=hbr,
        hbr_lo=None if hbr is None else hbr - 0.1,
        hbr_hi=None if hbr is None else hbr + 0.1,
        hbr_headroom=None,
        status="unbounded" if hbr is None else "ok",
        activation=None,
        following=None,
    )
    return [cycle, rate]


@pytest.mark.parametrize(
    ("gain", "hbr", "quadrant"),
    [
        (0.1, 0.9, "both_up"),
        (0.1, 0.52, "accuracy_only"),
        (-0.01, 0.9, "benefit_only"),
        (-0.1, 0.3, "both_down"),
        (0.0, 0.5, "unchanged"),
        (0.1, None, None),
    ],
)
def test_a_release_is_placed_beside_the_one_it_started_from(store, fill, gain, hbr, quadrant):
    fill(store, [*released(1, 0, 1, 0.2, 0.5), *released(2, 1, 2, gain, hbr)])
    query = "SELECT cycle_id, quadrant FROM release_quadrants"
    with store.read() as reader:
        found = dict(reader.frame(query).rows())
    assert found == {make_id("cyc", 1): "first", make_id("cyc", 2): quadrant}
