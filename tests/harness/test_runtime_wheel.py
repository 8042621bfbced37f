import json
import os
import re
import subprocess
import sys
import threading
import venv
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUNTIME = ROOT / "deployments" / "runtime"
RESCUE = '''import re


def rule_rescue_sql(action, context):
    """SQL written as prose is meant as a call."""
    found = re.search(r"SELECT[^`]*", action["raw_text"])
    if action["tool"] is None and found:
        arguments = {"sql": found.group(0).strip()}
        return {"kind": "rescue", "tool": "execute_sql", "arguments": arguments}
'''
HINT = '''def rule_same_result(history, context):
    """The same result twice leads nowhere."""
    if len(history) > 1 and history[-1]["observation"] == history[-2]["observation"]:
        return {"kind": "hint", "message": "You have seen this result before."}


def rule_enough(history, context):
    if len(history) == 3:
        return {"kind": "stop"}
'''
PROSE = {"role": "assistant", "content": "I would run `SELECT 1`."}
CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {
            "id": "c1",
            "type": "function",
            "function": {"name": "execute_sql", "arguments": '{"sql": "SELECT 1"}'},
        }
    ],
}


@pytest.fixture
def endpoint():
    replies, seen = [PROSE, CALL, CALL], []

    class Script(BaseHTTPRequestHandler):
        def do_POST(self):
            seen.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            choice = {"index": 0, "finish_reason": "stop", "message": replies[len(seen) - 1]}
            body = json.dumps(
                {"id": "r", "object": "chat.completion", "created": 0, "model": "any"}
                | {"choices": [choice]}
            ).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Script)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1", seen
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    out = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out)]
    subprocess.run([*build, str(RUNTIME)], check=True, capture_output=True, timeout=120)
    (built,) = out.glob("tackroom_runtime-*.whl")
    return built


@pytest.mark.slow
def test_the_wheel_holds_the_same_sources_and_is_typed(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    sources = {f"tackroom_runtime/{path.name}" for path in (ROOT / "tasks/harness").glob("*.py")}
    assert sources | {"tackroom_runtime/py.typed"} <= names
    assert not any(name.endswith(".pyc") for name in names)
    assert all(name.startswith("tackroom_runtime") for name in names)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_an_exported_harness_runs_in_a_fresh_environment(wheel, endpoint, make, tmp_path):
    url, seen = endpoint
    make(actions=RESCUE, regulation=HINT, contract="Use the tools.\n").export(tmp_path / "harness")
    readme = (RUNTIME / "README.md").read_text()
    examples = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    (agent,) = (text for text in examples if "asyncio.run" in text)
    (tmp_path / "agent.py").write_text(agent)
    venv.create(tmp_path / "venv", with_pip=True)
    python = str(tmp_path / "venv" / "bin" / "python")
    install = [python, "-m", "pip", "install", "-q", str(wheel), "openai"]
    subprocess.run(install, check=True, capture_output=True, timeout=400)
    done = subprocess.run(
        [python, "agent.py", "harness", "Count the rows."],
        cwd=tmp_path,
        env={**os.environ, "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    executed = 'executed execute_sql {"sql": "SELECT 1"}'
    hinted = f"{executed}\n\nHint: You have seen this result before."
    assert done.stdout.rstrip("\n") == "\n".join([executed, hinted, executed])
    assert seen[0]["messages"][0] == {"role": "system", "content": "Use the tools."}
    assert seen[2]["messages"][-1] == {"role": "user", "content": hinted}
    assert len(seen) == 3
