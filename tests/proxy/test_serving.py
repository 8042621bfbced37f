"""`tackroom runtime serve` and `land` as a user runs them."""

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(600)]
ROOT = Path(__file__).parents[2]
CALL = [("execute_sql", {"query": "SELECT 1"})]
TOOLS = [{"type": "function", "function": {"name": "execute_sql", "parameters": {}}}]


def harness_folder(folder: Path, words: str) -> str:
    folder.mkdir()
    (folder / "harness.yaml").write_text("api: 1\nname: n\nenvironment: sqldesk\n")
    (folder / "contract.md").write_text(f"## Rules\n\n{words}\n")
    return str(folder)


@pytest.fixture
def command(command_line):
    return command_line()


@pytest.fixture
def serve(command):
    """Start a proxy of the command line's data folder; gives its base URL and process."""

    @contextmanager
    def start(*arguments, env=None):
        process = subprocess.Popen(
            [sys.executable, "-m", "deployments", "runtime", "serve", "--json", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**command.environ, **(env or {})},
        )
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            assert line, process.stderr and process.stderr.read()
            yield json.loads(line)["url"], process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)

    return start


def ask(url, session="", content="How many?"):
    body = {"model": "m", "messages": [{"role": "user", "content": content}], "tools": TOOLS}
    headers = {"Content-Type": "application/json", "X-Session-Id": session}
    request = urllib.request.Request(f"{url}/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


@pytest.fixture
def upstream(scripted_endpoint):
    """An endpoint that says how its system message ends, and what it was told."""
    told = []

    def script(body):
        told.append(body["messages"][0]["content"])
        return CALL

    return next(v for v in scripted_endpoint(script).values() if v.startswith("http")), told


def test_a_rollback_takes_effect_on_the_next_call(command, serve, upstream, tmp_path):
    command("init")
    url, told = upstream
    for name in ("first", "second"):
        folder = harness_folder(tmp_path / name, f"This is the {name}.")
        options = ("--environment", "sqldesk", "--to", "released", "--force", "--reason", "test")
        command("harness", "promote", folder, *options)
    with serve("--environment", "sqldesk", "--upstream", url) as (proxy, _):
        ask(proxy)
        command("harness", "rollback", "--environment", "sqldesk")
        ask(proxy)
    assert ["second" in told[0], "first" in told[1]] == [True, True]


def test_traffic_lands_as_trajectories_also_after_a_kill(command, serve, upstream, tmp_path):
    url, _ = upstream
    folder = harness_folder(tmp_path / "h", "Quote all names.")
    with serve("--harness", folder, "--upstream", url, "--mode", "split:0.5") as (proxy, process):
        for number in range(12):
            ask(proxy, session=f"s{number}")
        os.kill(process.pid, signal.SIGKILL)
    assert command("runtime", "land", "--json").json["waiting"] == 12
    landed = command("runtime", "land", "--all", "--json").json
    assert (landed["conversations"], landed["unreadable"]) == (12, 0)
    query = "SELECT arm, count(*) AS n, min(propensity) AS p FROM traffic_sessions GROUP BY arm"
    rows = command("sql", query, "--json").json["rows"]
    assert sum(row["n"] for row in rows) == 12
    assert {row["arm"] for row in rows} == {"treatment", "control"}
    assert {row["p"] for row in rows} == {0.5}
    assert command("runtime", "land", "--all", "--json").json["conversations"] == 0
    assert not list((command.home / "traffic").glob("*.jsonl"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--upstream", "ftp://x"), "is not an http(s) address"),
        (("--upstream", "http://127.0.0.1:9/v1", "--mode", "half"), "there is no mode"),
        (("--upstream", "http://127.0.0.1:9/v1", "--host", "0.0.0.0"), "no token is set"),
        (("--upstream", "http://127.0.0.1:9/v1", "--control", "seed"), "has no meaning"),
        (("--upstream", "http://127.0.0.1:9/v1"), "neither --harness nor --environment"),
        (
            ("--upstream", "http://127.0.0.1:9/v1", "--environment", "sqldesk"),
            "nothing of `sqldesk` has been released",
        ),
    ],
)
def test_what_cannot_be_served_is_one_line(command, arguments, said):
    named = () if "nothing" in said or "neither" in said else ("--harness", "seed")
    named += ("--environment", "sqldesk") if named else ()
    ran = command("runtime", "serve", *named, *arguments, check=False)
    assert ran.code == (1 if ran.code == 1 else 2)
    assert said in ran.last_line
    assert "Traceback" not in ran.err


def test_asking_twice_ends_the_proxy_while_a_request_is_under_way(
    serve, scripted_endpoint, tmp_path
):
    is_asked, may_answer = threading.Event(), threading.Event()

    def script(body):
        is_asked.set()
        may_answer.wait(60)
        return CALL

    upstream = next(v for v in scripted_endpoint(script).values() if v.startswith("http"))
    folder = harness_folder(tmp_path / "h", "Quote all names.")
    with (
        serve("--harness", folder, "--upstream", upstream) as (url, process),
        ThreadPoolExecutor(1) as pool,
    ):
        waiting = pool.submit(ask, url)
        assert is_asked.wait(30)
        process.send_signal(signal.SIGTERM)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=1)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=5) == -signal.SIGTERM
        may_answer.set()
        with pytest.raises((OSError, http.client.HTTPException)):
            waiting.result(timeout=30)
