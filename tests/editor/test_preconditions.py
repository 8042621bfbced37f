"""Preconditions are told by counts: in worlds of invented words, and never by what stands near."""

import asyncio
import random

import pytest

from tasks.editor.facts import mine
from tasks.editor.preconditions import find_preconditions
from tasks.editor.rules_editor import RulesEditor

ROOMS = ("vault", "cellar", "attic", "shed", "tower")
NOISE = ("polish", "measure", "knock")


@pytest.fixture
def world(make_episode, make_tool, turn):
    """Runs of a world where a door must be unbolted before it is passed; other verbs do nothing."""
    tool = make_tool("act", command="string")

    def command(text, room, *, works=True):
        offered = [f"unbolt {room}", *(f"{verb} {room}" for verb in NOISE), f"pass {room}"]
        result = "You hear a sound." if works else "Nope."
        return turn("act", {"command": text}, result, not works, admissible=offered)

    def run(number, draw, *, is_careful, needs_bolt=True):
        turns, room = [], draw.choice(ROOMS)
        turns += [command(f"{draw.choice(NOISE)} {room}", room) for _ in range(draw.randint(0, 2))]
        if not is_careful:
            turns += [command(f"pass {room}", room, works=not needs_bolt)] * draw.randint(1, 3)
            turns.append(command(f"{draw.choice(NOISE)} {room}", room))
        if is_careful or draw.random() < 0.3:
            turns.append(command(f"unbolt {room}", room))
            turns.append(command(f"pass {room}", room))
        return make_episode(number, turns, won=is_careful)

    return tool, run


@pytest.fixture
def claimed(make_pattern):
    def pattern(lost):
        signature = {
            "kind": "state_precondition",
            "tool": "act",
            "argument": "command",
            "verb": "pass",
            "enables": sorted([*NOISE, "unbolt"]),
        }
        return make_pattern(lost, signature, bullet="EC2")

    return pattern


PAIRS = [("pass", verb) for verb in (*NOISE, "unbolt")]


def draw_runs(run, seed, count=16, **more):
    draw = random.Random(seed)
    return [run(n, draw, is_careful=n % 2 == 0, **more) for n in range(count)]


@pytest.mark.parametrize("seed", range(6))
def test_the_command_that_helps_is_found_among_those_that_only_stand_near(world, make_brief, seed):
    tool, run = world
    facts = mine(make_brief(draw_runs(run, seed), tools=(tool,)))
    found = find_preconditions(facts, PAIRS)
    assert [(one.verb, one.enabler) for one in found] == [("pass", "unbolt")]
    assert found[0].contrast.x0 == 0


def test_hardly_anything_is_found_where_nothing_is_needed(world, make_brief):
    tool, run = world
    wrong = 0
    for seed in range(20):
        episodes = draw_runs(run, seed, needs_bolt=False)
        wrong += bool(find_preconditions(mine(make_brief(episodes, tools=(tool,))), PAIRS))
    assert wrong <= 1


def test_two_runs_are_no_support(world, make_brief):
    tool, run = world
    facts = mine(make_brief(draw_runs(run, 3, count=2), tools=(tool,)))
    assert find_preconditions(facts, PAIRS) == []


def test_a_repeated_refusal_counts_once(world, make_brief, make_episode, turn):
    offered = ["unbolt vault", "pass vault"]
    refused = turn("act", {"command": "pass vault"}, "Nope.", True, admissible=offered)
    opened = turn("act", {"command": "unbolt vault"}, "ok", admissible=offered)
    passed = turn("act", {"command": "pass vault"}, "ok", admissible=offered)
    runs = [make_episode(1, [*[refused] * 50, opened, passed], won=True)]
    facts = mine(make_brief(runs, tools=(world[0],)))
    assert find_preconditions(facts, [("pass", "unbolt")]) == []


def test_the_sentence_names_only_what_the_counts_bear_out(world, make_brief, claimed):
    tool, run = world
    episodes = draw_runs(run, 1)
    lost = [one for one in episodes if one.is_failure]
    brief = make_brief(episodes, [claimed(lost)], tools=(tool,))
    found = {one.artifact: one for one in asyncio.run(RulesEditor().propose(brief))}
    body = found["Preconditions"].child.artifact("contract", "Preconditions").body
    assert "do `unbolt" in body
    assert not any(verb in body for verb in NOISE)
    assert "works after unbolt" in found["Preconditions"].manifest.root_cause
