"""A world is data, tools, a verifier and a cue table; the room does the rest."""

import asyncio
import json
import re
from dataclasses import dataclass

import pytest

from tasks.agent.protocols import ActResult, Call, EpisodeContext, Task, ToolSpec, Verdict
from tasks.agent.simulated_model import simulated_model
from tasks.agent.simulated_reading import affirmed
from tasks.agent.simulated_world import Cue, FaultKind
from tasks.environments.embedded.cues import CueTable, alone, own_voice
from tasks.environments.embedded.faults import PROMPT, FaultTable, call_slip, rates, table_of
from tasks.environments.embedded.frame import Blueprint, EmbeddedEnvironment
from tasks.environments.embedded.narrowing import narrow_to
from tasks.environments.embedded.splits import draw_split, generator

ONE = {"type": "object", "properties": {"times": {"type": "integer"}}, "required": ["times"]}
TOOLS = (ToolSpec("ring", "Ring the bell.", ONE), ToolSpec("leave", "Go.", {"type": "object"}))


@dataclass(frozen=True)
class Problem:
    task: Task
    times: int


def draw(split, family, number):
    times = generator("bell", split, family, number).randint(2, 9)
    return Problem(Task(f"bell/{family}/{number}", "bell", family, split, f"{times} rings."), times)


class Bell:
    opening = ""

    def __init__(self, problem, check):
        self.problem, self._check, self.rung, self.is_over = problem, check, 0, False

    def act(self, call):
        refusal = self._check(call)
        if refusal is not None:
            return refusal
        self.rung += call.arguments.get("times", 0)
        self.is_over = call.tool == "leave"
        return ActResult(f"{self.rung} so far", done=self.is_over)

    def admissible(self):
        return None

    def snapshot(self):
        return json.dumps([self.rung, self.is_over]).encode()

    def restore(self, state):
        self.rung, self.is_over = json.loads(state)

    def verdict(self):
        is_right = self.is_over and self.rung == self.problem.times
        return Verdict("success" if is_right else "failure", float(is_right))


def next_call(world):
    left = world.problem.times - world.rung
    return Call("ring", {"times": left}) if left > 0 else Call("leave", {})


_ONE_CALL = re.compile(r"\bone call\b")
_AT_RING = FaultKind("half", rates(morning=(0.9, 0.6, 0.3), evening=(0.9, 0.6, 0.3)), PROMPT)
as_bell = narrow_to("bell", Bell)
SIMULATION = FaultTable(
    table_of(
        (_AT_RING,),
        {"half": lambda view, world: 1.0 if view.expert.tool == "ring" else None},
        {"half": lambda view, world, roll, detail: call_slip("leave", {})},
    ),
    CueTable(
        own=own_voice(r"\d+ so far"),
        in_sentence=(
            alone(lambda text: [Cue("half", is_right=True)] if affirmed(text, _ONE_CALL) else []),
        ),
    ),
    as_bell,
    lambda name, description, view, world: 0.0,
)
BELL = Blueprint(
    name="bell",
    package="json",
    tools=TOOLS,
    system_prompt="Ring.",
    step_budget=4,
    draw=lambda split: draw_split(split, ("morning", "evening"), draw),
    open=Bell,
    narrow=as_bell,
    policy=next_call,
    simulation=SIMULATION,
    terminal_tools=frozenset({"leave"}),
)


@pytest.fixture
def bell():
    return EmbeddedEnvironment(BELL)


def rate(bell, contract):
    """Share of select tasks that the middle tier passes under a contract."""
    model = simulated_model("simulated:mid")

    async def play(task):
        world = bell.start(task, 1)
        talk = model.open(EpisodeContext(bell, task, world, 1, 0))
        system = f"{bell.system_prompt}\n\n{contract}"
        messages = [
            {"role": "system", "content": system},
            {"role": "user", "content": task.text},
        ]
        for _ in range(bell.step_budget):
            reply = await talk.reply(messages, [tool.as_openai() for tool in bell.tools])
            raw = reply.calls[0]
            result = world.act(Call(raw.name, json.loads(raw.arguments)))
            if result.done:
                break
            function = {"name": raw.name, "arguments": raw.arguments}
            messages += [
                {"role": "assistant", "tool_calls": [{"id": raw.call_id, "function": function}]},
                {"role": "tool", "tool_call_id": raw.call_id, "content": result.observation},
            ]
        return world.verdict().reward

    tasks = bell.tasks("select")
    return sum(asyncio.run(play(task)) for task in tasks) / len(tasks)


def test_its_tasks_are_dealt_out_and_solved_by_its_policy(bell):
    assert [len(bell.tasks(split)) for split in ("train", "select", "sealed")] == [120, 240, 120]
    for task in bell.tasks("train"):
        world = bell.start(task, 0)
        while not world.act(bell.expert_call(task, world)).done:
            pass
        assert world.verdict().outcome == "success"


def test_simulated_models_fail_in_it_and_are_cured_by_its_cues(bell):
    base = rate(bell, "")
    assert 0.25 < base < 0.55
    assert rate(bell, "Ring as often as you need in one call.") > base + 0.3
    assert rate(bell, "Never ring in one call.") == base
