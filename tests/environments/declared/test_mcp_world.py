"""A world over an MCP server on stdio: a server an episode, writes, crashes, hangs."""

import shlex
import sys
from pathlib import Path

import pytest

from schemas.errors import ConfigError, EnvironmentFault
from schemas.settings import Settings
from tasks.agent.offers import lasting_tools, most_together
from tasks.agent.protocols import Call
from tasks.environments.declared.environment import open_folder

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
SERVER = Path(__file__).parents[2] / "own_world" / "notes_server.py"
COMMAND = shlex.join([sys.executable, str(SERVER)])
WORLD = """
name = "notes"
kind = "mcp"
tasks = "tasks.jsonl"

[service]
upstream = '''{upstream}'''
{service}

{reset}

[verdict]
by = "state"
look = "list_notes"
"""
TASK = '{"task_id": "1", "text": "Note milk.", "expected": {"notes": ["milk"]}, "split": "train"}'


@pytest.fixture
def open_notes(tmp_path):
    """Open a world over the server."""

    def make(*, service="", reset="[reset]\nrestart = true", upstream=COMMAND):
        text = WORLD.format(upstream=upstream, service=service, reset=reset)
        (tmp_path / "world.toml").write_text(text)
        (tmp_path / "tasks.jsonl").write_text(TASK)
        return open_folder(tmp_path, Settings())

    return make


def begin(environment):
    return environment.start(environment.tasks("train")[0], 7)


def test_each_episode_has_a_server_of_its_own(open_notes):
    environment = open_notes()
    assert most_together(environment) == 8
    assert lasting_tools(environment) == frozenset()
    one, other = begin(environment), begin(environment)
    one.act(Call("add_note", {"text": "milk"}))
    assert one.act(Call("list_notes", {})).observation == '{"notes": ["milk"]}'
    assert other.act(Call("list_notes", {})).observation == '{"notes": []}'
    one.act(Call("finish", {}))
    other.act(Call("finish", {}))
    assert one.verdict().outcome == "success"
    assert other.verdict().outcome == "failure"
    one.close()
    other.close()


def test_tools_without_a_read_only_hint_write_and_without_a_reset_they_last(open_notes):
    environment = open_notes(reset="", service='hidden = ["hang"]')
    assert environment.write_tools == {"add_note", "crash"}
    assert lasting_tools(environment) == {"add_note", "crash"}
    assert "hang" not in {tool.name for tool in environment.tools}


def test_refusals_are_results(open_notes):
    world = begin(open_notes())
    assert world.act(Call("add_note", {})).is_error
    assert world.act(Call("nope", {})).error_kind == "unknown_tool"
    assert world.act(Call("add_note", {"text": "milk"})).observation == '{"notes": 1}'
    world.close()


def test_a_server_that_dies_or_hangs_is_a_fault_of_its_episode(open_notes):
    environment = open_notes(service="timeout_s = 1.5")
    world = begin(environment)
    with pytest.raises(EnvironmentFault, match="has ended"):
        world.act(Call("crash", {}))
    world.close()
    world = begin(environment)
    with pytest.raises(EnvironmentFault, match=r"no answer in 1\.5 s"):
        world.act(Call("hang", {}))
    world.close()
    world = begin(environment)
    assert not world.act(Call("list_notes", {})).is_error
    world.close()


def test_a_command_sees_the_variables_that_are_passed_and_they_come_back_hidden(
    open_notes, monkeypatch
):
    monkeypatch.setenv("NOTES_KEY", "open-sesame")
    monkeypatch.setenv("OTHER_KEY", "shut")
    world = begin(open_notes(service='pass_env = ["NOTES_KEY"]'))
    assert world.act(Call("tell", {"text": "OTHER_KEY"})).observation == "not set"
    assert world.act(Call("tell", {"text": "NOTES_KEY"})).observation == "[REDACTED]"
    world.close()


def test_a_program_that_is_no_server_is_told(open_notes):
    with pytest.raises(ConfigError, match="there is no program"):
        open_notes(upstream="no-such-program-anywhere")
    with pytest.raises(ConfigError, match="cannot be used"):
        open_notes(upstream=shlex.join([sys.executable, "-c", "print('hello')"]))
