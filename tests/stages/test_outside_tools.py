"""An agent outside of a cycle: what it is refused, what it is told, and what the gate then does."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from deployments.cli import run
from schemas.forms import CycleForm
from schemas.gate import GateDecisionRow
from schemas.harness import EditRow
from tasks.agent.capabilities import HasGoldTexts
from tasks.environments.registry import resolve_environment
from tasks.outside_cycle import prepare_outside, prepared_plan, try_outside
from tasks.outside_editing import open_outside_desk
from tasks.outside_tools import TOOLS, Tools
from tasks.workbench import Workbench
from warehouse.store import Warehouse

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(900)]

WORLD = "household"
ROOT = Path(__file__).parent.parent.parent
FORM = CycleForm(environment=WORLD, model="simulated:weak", tasks=24)
WORDS = "## Moves\n\nWrite one command a call, such as go to desk 1.\n"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A data folder in which the train tasks have been run and labelled."""
    patch = pytest.MonkeyPatch()
    folder = tmp_path_factory.mktemp("outside") / "home"
    patch.setenv("TACKROOM_HOME", str(folder))
    prepare_outside(FORM)
    yield folder
    patch.undo()


def ask(*calls):
    """Make calls one after the other at one desk."""

    async def work():
        bench = Workbench.open()
        async with open_outside_desk(bench, prepared_plan(FORM)) as outside:
            tools = Tools(outside, asyncio.Lock())
            return [await tools.answer(name, arguments) for name, arguments in calls]

    return asyncio.run(work())


def manifest(layer, episode, **changed):
    return {
        "title": "an edit",
        "layer": layer,
        "evidence": [{"trajectory_id": episode, "step": 0}],
        "root_cause": "r",
        "predicted_fixes": [],
        "predicted_risks": [],
        "why_safe": "w",
        "watch": "f",
    } | changed


def some_run():
    [(text, _)] = ask(("sql", {"query": "SELECT trajectory_id FROM failure_labels LIMIT 1"}))
    return json.loads(text.splitlines()[1])[0]


def edits(home):
    with Warehouse(home).read() as reader:
        return reader.rows(EditRow, "editor = 'mcp'", []), {
            row.edit_id: row for row in reader.rows(GateDecisionRow, "true", [])
        }


def test_queries_files_and_calls_that_reach_further_are_refused(home, attacks):
    episode = some_run()
    queries = [("sql", {"query": one.replace("{home}", str(home))}) for one in attacks.queries]
    files = [
        ("propose_edit", {"files": {path: text}, "manifest": manifest("contract", episode)})
        for path, text in attacks.files
    ]
    calls = [
        ("show", {"id": "traj_" + "0" * 16}),
        ("show", {"id": "edit_" + "0" * 16}),
        ("show", {"id": "harn_" + "0" * 16}),
        ("show", {"id": "../../etc/passwd"}),
        ("run_shell", {"command": "env"}),
        ("list", {"what": "secrets"}),
        ("sql", {}),
        ("propose_edit", {"files": {}, "manifest": manifest("contract", episode)}),
        (
            "propose_edit",
            {
                "files": {"contract.md": WORDS},
                "manifest": manifest("contract", "traj_" + "0" * 16),
            },
        ),
        (
            "propose_edit",
            {
                "files": {"contract.md": WORDS, "actions.py": attacks.url_rule},
                "manifest": manifest("contract", episode),
            },
        ),
    ]
    answers = ask(*queries, *files, *calls)
    assert [text for text, is_refused in answers if not is_refused] == []
    assert not (home / "out.csv").exists()
    assert edits(home)[0] == []


def test_no_answer_holds_a_closed_task_or_a_score_of_one(home):
    episode = some_run()
    answers = ask(
        *(("list", {"what": what}) for what in TOOLS["list"][1]["properties"]["what"]["enum"]),
        ("show", {"id": episode}),
        ("sql", {"query": "SELECT * FROM trajectories"}),
        ("sql", {"query": "SELECT * FROM tasks"}),
        ("gate_status", {}),
    )
    told = json.dumps([text for text, _ in answers], ensure_ascii=False)
    world = resolve_environment(WORLD)
    train = {task.text for task in world.tasks("train")}
    closed = [*world.tasks("sealed"), *world.tasks("select")]
    assert not any(is_refused for _, is_refused in answers)
    assert not [task.text for task in closed if task.text in told and task.text not in train]
    assert not [task.task_id for task in closed if task.task_id in told]
    listed = json.loads(answers[1][0])
    assert set(listed[0]) == {"harness_id", "environment", "names", "layers", "delivery"}


