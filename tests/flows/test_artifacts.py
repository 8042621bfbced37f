"""Summaries in the UI: no value of a result can act as markup."""

import inspect

import pytest

from flows.evolution_cycle import most_stages
from flows.prefect_stages import as_task, escape, plain, render_summary
from schemas.forms import CycleForm
from tasks.collection import collect_train
from tasks.gating import gate_edits


@pytest.mark.parametrize(
    "evil",
    [
        "<script>x</script>",
        "[click](javascript:x)",
        "![i](http://evil/x.png)",
        "a | b\n| c | d |",
        "http://evil.example/",
        "`code` **bold** {{ x }}",
        "\x1b[31m\u202e\ud800",
    ],
)
def test_markup_loses_its_meaning(evil):
    text = render_summary("t", {"name": evil, evil: 1})
    (row,) = [line for line in text.splitlines() if line.startswith("| name |")]
    assert row.replace("\\|", "").count("|") == 3
    for raw in ("<script", "](", "![", "://", "**bold", "\x1b", "\u202e", "\ud800"):
        assert raw not in text
    text.encode("utf-8")


def test_a_value_of_five_megabytes_is_bounded():
    assert len(escape("*" * 5_000_000)) < 2000
    assert len(plain("x" * 5_000_000)) < 1000


def test_a_picture_shows_shares_as_bars():
    text = render_summary("t", {}, [("before", 0.25), ("after", None)])
    assert "| before | █████░░░░░░░░░░░░░░░ | 25.0 % |" in text
    assert "| after | ░░░░░░░░░░░░░░░░░░░░ | - |" in text


@pytest.mark.parametrize(("simulated", "said"), [(True, True), (False, False)])
def test_a_simulated_model_is_called_so(simulated, said):
    assert ("*simulated* model" in render_summary("t", {"simulated": simulated})) is said


def test_a_stage_takes_a_plan_and_not_the_workbench():
    for stage in (collect_train, gate_edits):
        assert "bench" not in inspect.signature(stage).parameters
        assert next(iter(inspect.signature(stage).parameters)) == "plan"
        as_task(stage)


def test_progress_counts_every_stage_of_a_cycle_that_uses_all_rounds():
    assert most_stages(CycleForm(rounds=0)) == 6
    assert most_stages(CycleForm(rounds=3)) == 21
