"""An external coding agent gets a throw-away workspace; only plain harness files come back."""

import asyncio
import json
import os
import shlex
import sys
import time
from pathlib import Path

import pytest

from schemas.errors import ConfigError
from schemas.settings import EditorSettings
from tasks.editor.command_editor import CommandEditor
from tasks.editor.registry import Parts, create_editor
from tasks.editor.workshop import Workshop

STAND_IN = Path(__file__).with_name("agent_stand_in.py")


def command(*words):
    return f"command:{shlex.join([sys.executable, str(STAND_IN), *words])}"


def make(word, environ=None, **caps):
    workshop = Workshop(EditorSettings(**caps), train_tasks=("desk/lookup/1", "desk/lookup/2"))
    environ = {"PATH": os.environ["PATH"]} if environ is None else environ
    editor = create_editor(word, Parts(workshop=workshop, environ=environ))
    assert isinstance(editor, CommandEditor)
    return editor


def run(word, brief, environ=None, **caps):
    editor = make(word, environ, **caps)
    return editor, asyncio.run(editor.propose(brief))


def refusals(editor):
    return {one.tool: one.refused for one in editor.sessions[0].entries if one.refused}


@pytest.fixture
def brief(make_brief, make_episode, make_pattern, said, turn):
    won = [make_episode(1, [turn("hand_in", {})], won=True)]
    lost = [make_episode(n, [said("All done.")], won=False) for n in (1, 2, 3)]
    pattern = make_pattern(lost, {"kind": "required_tool_missing", "tool": "hand_in"}, bullet="EC1")
    return make_brief([*won, *lost], [pattern])


def test_each_changed_artifact_becomes_a_proposal_with_what_was_said_of_it(brief):
    editor, found = run(command("edit"), brief)
    assert [(one.layer, one.artifact) for one in found] == [
        ("actions", "rule_note"),
        ("contract", "Final call"),
    ]
    assert found[1].title == "End with hand_in"
    assert found[1].manifest.predicted_fixes == ("desk/lookup/1",)
    assert found[1].manifest.evidence[0].step == 0
    assert found[0].manifest.root_cause == ""
    (session,) = editor.sessions
    assert (session.stop, session.exit_code, session.proposals) == ("finished", 0, 2)
    assert session.prompt_tokens is None
    said = {one.role: one.content for one in session.entries if one.role != "file"}
    assert said["stdout"] == "done True\n"
    assert "Failures of train runs" in said["user"]


def test_what_must_not_come_back_is_refused_by_name_and_nothing_else_happens(brief):
    editor, found = run(command("attack"), brief)
    assert found == []
    told = refusals(editor)
    assert {
        "contract.md": "is no plain file",
        "harness.yaml": "harness.yaml cannot be changed by an editor",
        "actions.py": "is larger than 65536 bytes (50000000)",
        "regulation.py": "is no UTF-8 text",
        "workflow.yaml": "is no plain file",
        "deep/a/b": "lies too deep",
        "skills/linked": "is a link",
        "outside.txt": "lies outside the harness folder",
        "edits.json": "edits.json is no plain file",
    }.items() <= told.items()
    assert "no file of a harness" in told["notes.txt"]
    assert "no file of a harness" in told["__init__.py"]
    assert "no file of a harness" in told["skills/UPPER/SKILL.md"]
    assert "invisible character U+202E" in told["skills/hidden/SKILL.md"]
    assert "front matter" in told["skills/broken/SKILL.md"]


@pytest.mark.parametrize(
    "changes",
    [
        {"evidence": [{"trajectory_id": "traj_0", "step": 0}]},
        {"predicted_fixes": ["desk/sealed/1"]},
        {"pattern_id": "pat_0"},
        {"layer": "budget"},
        {"surprise": 1},
    ],
)
def test_a_manifest_with_unknown_ids_is_dropped_with_the_reason(brief, changes):
    claim = {
        "artifact": "Final call",
        "title": "t",
        "layer": "contract",
        "evidence": [{"trajectory_id": brief.episodes[1].trajectory_id, "step": None}],
        "root_cause": "r",
        "predicted_fixes": [],
        "predicted_risks": [],
        "why_safe": "w",
        "watch": "f",
    }
    editor, (proposal,) = run(command("bad_claims", json.dumps(claim | changes)), brief)
    assert proposal.manifest.root_cause == ""
    assert "edits.json" in refusals(editor)
    _, (proposal,) = run(command("bad_claims", json.dumps(claim)), brief)
    assert proposal.manifest.root_cause == "r"


def test_the_command_sees_the_variables_it_is_given_and_a_home_of_its_own(brief):
    editor, _ = run(command("environment"), brief, {"PATH": os.environ["PATH"], "LANG": "C"})
    seen = json.loads(editor.sessions[0].entries[1].content)
    ours = {"PATH", "LANG", "HOME", "TMPDIR", "TACKROOM_COMMAND_RUN"}
    assert seen.keys() - {"LC_CTYPE", "__CF_USER_TEXT_ENCODING"} == ours
    assert seen["HOME"] != os.environ.get("HOME")
    assert not Path(seen["HOME"]).exists()


def test_a_command_that_fails_is_a_fault_with_bounded_output(brief):
    editor, found = run(command("talk"), brief)
    assert found == []
    (session,) = editor.sessions
    assert (session.stop, session.exit_code, session.detail) == ("exit", 3, "exit code 3")
    assert session.entries[-1].content == "last words\n"
    assert len(session.entries[1].content) < 30_000


def test_a_program_that_is_not_there_is_a_fault(brief):
    editor, found = run("command:/nowhere/agent {prompt}", brief)
    assert found == []
    assert editor.sessions[0].stop == "exit"
    assert "cannot start '/nowhere/agent'" in editor.sessions[0].detail


def is_alive(pid):
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def test_a_command_that_hangs_is_killed_with_all_its_children(brief, tmp_path):
    pids = tmp_path / "pids"
    started = time.monotonic()
    editor, found = run(command("hang", str(pids)), brief, timeout_s=3)
    assert found == []
    assert time.monotonic() - started < 30
    assert (editor.sessions[0].stop, editor.sessions[0].detail) == ("time", "killed after 3 s")
    children = pids.read_text().split()
    assert len(children) == 2
    deadline = time.monotonic() + 5
    while any(map(is_alive, children)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_alive, children))


def test_a_linked_harness_folder_is_not_followed(brief):
    editor, found = run(command("replace_folder"), brief)
    assert found == []
    assert refusals(editor)["harness"] == "is no folder any more"


def test_a_refused_edit_is_mended_by_another_run_on_the_candidate(brief):
    editor = make(command("mend"))
    (first,) = asyncio.run(editor.propose(brief))
    second = asyncio.run(editor.revise(first, ["acts nowhere"]))
    assert second is not None
    assert second.child != first.child
    assert "acts nowhere" in editor.sessions[1].entries[0].content
    assert asyncio.run(editor.revise(second, ["again"])) is None
    assert asyncio.run(editor.revise(second, ["again"])) is None
    assert len(editor.sessions) == 3


def test_edits_over_the_cap_are_refused_by_name(brief):
    editor, found = run(command("edit"), brief, proposals=1)
    assert [one.artifact for one in found] == ["rule_note"]
    assert refusals(editor) == {"Final call": "over 1 edits in a round"}


@pytest.mark.parametrize(
    "word", ["command:", "command:  ", "command:'open", "command", "command:''"]
)
def test_a_template_that_names_no_command_is_one_clear_error(word):
    with pytest.raises(ConfigError) as caught:
        create_editor(word)
    assert "\n" not in str(caught.value)