def test_proposals_are_stored_judged_and_tried_by_the_gate(home, attacks):
    episode = some_run()
    world = resolve_environment(WORLD)
    assert isinstance(world, HasGoldTexts)
    leak = attacks.skill + "\n".join(world.gold_texts()[-20:])
    harness = prepared_plan(FORM).base_harness_id
    [(contract, _)] = ask(("show", {"id": harness, "path": "contract.md"}))
    good = {"contract.md": f"{contract}\n{WORDS}"}
    answers = ask(
        ("propose_edit", {"files": good, "manifest": manifest("contract", episode)}),
        ("propose_edit", {"files": good, "manifest": manifest("contract", episode)}),
        (
            "propose_edit",
            {"files": {"actions.py": attacks.url_rule}, "manifest": manifest("actions", episode)},
        ),
        (
            "propose_edit",
            {"files": {"skills/shortcut/SKILL.md": leak}, "manifest": manifest("skills", episode)},
        ),
        ("gate_status", {}),
    )
    texts = [text for text, _ in answers]
    assert "is stored and waits for its paired trial" in texts[0]
    assert "was submitted before" in texts[1]
    assert "reason static" in texts[2]
    assert "reason leak" in texts[3]
    assert "only answers or closed tasks hold" in texts[3]
    status = json.loads(texts[4])
    assert [edit["verdict"] for edit in status["edits"]] == ["open", "rejected", "rejected"]
    assert "tackroom gate trial --cycle" in status["next"]
    [(again, _)] = ask(("propose_edit", {"files": good, "manifest": manifest("contract", episode)}))
    assert "reason duplicate" in again

    result = try_outside("")
    rows, decisions = edits(home)
    assert result["edits"] == [rows[0].edit_id] or len(result["edits"]) == 1
    tried = decisions[result["edits"][0]]
    assert tried.stage not in ("static", "replay")
    assert result["slots_used"] <= 1
    after = json.loads(ask(("gate_status", {}))[0][0])
    assert after["round"] == 2
    assert "open" not in [edit["verdict"] for edit in after["edits"]]
    assert try_outside("")["edits"] == []


def test_the_cap_of_a_round_survives_a_restart_and_a_trial_ends_the_round(
    home, attacks, monkeypatch
):
    monkeypatch.setenv("TACKROOM_EDITOR__PROPOSALS", "1")
    episode = some_run()
    [(status, _)] = ask(("gate_status", {}))
    files = {"actions.py": attacks.url_rule.replace("rule_phone", "rule_call")}
    call = ("propose_edit", {"files": files, "manifest": manifest("actions", episode)})
    assert "is rejected" in ask(call)[0][0]
    text, is_refused = ask(call)[0]
    assert is_refused
    assert "all 1 edits of this round are proposed" in text
    assert try_outside("")["edits"] == []
    [(after, _)] = ask(("gate_status", {}))
    assert json.loads(after)["round"] == json.loads(status)["round"] + 1
    assert json.loads(after)["slots_used"] == json.loads(status)["slots_used"]


def test_an_agent_reaches_the_tools_over_stdio(home):
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "deployments", "mcp", "--environment", WORLD, "--tasks", "24"],
        env=dict(os.environ),
        cwd=ROOT,
    )

    async def work():
        async with Client(server) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            counted = await client.call_tool("sql", {"query": "SELECT count(*) FROM trajectories"})
            refused = await client.call_tool("sql", {"query": "DROP TABLE trajectories"})
            said = [
                next(block.text for block in one.content if block.type == "text")
                for one in (counted, refused)
            ]
            return client.session.instructions, names, said, refused.is_error

    told, names, (counted, refused), is_error = asyncio.run(work())
    assert names == list(TOOLS)
    assert told is not None
    assert "harness has four layers" in told
    assert counted.splitlines()[1] == "[24]"
    assert (is_error, refused[:8]) == (True, "refused:")


def test_a_cycle_that_is_not_prepared_is_said_to_be_so(home, capsys):
    assert run(["mcp", "--environment", WORLD, "--tasks", "6"]) == 2
    said = capsys.readouterr().err
    assert "have not been run" in said
    assert "run `tackroom mcp --prepare` first, with the same options" in said
    assert said.count("\n") == 1


def test_only_a_cycle_of_proposals_from_outside_takes_a_trial(home, capsys):
    assert run(["gate", "trial", "--cycle", "cyc_0000000000000000"]) == 2
    assert "there is no cycle" in capsys.readouterr().err
