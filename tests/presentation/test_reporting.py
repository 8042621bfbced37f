"""What commands count: a key that two commands share means the same in both."""

import re
from pathlib import Path

import pytest

from deployments.cli import run
from schemas.editors import EditorSessionRow
from schemas.evaluation import EvaluationRow
from schemas.forms import CycleForm
from schemas.ids import make_id
from schemas.plans import CyclePlan
from tasks.harness_rows import harness_rows
from tasks.harness_store import describe_harness, find_harness, stored_harnesses
from tasks.report_page import write_report
from tasks.reporting import count_edits, is_without_editor, render_summary, summarize_cycle
from tasks.workbench import seed_harness

JUDGED = [
    {"layer": "contract", "verdict": "accepted", "reason": "evidence"},
    {"layer": "skills", "verdict": "rejected", "reason": "false_fire"},
    {"layer": "skills", "verdict": "undecided", "reason": "no_live_world"},
    {"layer": "actions", "verdict": None, "reason": None},
]


def plan_of(build):
    return CyclePlan(cycle_id=build.cycle_id, form=CycleForm(), base_harness_id=make_id("harn", 1))


def test_layers_count_accepted_edits_only():
    counted = count_edits(JUDGED)
    assert counted["by_layer"] == {"contract": 1}
    assert counted["by_reason"] == {"evidence": 1, "false_fire": 1, "no_live_world": 1}
    assert (counted["proposed"], counted["accepted"]) == (4, 1)


def test_a_summary_and_a_report_count_the_edits_of_a_cycle_alike(build, fill_home, tmp_path):
    refused = make_id("edit", "refused")
    fill_home(
        [
            build.cycle(),
            build.edit(),
            build.decision(),
            build.edit(edit_id=refused, ordinal=1, layer="skills"),
            build.decision(
                edit_id=refused, verdict="rejected", reason="static", trial_id=None, slot=None
            ),
            build.edit(edit_id=make_id("edit", "waits"), ordinal=2, layer="actions"),
        ]
    )
    summary = summarize_cycle(plan_of(build))
    report = write_report("", tmp_path / "report.html")
    assert summary["edits"] == report["edits"]
    assert summary["edits"]["proposed"] == 3
    assert summary["edits"]["by_layer"] == {"contract": 1}


def session(build, ordinal, stop, detail="", refusals=0):
    return EditorSessionRow(
        session_id=make_id("sess", ordinal),
        cycle_id=build.cycle_id,
        round=1,
        ordinal=ordinal,
        editor="command:late",
        purpose="propose",
        turns=1,
        calls=0,
        refusals=refusals,
        proposals=0,
        rollouts=0,
        prompt_tokens=None,
        completion_tokens=None,
        cost_usd=None,
        exit_code=None,
        stop=stop,
        detail=detail,
        duration_s=4.0,
        created_at=build.now,
    )


def test_an_editor_that_failed_is_not_one_without_ideas(build, fill_home, tmp_path):
    fill_home([build.cycle(), session(build, 0, "time", "killed after 4 s", 2)])
    write_report("", tmp_path / "report.html")
    assert "killed after 4 s" in (tmp_path / "report.html").read_text()
    failed = summarize_cycle(plan_of(build))
    assert failed["editor_sessions"]["last_fault"] == "killed after 4 s"
    assert is_without_editor(failed)
    assert "1 of 1 sessions failed: killed after 4 s; 2 calls or files refused" in render_summary(
        failed
    )


def test_an_editor_that_had_no_idea_has_not_failed(build, fill_home):
    fill_home([build.cycle(), session(build, 0, "silent")])
    idle = summarize_cycle(plan_of(build))
    assert not is_without_editor(idle)
    assert "editor  " not in render_summary(idle)


@pytest.mark.parametrize(
    ("model", "reference", "simulated"),
    [
        ("openai:m", "simulated:strong", True),
        ("gold", "openai:m", True),
        ("openai:gold", "openai:m", False),
    ],
)
def test_a_summary_and_a_report_call_the_same_cycles_simulated(
    build, fill_home, tmp_path, model, reference, simulated
):
    fill_home([build.cycle(model=model, reference=reference)])
    assert summarize_cycle(plan_of(build))["simulated"] is simulated
    assert write_report("", tmp_path / "report.html")["simulated"] is simulated


def test_a_list_of_harnesses_and_one_harness_tell_layers_alike(fill_home):
    harness = seed_harness("sqldesk")
    fill_home(harness_rows(harness))
    (listed,) = stored_harnesses()
    assert listed["layers"] == describe_harness(find_harness(harness.harness_id))["layers"]
    assert listed["names"] == []


def scored(number, model, split, success, tasks=100, **changes):
    values = {
        "evaluation_id": f"eval{number}",
        "environment": "sqldesk",
        "model": model,
        "harness_id": seed_harness("sqldesk").harness_id,
        "split": split,
        "purpose": "evaluate",
        "cycle_id": None,
        "round": None,
        "tasks": tasks,
        "successes": success * tasks,
        "faults": 0,
        "success": success,
        "success_lo": 0.0,
        "success_hi": 1.0,
        "mean_steps": 3.0,
        "mean_prompt_tokens": None,
    }
    return EvaluationRow.model_validate(values | changes)


@pytest.fixture
def listed(monkeypatch, fill_home, capsys):
    """The columns of the one stored harness with some scores."""
    monkeypatch.setenv("COLUMNS", "200")

    def show(*scores):
        fill_home([*harness_rows(seed_harness("sqldesk")), *scores])
        assert run(["harness", "list"]) == 0
        head, ruler, row = capsys.readouterr().out.splitlines()
        edges = [found.span() for found in re.finditer("-+", ruler)]
        return {head[a:b].strip(): row[a:b].strip() for a, b in edges}

    return show


def test_a_list_of_harnesses_shows_the_success_its_help_promises(listed):
    shown = listed(
        scored(1, "simulated:weak", "sealed", 0.25),
        scored(2, "simulated:weak", "sealed", 0.5, tasks=6),
        scored(3, "gold", "select", 1.0),
    )
    assert shown["sealed"] == "25.0%"
    assert shown["select"] == ""
    assert shown["layers"] == "all"


def test_success_of_several_models_is_told_with_their_names(listed):
    shown = listed(
        scored(1, "simulated:weak", "select", 0.25), scored(2, "openai:m", "select", 0.75)
    )
    assert shown["select"] == "openai:m 75.0%, simulated:weak 25.0%"


def test_every_key_of_a_result_is_explained(build, fill_home, tmp_path):
    text = (Path(__file__).parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"`([a-z_]+)`", text))
    harness = seed_harness("sqldesk")
    fill_home([build.cycle(), build.edit(), build.decision(), *harness_rows(harness)])
    results = [
        summarize_cycle(plan_of(build)),
        count_edits(JUDGED),
        write_report("", tmp_path / "report.html"),
        *stored_harnesses(),
        describe_harness(harness),
    ]
    for result in results:
        assert result.keys() <= explained
