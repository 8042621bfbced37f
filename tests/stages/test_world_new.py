"""`env new`: folders that can be checked as they are, or one line that says why there is none."""

import json
import sys
from pathlib import Path

import pytest

from deployments.cli import run
from tests.own_world import desk_service

NOTES = Path(__file__).parents[1] / "own_world" / "notes_server.py"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A user's folder with the desk's files."""
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("TACKROOM_ALLOW_SIDE_EFFECTS", raising=False)
    monkeypatch.chdir(tmp_path)
    desk_service.write_files(tmp_path)
    return tmp_path


def said(capsys, *arguments):
    code = run([*arguments, "--json"])
    out, err = capsys.readouterr()
    return code, json.loads(out) if out else err


def test_a_python_world_passes_its_check_as_it_is_made(folder, capsys):
    code, made = said(capsys, "env", "new", "boxes", "--kind", "python")
    assert code == 0
    assert made["files"] == ["tasks.csv", "world.py", "world.toml"]
    code, report = said(capsys, "env", "check", made["word"])
    assert code == 0, report["findings"]
    assert report["counts"]["gold"]["passed"] == 10
    assert report["grades"]["restore"]["value"] == "yes"
    assert {one["runs"] for one in report["stages"]} == {"yes", "less"}


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.tsv"])
def test_a_python_world_reads_the_tasks_it_is_given(folder, capsys, name):
    rows = [("task_id", "text"), *((f"{n}", f"Pack {n}.") for n in range(10))]
    text = "\n".join("\t".join(row) for row in rows)
    if name.endswith("jsonl"):
        text = "\n".join(json.dumps(dict(zip(rows[0], row, strict=True))) for row in rows[1:])
    (folder / name).write_text(text + "\n")
    assert said(capsys, "env", "new", "boxes", "--kind", "python", "--tasks", name)[0] == 0
    code, report = said(capsys, "env", "check", "boxes")
    assert code == 0, report["findings"]
    assert sum(report["tasks"].values()) == 10


def test_a_world_without_a_reset_needs_permission_and_is_refused_alike(folder, capsys):
    arguments = ("env", "new", "desk", "--kind", "http", "--openapi", "openapi.json")
    code, made = said(capsys, *arguments)
    assert code == 0
    refused = [
        ("env", "check", "./desk"),
        ("collect", "--environment", "./desk"),
        ("evaluate", "--environment", "./desk", "--harness", "seed"),
        ("cycle", "--environment", "./desk", "--model", "noop"),
    ]
    for words in refused:
        assert run(list(words)) == 2
        assert "--allow-side-effects" in capsys.readouterr().err
    assert made["word"] == "world:desk"


def test_the_options_fill_the_file(folder, capsys):
    tasks = ("--tasks", "tasks.csv", "--look", "GET /orders/{order_id}")
    kind = ("--kind", "http", "--openapi", "openapi.json", "--upstream", "http://127.0.0.1:9/x/")
    assert said(capsys, "env", "new", "desk", *kind, *tasks, "--reset", "./reset.sh --all")[0] == 0
    text = (folder / "desk" / "world.toml").read_text()
    assert 'base_url = "http://127.0.0.1:9/x"' in text
    assert 'command = "./reset.sh --all"' in text
    assert 'look = "GET /orders/{order_id}"' in text


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_an_mcp_world_passes_its_check_as_it_is_made(folder, capsys):
    upstream = ("--upstream", f"{sys.executable} {NOTES}", "--reset", "restart")
    assert said(capsys, "env", "new", "notes", "--kind", "mcp", *upstream)[0] == 0
    path = folder / "notes" / "world.toml"
    path.write_text(path.read_text().replace("[service]", '[service]\nhidden = ["crash", "hang"]'))
    code, report = said(capsys, "env", "check", "notes", "--tasks", "1")
    assert code == 0, report["findings"]
    assert report["counts"]["noop"]["passed"] == 0
    assert report["grades"]["reset"]["value"] == "yes"


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("Desk", "--kind", "python"), "is no name of a world"),
        (("sqldesk", "--kind", "python"), "the name of another environment"),
        (("desk", "--kind", "http"), "needs --openapi"),
        (("desk", "--kind", "mcp"), "needs --upstream"),
        (("desk", "--kind", "python", "--verdict", "judge"), "judges and begins anew by itself"),
        (("desk", "--kind", "http", "--openapi", "no.json"), "cannot be read"),
        (("desk", "--kind", "python", "--tasks", "bad.csv"), "line 3: no `text`"),
        (("home_of_others", "--kind", "python", "--folder", "taken"), "is there already"),
    ],
)
def test_a_mistake_is_one_line_and_leaves_nothing_behind(folder, capsys, words, hint):
    (folder / "bad.csv").write_text("task_id,text\n1,a\n2,\n")
    (folder / "taken" / "home_of_others").mkdir(parents=True)
    before = sorted(folder.rglob("*"))
    assert run(["env", "new", *words]) == 2
    assert hint in capsys.readouterr().err
    assert sorted(folder.rglob("*")) == before
