"""An editor's word is checked before anything starts; commands see none of our keys."""

import asyncio
import sys

import pytest

from schemas.errors import ConfigError
from tasks.editor.command_editor import CommandEditor
from tasks.editor.protocols import Brief
from tasks.editor.workshop import Workshop
from tasks.editor_words import check_editor, command_environ, editor_fingerprint, open_editor
from tasks.harness import Harness
from tasks.workbench import Workbench

BRIEF = Brief("desk", Harness.from_files({"harness.yaml": "api: 1\nenvironment: desk\n"}))


@pytest.fixture
def bench(tmp_path, monkeypatch):
    """Opens a workbench with a configured endpoint and these further variables."""
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "TACKROOM_ROLES__EDITOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TACKROOM_MODELS__LOCAL__BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("TACKROOM_MODELS__LOCAL__MODEL", "m")
    monkeypatch.setenv("TACKROOM_MODELS__LOCAL__API_KEY_ENV", "LOCAL_KEY")
    monkeypatch.setenv("LOCAL_KEY", "sk-very-secret-1234567890")

    def open_with(**variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        return Workbench.open()

    return open_with


@pytest.mark.parametrize(
    "word",
    ["rules", "null", "random", "openai:local", "prompt:local", f"command:{sys.executable} x.py"],
)
def test_editors_that_can_be_used_pass(bench, word):
    check_editor(bench(), word)
    assert editor_fingerprint(bench(), word)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("", "there is no editor ''"),
        ("rule", "did you mean 'rules'?"),
        ("rules:x", "there is no editor"),
        ("openai:", "names no endpoint"),
        ("openai:nowhere", "there is no [models.nowhere]"),
        ("prompt:", "names no endpoint"),
        ("prompt", "[roles] editor"),
        ("prompt:nowhere", "there is no [models.nowhere]"),
        ("command:", "names no command"),
        ("command:'", "cannot be split"),
        ("command:agent --key sk-abcdefghij0123456789abcd", "looks like a key"),
        ("command:no-such-program-here {prompt}", "there is no program 'no-such-program-here'"),
        ("command:" + "x" * 5000, "there is no editor"),
        ("x\ny", "there is no editor 'x y'"),
    ],
)
def test_a_wrong_word_is_one_clear_line(bench, word, said):
    with pytest.raises(ConfigError) as caught:
        check_editor(bench(), word)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_prompt_takes_the_model_of_the_editors_role(bench):
    check_editor(bench(TACKROOM_ROLES__EDITOR="openai:local"), "prompt")


def test_a_command_sees_few_variables_and_those_that_are_named(bench):
    seen = command_environ(
        bench(AGENT_KEY="theirs", TACKROOM_EDITOR__PASS_ENV='["AGENT_KEY"]').settings
    )
    assert seen["AGENT_KEY"] == "theirs"
    assert "PATH" in seen
    assert seen.keys() <= {"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "TZ", "AGENT_KEY"}
    assert "sk-very-secret-1234567890" not in seen.values()


@pytest.mark.parametrize("name", ["LOCAL_KEY", "OPENAI_API_KEY", "TACKROOM_HOME", "COPIED_KEY"])
def test_a_key_of_ours_is_never_passed_on(bench, name):
    variables = {"COPIED_KEY": "sk-very-secret-1234567890", "OPENAI_API_KEY": "sk-other"}
    settings = bench(TACKROOM_EDITOR__PASS_ENV=f'["{name}"]', **variables).settings
    with pytest.raises(ConfigError) as caught:
        command_environ(settings)
    assert f"{name} is a key or setting of ours" in str(caught.value)
    assert "sk-" not in str(caught.value)


def test_a_named_variable_that_is_not_set_is_said(bench):
    with pytest.raises(ConfigError, match="NOT_THERE is not set"):
        command_environ(bench(TACKROOM_EDITOR__PASS_ENV='["NOT_THERE"]').settings)


def test_caps_and_guide_are_part_of_what_an_editor_is(bench, tmp_path):
    guide = tmp_path / "guide.md"
    guide.write_text("Prefer short rules.")
    plain = editor_fingerprint(bench(), "openai:local")
    with_guide = editor_fingerprint(bench(TACKROOM_EDITOR__GUIDE=str(guide)), "openai:local")
    capped = editor_fingerprint(bench(TACKROOM_EDITOR__TOKENS="1000"), "openai:local")
    assert len({plain, with_guide, capped}) == 3


def test_a_guide_that_cannot_be_read_is_one_clear_line(bench, tmp_path):
    with pytest.raises(ConfigError, match="cannot be read"):
        check_editor(bench(TACKROOM_EDITOR__GUIDE=str(tmp_path / "none.md")), "openai:local")


def test_files_of_the_folder_one_starts_from_are_found_from_the_workspace(
    bench, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agent.py").write_text("import sys\nsys.stdout.write('found')\n")
    word = f"command:{sys.executable} agent.py"

    async def work():
        async with open_editor(bench(), word, Workshop()) as editor:
            assert isinstance(editor, CommandEditor)
            await editor.propose(BRIEF)
            return editor.sessions[0]

    session = asyncio.run(work())
    assert (session.stop, session.entries[1].content) == ("finished", "found")
