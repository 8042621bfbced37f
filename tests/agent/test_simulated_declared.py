"""Faults and cues made from what a world declares: facts cure, near misses do not."""

import asyncio
import json
from typing import Any, cast

import pytest

from tasks.agent.protocols import Call, EpisodeContext, Task, ToolSpec
from tasks.agent.simulated_declared import DeclaredSimulation, declared_simulation
from tasks.agent.simulated_declared_cues import alias_of
from tasks.agent.simulated_model import simulated_model
from tasks.agent.simulated_world import View


def tool(name, **properties):
    return ToolSpec(name, "", {"type": "object", "properties": properties})


class Yard:
    """A world that declares tools, an order and an end, and has a policy."""

    name = "yard"
    tools = (
        tool("fetch_box", box_id={"type": "integer"}, labels={"type": "array"}),
        tool("weigh_box", box_id={"type": "integer"}),
        tool("hand_in", answer={"type": "string"}),
    )
    terminal_tools = frozenset({"hand_in"})
    order_constraints = (("fetch_box", "weigh_box"),)
    system_prompt, step_budget, non_progress, fingerprint = "Work.", 9, (), "1"

    def tasks(self, split):
        return tuple(Task(f"yard/a/{n}", "yard", "a", split, "Weigh box 7.") for n in range(40))

    def expert_call(self, task, world):
        return world.next_call


class World:
    opening = ""
    next_call = Call("fetch_box", {"box_id": 7, "labels": ["a", "b"]})


WORLD = cast("Any", World())
YARD = cast("Any", Yard())
FETCH = World.next_call


@pytest.fixture
def simulation():
    return DeclaredSimulation(YARD)


def view(call=FETCH, last=None):
    return View(YARD.tasks("train")[0], WORLD, call, last)


def cues(simulation, text, source="system"):
    return {(cue.kind, cue.is_right) for cue in simulation.read(text, source)}


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("alias:fetch_box", "The tool is called `fetch_box`."),
        ("alias:fetch_box", "There is no fetchBox: use fetch_box."),
        ("shape:fetch_box", "`fetch_box` takes `box_id` (integer) and `labels` (list of strings)."),
        ("shape:fetch_box", 'Write fetch_box({"box_id": 0, "labels": [""]}).'),
        ("shape:weigh_box", "In weigh_box, box_id is a number without quotes."),
        ("early:fetch_box:weigh_box", "Call `fetch_box` before `weigh_box`."),
        ("early:fetch_box:weigh_box", "Never call `weigh_box` without `fetch_box` first."),
        ("early:fetch_box:weigh_box", "1. Call `fetch_box`.\n2. Call `weigh_box`."),
        ("done_in_words", "Every task ends with a call of `hand_in`."),
        ("done_in_words", "Finish by calling hand_in."),
    ],
)
def test_a_text_that_names_the_facts_is_a_cure(simulation, kind, text):
    assert (kind, True) in cues(simulation, text)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("alias:fetch_box", "Use the right tool names."),
        ("alias:fetch_box", "`weigh_box` is the tool for it."),
        ("shape:fetch_box", "`fetch_box` is what you need first."),
        ("shape:fetch_box", "Give every argument the type its schema says."),
        ("shape:fetch_box", "`weigh_box` takes `box_id` (integer)."),
        ("early:fetch_box:weigh_box", "Use `fetch_box` and `weigh_box`."),
        ("early:fetch_box:weigh_box", "Call `weigh_box` before `fetch_box`."),
        ("done_in_words", "Do not call `hand_in` at the end."),
        ("done_in_words", "Finish every task."),
        ("again", "Do not make the same call again."),
    ],
)
def test_a_near_miss_in_the_prompt_is_none(simulation, kind, text):
    assert (kind, True) not in cues(simulation, text)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("alias:fetch_box", "The tool is called `fetchBox`."),
        ("early:fetch_box:weigh_box", "Call `weigh_box` before `fetch_box`."),
        ("done_in_words", "Never call `hand_in`."),
    ],
)
def test_a_wrong_fact_is_a_wrong_cue(simulation, kind, text):
    assert (kind, False) in cues(simulation, text)


def test_a_hint_is_heard_and_the_world_is_not(simulation):
    repeated = "The same call was already made."
    assert cues(simulation, f"box 7\n\nHint: {repeated}", "recent") == {("again", True)}
    assert cues(simulation, repeated, "recent") == set()


def slip(simulation, kind, call=FETCH, last=None, roll=0.3):
    return simulation.slip(kind, view(call, last), roll, "")


def test_each_fault_does_what_it_is_called(simulation):
    [alias] = slip(simulation, "alias:fetch_box").calls
    assert (alias.name, json.loads(alias.arguments)) == (alias_of("fetch_box"), FETCH.arguments)
    [texts] = slip(simulation, "shape:fetch_box").calls
    assert json.loads(texts.arguments) == {"box_id": "7", "labels": "a, b"}
    [renamed] = slip(simulation, "shape:fetch_box", roll=0.6).calls
    assert set(json.loads(renamed.arguments)) == {"box_id", "labels_tool"}
    assert "fetch_box" in slip(simulation, "prose").text
    [early] = slip(simulation, "early:fetch_box:weigh_box").calls
    assert early.name == "weigh_box"
    last = Call("weigh_box", {"box_id": 7})
    [again] = slip(simulation, "again", last=last).calls
    assert (again.name, json.loads(again.arguments)) == (last.tool, last.arguments)
    done = slip(simulation, "done_in_words", call=Call("hand_in", {"answer": "7"}))
    assert done.text
    assert not done.calls
    [wrong] = slip(simulation, "wrong_value").calls
    assert json.loads(wrong.arguments) != FETCH.arguments


def test_faults_strike_only_where_they_can(simulation):
    at_end = view(Call("hand_in", {"answer": "7"}), last=FETCH)
    assert simulation.opportunity("done_in_words", at_end) == 1.0
    assert simulation.opportunity("again", at_end) is None
    assert simulation.opportunity("wrong_value", at_end) is None
    assert simulation.opportunity("alias:fetch_box", at_end) is None
    assert simulation.opportunity("alias:fetch_box", view()) == 1.0
    assert simulation.opportunity("again", view()) is None


def test_tiers_are_weak_at_different_tools():
    many = cast("Any", Yard())
    many.tools = tuple(tool(f"tool_{n}", x={"type": "integer"}) for n in range(100))
    kinds = DeclaredSimulation(many).kinds
    weak, mid = (
        {kind.name for kind in kinds if ":" in kind.name and kind.rate("a", tier)}
        for tier in ("weak", "mid")
    )
    assert 40 < len(weak) < 90
    assert len(weak - mid) > 20


def test_the_model_acts_in_a_world_without_faults_of_its_own_and_repeats_itself():
    model = simulated_model("simulated:weak")

    def said():
        found = []
        for task in YARD.tasks("train"):
            talk = model.open(EpisodeContext(YARD, task, WORLD, 7, 0))
            tools = [one.as_openai() for one in YARD.tools]
            reply = asyncio.run(talk.reply([{"role": "user", "content": task.text}], tools))
            found.append((reply.text, reply.calls))
        return found

    first = said()
    assert first == said()
    assert declared_simulation(YARD) is declared_simulation(YARD)
    right = sum(bool(c) and json.loads(c[0].arguments) == FETCH.arguments for _, c in first)
    assert right > 10
