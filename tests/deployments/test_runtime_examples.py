"""Each example of the runtime package, run against a scripted endpoint where its package is."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tasks.harness
from tasks.harness import Harness

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "deployments" / "runtime" / "examples"
NEEDS = {
    "openai_loop": ("openai",),
    "openai_agents": ("openai", "agents"),
    "langgraph_agent": ("openai", "langgraph"),
    "mcp_client": ("openai", "mcp"),
}
ACTIONS = '''import re


def rule_prose(action, context):
    """SQL written as prose is meant as a call."""
    found = re.search("`(.*)`", action["raw_text"])
    if action["tool"] is None and found:
        return {"kind": "rescue", "tool": "execute_sql", "arguments": {"sql": found.group(1)}}


def rule_drop(action, context):
    if "DROP" in action["arguments"].get("sql", ""):
        return {"kind": "block", "message": "Never drop a table."}


def rule_number(action, context):
    if action["arguments"].get("sql") == "SELECT two":
        return {"kind": "rewrite", "tool": "execute_sql", "arguments": {"sql": "SELECT 2"}}
'''
REGULATION = """def rule_second(history, context):
    if len(history) == 2:
        return {"kind": "hint", "message": "Two turns so far."}


def rule_after_a_block(history, context):
    if history[-1]["observation"].startswith("Never"):
        return {"kind": "force", "tool": "execute_sql", "arguments": {"sql": "SELECT 3"}}


def rule_enough(history, context):
    if len(history) == 5:
        return {"kind": "stop"}
"""
REPLIES = [
    "I would run `SELECT 1`.",
    [("execute_sql", {"sql": "SELECT two"})],
    [("execute_sql", {"sql": "DROP TABLE t"})],
    [("execute_sql", {"sql": "SELECT 4"})],
    "No rule stopped me.",
]
SERVER = """
from mcp.server.mcpserver import MCPServer

server = MCPServer("desk")


@server.tool()
def execute_sql(sql: str) -> str:
    "Run one SQL statement."
    return f"executed {sql}"


server.run()
"""
# The endpoint speaks chat completions, and the SDK would else report its runs elsewhere.
CHAT_ONLY = """
import agents
agents.set_default_openai_api("chat_completions")
agents.set_tracing_disabled(True)
"""
START = (
    "import runpy, sys; sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
)


@pytest.fixture
def harness():
    files = {
        "harness.yaml": "api: 1\nenvironment: desk\n",
        "contract.md": "Use the tools.\n",
        "actions.py": ACTIONS,
        "regulation.py": REGULATION,
    }
    return Harness.from_files(files)


@pytest.fixture
def started(scripted_endpoint, tmp_path):
    """Runs an example against a harness; gives the requests it made and what it printed."""
    seen = []

    def answer(body):
        seen.append(body)
        return REPLIES[len(seen) - 1]

    def go(name, harness):
        harness.export(tmp_path / "harness")
        (tmp_path / "tackroom_runtime").symlink_to(ROOT / "tasks" / "harness")
        (tmp_path / "server.py").write_text(SERVER)
        endpoint = scripted_endpoint(answer)["TACKROOM_MODELS__SCRIPTED__BASE_URL"]
        extra = {"OPENAI_BASE_URL": endpoint, "OPENAI_API_KEY": "none"}
        code = (CHAT_ONLY if name == "openai_agents" else "") + START
        script, folder = str(EXAMPLES / f"{name}.py"), str(tmp_path / "harness")
        more = [sys.executable, str(tmp_path / "server.py")] if name == "mcp_client" else []
        done = subprocess.run(
            [sys.executable, "-c", code, script, folder, "Count the rows.", *more],
            env={**os.environ, **extra, "PYTHONPATH": f"{tmp_path}{os.pathsep}{EXAMPLES}"},
            capture_output=True,
            text=True,
            timeout=110,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return seen, done.stdout

    return go


def said(request):
    """Texts of a request, whatever message of the conversation holds them."""
    return json.dumps([message.get("content") for message in request["messages"]])


@pytest.mark.slow
@pytest.mark.parametrize("name", NEEDS)
def test_an_example_does_all_that_the_harness_asks_for(harness, started, name):
    for package in NEEDS[name]:
        pytest.importorskip(package)
    seen, printed = started(name, harness)
    assert seen[0]["messages"][0] == {"role": "system", "content": "Use the tools."}
    assert seen[0]["tools"][0]["function"]["name"] == "execute_sql"
    assert "executed SELECT 1" in said(seen[1])
    assert "executed SELECT 2\\n\\nHint: Two turns so far." in said(seen[2])
    assert "Never drop a table." in said(seen[3])
    assert "executed SELECT 3" in said(seen[3])
    assert len(seen) == 4, "the stop of the harness ends the run"
    assert "executed SELECT 4" in printed
    assert "executed DROP" not in printed + said(seen[3])


def test_examples_are_short_and_use_only_what_the_package_offers():
    paths = sorted(EXAMPLES.glob("*.py"))
    assert {path.stem for path in paths} == {*NEEDS, "desk"}
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert len(text.splitlines()) < 40, path.name
        imports = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]
        used = [one.name for n in imports if n.module == "tackroom_runtime" for one in n.names]
        assert set(used) <= set(tasks.harness.__all__), path.name


def test_the_first_example_of_the_readme_prints_what_stands_below_it(tmp_path):
    readme = (ROOT / "deployments" / "runtime" / "README.md").read_text(encoding="utf-8")
    code, printed = re.findall(r"```(?:python)?\n(.*?)```", readme, re.DOTALL)[:2]
    rule = (
        "def rule_no_drop(action, context):\n"
        "    if 'DROP' in action['arguments'].get('sql', ''):\n"
        "        return {'kind': 'block', 'message': 'Never drop a table.'}\n"
    )
    files = {"harness.yaml": "api: 1\nenvironment: desk\n", "actions.py": rule}
    Harness.from_files(files).export(tmp_path / "my-harness")
    (tmp_path / "tackroom_runtime").symlink_to(ROOT / "tasks" / "harness")
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert (done.stdout, done.stderr) == (printed, "")
