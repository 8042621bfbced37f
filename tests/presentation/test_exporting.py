"""Why nothing can be exported: each reason is said as it is, with what to do about it."""

import pytest

from schemas.errors import ConfigError, DataContractError, TackroomError
from schemas.evaluation import EvaluationRow
from schemas.ids import make_id
from tasks.diagnosis import finished_cycle
from tasks.exporting import export_examples
from tasks.workbench import Workbench

CLOSED = 'close_cycle:"x"'


def final(build, harness_id):
    return EvaluationRow(
        evaluation_id="final",
        environment="sqldesk",
        model="simulated:weak",
        harness_id=harness_id,
        split="sealed",
        purpose="final",
        cycle_id=build.cycle_id,
        round=None,
        tasks=4,
        successes=1,
        faults=0,
        success=0.25,
        success_lo=0.0,
        success_hi=0.7,
        mean_steps=3.0,
        mean_prompt_tokens=None,
    )


def closed(build):
    return build.event(
        cycle_id=build.cycle_id, stage=CLOSED, state="done", detail="{}", created_at=build.now
    )


def refusal(cycle=""):
    with pytest.raises(TackroomError) as caught:
        export_examples("trl-sft", "", cycle)
    return caught.value


def test_without_any_cycle_one_is_to_be_run_first(fill_home):
    fill_home([])
    error = refusal()
    assert isinstance(error, ConfigError)
    assert error.what == "there is no cycle yet"
    assert "tackroom cycle" in error.hint


@pytest.mark.parametrize(
    ("harness", "reason"),
    [("old", "no edit was accepted"), ("new", "diagnosis found no benefit gap")],
)
@pytest.mark.parametrize("named", [False, True])
def test_a_finished_cycle_without_examples_says_so_and_why(
    build, fill_home, harness, reason, named
):
    fill_home([build.cycle(), final(build, make_id("harn", harness)), closed(build)])
    error = refusal(build.cycle_id if named else "")
    assert isinstance(error, DataContractError)
    assert f"{build.cycle_id} is finished and gave no training example: {reason}" in error.what
    assert "first" not in str(error)
    assert f"diagnose --cycle {build.cycle_id}" in error.hint


def test_a_cycle_that_was_cut_off_is_to_be_continued(build, fill_home):
    fill_home([build.cycle()])
    error = refusal()
    assert "has not come to its end" in error.what
    assert "again" in error.hint


def test_a_cycle_over_imports_never_gives_examples_and_does_not_hide_a_live_one(build, fill_home):
    imported = build.cycle(
        cycle_id=make_id("cyc", "imports"), model="imported", reference="imported"
    )
    fill_home([imported])
    assert "imported history" in refusal().what
    assert "live world" in refusal().hint


def test_the_newest_live_cycle_is_meant_where_history_was_edited_later(build, fill_home):
    later = build.now.replace(year=2027)
    imported = build.cycle(cycle_id=make_id("cyc", "imports"), model="imported", created_at=later)
    rows = [build.cycle(), imported, final(build, make_id("harn", "old")), closed(build)]
    fill_home(rows)
    assert build.cycle_id in refusal().what


def test_what_was_imported_cannot_be_diagnosed_and_that_is_said(build, fill_home):
    fill_home([build.cycle(model="imported", reference="imported")])
    with pytest.raises(ConfigError, match="imported history"):
        finished_cycle(Workbench.open(), build.cycle_id)
