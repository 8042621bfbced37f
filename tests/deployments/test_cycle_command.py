"""`tackroom cycle` as it is typed: what it says besides its result, and when it needs a server."""

import json
import re
import socket
import urllib.request

import pytest

from deployments.server import is_healthy, prefect_server

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(600)]
SMALL = ("cycle", "--environment", "household", "--tasks", "3", "--rounds", "1", "--json")
FOREIGN = re.compile(r"^\d\d:\d\d:\d\d|\| (INFO|WARNING|ERROR) |Traceback|Warning:|Error logging")


def foreign_lines(ran):
    return [line for line in ran.err.splitlines() if FOREIGN.search(line)]


def ask(api_url, path):
    request = urllib.request.Request(
        f"{api_url}{path}", data=b"{}", headers={"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.loads(response.read())


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    """A server, and whether it answered when the work for meanwhile was called."""
    answered = []
    home = tmp_path_factory.mktemp("server")
    with prefect_server(
        home, environ={}, meanwhile=lambda api_url: answered.append(is_healthy(api_url))
    ) as api_url:
        yield api_url, answered


@pytest.fixture(scope="module")
def ran(make_command_line, started):
    """A finished cycle, and the command line that made it."""
    command = make_command_line("small", {"PREFECT_API_URL": started[0]})
    return command(*SMALL), command


def test_libraries_are_loaded_once_and_while_the_server_starts(started):
    assert started[1] == [False]


def test_no_library_speaks_up_in_a_cycle(ran):
    assert foreign_lines(ran[0]) == []


def test_each_stage_is_one_line_with_what_it_did(ran):
    stages = re.findall(r"(?m)^([a-z ]+(?:, [a-z0-9 ]+)?): .*\b\d+ s$", ran[0].err)
    assert len(stages) == len(set(stages))
    assert {"collect train, round 1", "gate edits, round 1", "score sealed, final"} <= set(stages)
    assert "collect train, round 1: 3 rollouts" in ran[0].err
    assert "\r" not in ran[0].err


def test_a_finished_cycle_is_answered_without_a_server_and_with_the_same_keys(ran):
    first, command = ran
    alone = {key: value for key, value in command.environ.items() if key != "PREFECT_API_URL"}
    again = type(command)(command.home, alone)(*SMALL)
    assert again.json["already_done"] is True
    assert list(again.json) == list(first.json)
    assert not (command.home / "server.log").exists()


def test_a_failing_cycle_is_one_line_here_and_a_log_in_the_ui(make_command_line, started):
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{held.getsockname()[1]}/v1"
        environ = {
            "PREFECT_API_URL": started[0],
            "TACKROOM_MODELS__DEAD__BASE_URL": url,
            "TACKROOM_MODELS__DEAD__MODEL": "m",
            "TACKROOM_MODELS__DEAD__LIMITS__MAX_RETRIES": "0",
        }
        command = make_command_line("dead", environ)
        ran = command(*SMALL, "--model", "openai:dead", check=False)
    assert ran.code == 1
    assert ran.out == ""
    assert foreign_lines(ran) == []
    assert ran.last_line.startswith("tackroom: ")
    assert "connection refused" in ran.last_line
    logs = ask(started[0], "/logs/filter")
    assert any("connection refused" in log["message"] for log in logs)
