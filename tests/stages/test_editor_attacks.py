"""What an editor tries and must not do ends in a refusal row, over the wire and through the stages.

The agent is scripted: an endpoint on loopback that makes one attack after the other.
"""

import json
import re

import pytest

from schemas.forms import CycleForm
from schemas.gate import GateDecisionRow
from schemas.harness import EditRow
from schemas.plans import ProposeResult
from tasks.agent.capabilities import HasGoldTexts
from tasks.annotation import annotate_round
from tasks.collection import collect_train
from tasks.cycle import open_cycle
from tasks.editing import propose_edits
from tasks.environments.registry import resolve_environment
from tasks.workbench import Workbench
from warehouse.store import Warehouse

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(900)]

WORLD = "household"


def script(opening, home, gold, attacks):
    """Calls of the replies, one list each."""
    run = re.findall(r"case of pat_\w+: (traj_\w+) step", opening)[0]
    claim = {
        "title": "attack",
        "layer": "contract",
        "evidence": [{"trajectory_id": run, "step": 0}],
        "root_cause": "r",
        "predicted_fixes": [],
        "predicted_risks": [],
        "why_safe": "w",
        "watch": "f",
    }
    rule, skill = claim | {"layer": "actions"}, claim | {"layer": "skills"}
    return [
        [("query", {"sql": one.replace("{home}", home)}) for one in attacks.queries],
        [("write_file", {"path": path, "text": text}) for path, text in attacks.files],
        [
            ("query", {"sql": "SELECT count(*), count(DISTINCT task_id) FROM trajectories"}),
            ("write_file", {"path": "actions.py", "text": attacks.url_rule}),
            ("check", {}),
            ("submit", rule | {"evidence": [{"trajectory_id": "traj_" + "0" * 16, "step": 0}]}),
            ("submit", rule),
            (
                "write_file",
                {"path": "skills/shortcut/SKILL.md", "text": attacks.skill + gold},
            ),
            ("submit", skill),
            ("run_shell", {"command": "env"}),
            ("finish", {}),
        ],
    ]


@pytest.fixture
def agent(scripted_endpoint, tmp_path, attacks):
    """Settings of the scripted agent, and the bodies it was sent."""
    world = resolve_environment(WORLD)
    assert isinstance(world, HasGoldTexts)
    gold = "\n".join(world.gold_texts()[-20:])
    bodies = []

    def attack(body):
        bodies.append(body)
        steps = script(body["messages"][1]["content"], str(tmp_path / "home"), gold, attacks)
        is_refusal = "was refused" in str(body["messages"][-1].get("content"))
        number = sum("tool_calls" in one for one in body["messages"])
        return [("finish", {})] if is_refusal or number >= len(steps) else steps[number]

    return scripted_endpoint(attack), bodies


@pytest.fixture
def proposed(agent, tmp_path, monkeypatch):
    """A round of a cycle up to its proposals."""
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path / "home"))
    for name, value in agent[0].items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("TACKROOM_MODELS__SCRIPTED__PRICE", '{"prompt": 1, "completion": 10}')
    form = CycleForm(
        environment=WORLD, model="simulated:weak", editor="openai:scripted", tasks=24, rounds=1
    )
    plan = open_cycle(form)
    collect_train(plan, plan.base_harness_id, 1)
    annotate_round(plan, plan.base_harness_id, 1)
    result = propose_edits(plan, plan.base_harness_id, 1)
    assert isinstance(result, ProposeResult)
    return plan, result, agent[1]


def test_every_attack_ends_in_a_refusal_row_and_nothing_else(proposed, tmp_path, attacks):
    plan, result, bodies = proposed
    bench = Workbench.open()
    with Warehouse(tmp_path / "home").read() as reader:
        edits = reader.rows(EditRow, "cycle_id = ?", [plan.cycle_id])
        decisions = reader.rows(GateDecisionRow, "cycle_id = ?", [plan.cycle_id])
        said = reader.frame(
            "SELECT tool, content, refused FROM editor_messages JOIN editor_sessions "
            "USING (session_id) WHERE purpose = 'propose' AND role = 'tool' ORDER BY message_index"
        ).rows()
        sessions = reader.frame(
            "SELECT stop, turns, proposals, prompt_tokens, round(cost_usd, 6) "
            "FROM editor_sessions WHERE purpose = 'propose'"
        ).rows()
    answers = said[: len(attacks.queries) + len(attacks.files)]
    assert all(refused for _, _, refused in answers), [one for one in answers if not one[2]]
    rest = {tool: refused for tool, _, refused in said[len(answers) :] if refused}
    assert "no train run of this round" in rest["submit"]
    assert "there is no tool" in rest["run_shell"]
    reasons = {row.edit_id: row.reason for row in decisions}
    assert {row.layer: reasons[row.edit_id] for row in edits} == {
        "actions": "static",
        "skills": "leak",
    }
    assert result.refused == len(edits) == 2
    assert sessions == [("finished", 3, 2, 2700, 0.0054)]
    assert not (tmp_path / "home" / "out.csv").exists()
    assert bench.harness(WORLD, "seed").harness_id == plan.base_harness_id
    closed = resolve_environment(WORLD).tasks("sealed") + resolve_environment(WORLD).tasks("select")
    sent = json.dumps(bodies, ensure_ascii=False)
    train = {task.text for task in resolve_environment(WORLD).tasks("train")}
    assert not [task.text for task in closed if task.text in sent and task.text not in train]
    assert not [task.task_id for task in closed if task.task_id in sent]
