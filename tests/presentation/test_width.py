"""Every table of the command line fits 80 columns, whatever ids and names it shows."""

import pytest

from deployments.cli import run
from deployments.commands.stages import _as_text
from schemas.ids import make_id
from tasks.harness_rows import harness_rows
from tasks.workbench import seed_harness

LONG = "a_name_that_somebody_gave_to_an_artifact_without_thinking_of_terminals_" * 2
TITLE = "Say what a commit needs before it can be made, name both tools, and give an example of it."
EDIT = {
    "edit_id": make_id("edit", 1),
    "environment": LONG,
    "editor": "rules",
    "layer": "contract",
    "artifact": LONG,
    "kind": "contract_sentence",
    "title": TITLE,
    "pattern_id": make_id("pat", 1),
    "child_harness_id": make_id("harn", 1),
    "verdict": "undecided",
    "reason": "no_live_world",
    "rate_on_failures": 0.25,
    "tasks_at_risk": [LONG, LONG],
}
ENVIRONMENT = {
    "environment": LONG,
    "cycle_id": make_id("cyc", 1),
    "base_harness_id": make_id("harn", 2),
    "successes": 1234,
    "failures": 5678,
    "labels": {"environment_contract": 12, "trajectory_degeneration": 34},
    "patterns": 12,
    "eligible": 9,
}
GAP = {"rank": 1, "family": LONG, "gap_type": "not_followed", "artifact": LONG, "severity": 0.25}
FILE = {"source_file": f"/{LONG}/{LONG}.json", "source_format": "tau2_bench", "episodes": 100}
REFUSAL = {"place": f"{LONG}.json:17", "reason": TITLE}


def widest(text):
    return max(len(line) for line in text.splitlines())


@pytest.fixture
def narrow(monkeypatch, capsys):
    """Runs a command on 80 columns and gives what it prints."""
    monkeypatch.setenv("COLUMNS", "80")

    def say(*arguments):
        assert run(list(arguments)) in (0, 1)
        return capsys.readouterr().out

    return say


@pytest.mark.parametrize(
    "result",
    [
        {"edits": [EDIT, EDIT], "environments": [ENVIRONMENT], "by_reason": {LONG: 1, TITLE: 2}},
        {"files": [FILE], "refusals": [REFUSAL]},
        {"gaps": [GAP], "note": TITLE * 3, "model": "openai:m"},
    ],
)
def test_results_of_stages_fit_and_name_what_they_are_about(monkeypatch, result):
    monkeypatch.setenv("COLUMNS", "80")
    text = _as_text(result)
    assert widest(text) <= 80
    flat = "".join(text.split())
    for rows in result.values():
        for row in rows if isinstance(rows, list) else []:
            assert any(str(value)[:20] in flat for value in row.values() if value != "rules")


def test_stored_harnesses_fit(build, fill_home, narrow):
    harness = seed_harness("sqldesk")
    harness = harness.put("contract", LONG[:110], TITLE * 3)
    fill_home([*harness_rows(harness), *harness_rows(seed_harness("household"))])
    listed = narrow("harness", "list")
    assert widest(listed) <= 80
    assert harness.harness_id in listed
    table, *_ = narrow("harness", "show", harness.harness_id).split("\n---")
    assert widest(table) <= 80


def test_what_is_shown_of_an_edit_fits_in_its_tables(build, fill_home, narrow):
    fill_home(
        [
            build.cycle(),
            build.edit(artifact=LONG),
            build.decision(),
            build.replay(artifact=LONG, reason="false_fire", passed=False),
        ]
    )
    text = narrow("show", build.edit_id)
    replay = text[text.index("What the artifact would") : text.index("tasks at risk")]
    assert widest(replay) <= 80
    assert "8 of 80" in replay


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM edits",
        "SELECT edit_id, artifact, title FROM edits",
        "SELECT edit_id, cycle_id, parent_harness_id FROM edits",
    ],
)
def test_answers_of_queries_fit(build, fill_home, narrow, query):
    fill_home([build.cycle(), build.edit(artifact=LONG, title=TITLE)])
    text = narrow("sql", query)
    assert widest(text) <= 80
    assert build.edit_id in text


def test_a_pipe_without_a_width_gets_one_line_a_row(build, fill_home, monkeypatch, capsys):
    fill_home([build.cycle(), build.edit(artifact=LONG, title=TITLE)])
    monkeypatch.delenv("COLUMNS", raising=False)
    run(["sql", "SELECT edit_id, artifact, title FROM edits"])
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_the_installation_check_fits(fill_home, narrow):
    fill_home([])
    assert widest(narrow("doctor")) <= 80
