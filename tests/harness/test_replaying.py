import json
import random
from typing import Any

import pytest

from tasks.harness import (
    Call,
    RecordedEpisode,
    RecordedStep,
    Sandbox,
    Session,
    StepDecisions,
    WrittenCall,
    replay_session,
)

ACTIONS = '''import re

SEEN = ["x"]


def rule_rescue(action, context):
    """Find SQL in prose."""
    found = re.search(r"SELECT [a-z0-9]+", action["raw_text"])
    if action["tool"] is None and found:
        return {"kind": "rescue", "tool": "execute_sql", "arguments": {"sql": found.group(0)}}


def rule_block(action, context):
    """Do not ask twice."""
    for entry in context["history"]:
        if entry["action"]["tool"] and entry["action"]["arguments"] == action["arguments"]:
            return {"kind": "block", "message": "Asked before " + str(context["step"])}


def rule_rewrite(action, context):
    if action["arguments"].get("sql") == "SELECT 3":
        return {"kind": "rewrite", "tool": "execute_sql", "arguments": {"sql": "SELECT 33"}}


def rule_faulty(action, context):
    return action["arguments"]["sql"] and None
'''
REGULATION = """def rule_stall(history, context):
    if len(history) > 1 and history[-1]["observation"] == history[-2]["observation"]:
        return {"kind": "hint", "message": "Nothing changes. " + str(context["remaining_steps"])}


def rule_force(history, context):
    if context["admissible"] and len(context["messages"]) > 3:
        return {"kind": "force", "tool": "execute_sql", "arguments": {}}


def rule_stop(history, context):
    if len(history) > 9:
        return {"kind": "stop"}
"""
SETTINGS = "api: 1\nenvironment: sqldesk\nbudgets: {hints: 2}\n"


def recorded(seed, tools, turns=12):
    chance = random.Random(seed)
    steps = []
    for _ in range(turns):
        kind = chance.choice(
            ["call", "call", "call", "prose", "broken", "empty", "forced", "second"]
        )
        if kind == "second" and not (steps and steps[-1].name and steps[-1].raw_arguments):
            kind = "call"
        sql: dict[str, Any] = {"sql": f"SELECT {chance.randrange(6)}"}
        observation = chance.choice(["one", "two", "Nothing."])
        offered = chance.choice([None, ("go",)])
        more: dict[str, Any] = {"role": "user", "content": "And?"}
        heard = (more,) if kind != "second" and chance.random() < 0.2 else ()
        shape = {
            "call": {"name": "execute_sql", "raw_arguments": json.dumps(sql)},
            "second": {
                "name": "execute_sql",
                "raw_arguments": json.dumps(sql),
                "is_new_turn": False,
            },
            "prose": {"name": None, "raw_arguments": None, "raw_text": f"I use {sql['sql']}."},
            "broken": {"name": "execute_sql", "raw_arguments": '{"sql": '},
            "empty": {"name": None, "raw_arguments": None},
            "forced": {"name": None, "raw_arguments": None, "is_forced": True},
        }[kind]
        executed = Call("execute_sql", sql) if kind in ("call", "second", "forced") else None
        steps.append(
            RecordedStep(
                observation=observation,
                executed=executed,
                is_error=executed is None,
                heard=heard,
                admissible=offered,
                admissible_after=offered,
                **shape,
            )
        )
    messages = [{"role": "user", "content": "Do it."}]
    return RecordedEpisode("Do it.", tools, steps, messages, budget=turns)


async def lived(harness, episode, sandbox):
    session = Session(
        harness, episode.task_text, episode.tools, sandbox=sandbox, budget=episode.budget
    )
    for message in episode.messages:
        session.note_message(message)
    found = []
    for reply in replies(episode.steps):
        first = reply[0]
        for message in first.heard:
            session.note_message(message)
        decisions: list[Any] = [None]
        if not first.is_forced:
            written = [WrittenCall(step.name, step.raw_arguments) for step in reply if step.name]
            decisions = await session.before_reply(
                written, raw_text=first.raw_text, admissible=first.admissible
            )
        for step, decision in zip(reply, decisions, strict=True):
            regulated = await session.after_result(
                step.executed,
                step.observation,
                is_error=step.is_error,
                admissible=step.admissible_after,
            )
            found.append(StepDecisions(decision, regulated))
    return found


def replies(steps):
    """Stored calls by the reply they were written in."""
    grouped: list[list[RecordedStep]] = []
    for step in steps:
        if step.is_new_turn:
            grouped.append([])
        grouped[-1].append(step)
    return grouped


@pytest.mark.parametrize("seed", range(6))
def test_a_replay_gives_what_the_live_session_gives(make, sandbox, run, tools, seed):
    harness = make(actions=ACTIONS, regulation=REGULATION, settings=SETTINGS)
    episode = recorded(seed, tools)
    replayed = run(replay_session(harness, episode, sandbox=sandbox))
    assert replayed == run(lived(harness, episode, sandbox))


def test_the_samples_show_every_kind_of_intervention(make, sandbox, run, tools):
    harness = make(actions=ACTIONS, regulation=REGULATION, settings=SETTINGS)
    kinds = set()
    for seed in range(6):
        for step in run(replay_session(harness, recorded(seed, tools), sandbox=sandbox)):
            parts = [step.regulated, *([step.decision] if step.decision else [])]
            kinds |= {
                one.kind for part in parts for one in part.interventions if not one.suppressed
            }
    assert kinds == {"rescue", "block", "rewrite", "hint", "force", "stop"}


def test_a_rule_that_keeps_state_is_replayed_like_live(make, sandbox, run, tools):
    source = (
        "COUNT = [0]\n\n\ndef rule_a(action, context):\n    COUNT[0] += 1\n"
        "    return {'kind': 'block', 'message': str(COUNT[0])}\n"
    )
    harness = make(actions=source)
    episode = recorded(1, tools)
    assert run(replay_session(harness, episode, sandbox=sandbox)) == run(
        lived(harness, episode, sandbox)
    )


def test_a_rule_that_loops_is_replayed_like_live(make, sandbox, run, tools):
    source = (
        "def rule_a(action, context):\n    while context['step'] == 2:\n        pass\n"
        "    return {'kind': 'block', 'message': 'no'}\n"
    )
    harness = make(actions=source)
    calls = [
        RecordedStep("execute_sql", "{}", "rows", executed=Call("execute_sql", {}))
        for _ in range(4)
    ]
    episode = RecordedEpisode("T", tools, calls)

    def kinds(found):
        return [
            (step.decision.kind, [fault.kind for fault in step.decision.faults]) for step in found
        ]

    expected = [("blocked", []), ("blocked", []), ("execute", ["timeout"]), ("execute", [])]
    assert kinds(run(replay_session(harness, episode, sandbox=sandbox))) == expected
    assert kinds(run(lived(harness, episode, sandbox))) == expected


def test_a_harness_without_rules_needs_no_feed(make, run, tools):
    harness = make(contract="x\n")
    episode = recorded(0, tools)

    found = run(replay_session(harness, episode, sandbox=Sandbox(workers=1)))
    assert len(found) == len(episode.steps)


def test_an_empty_episode_has_no_decisions(make, sandbox, run, tools):
    harness = make(actions=ACTIONS)
    assert run(replay_session(harness, RecordedEpisode("T", tools, []), sandbox=sandbox)) == []
