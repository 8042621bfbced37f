"""An edit is booked on a pattern whose evidence it touches, and says so."""
# ruff: noqa: S608 - statements are texts of episodes here, nothing runs them

import asyncio
import json

import pytest

from tasks.editor.protocols import Proposal
from tasks.editor.rules_editor import RulesEditor

OFFERED = [f"go to shelf {n}" for n in range(1, 7)] + ["look"]


@pytest.fixture
def go(turn):
    return lambda command, result="You see a room.": turn(
        "act", {"command": command}, result, admissible=OFFERED
    )


@pytest.fixture
def propose(make_brief, make_tool):
    def run(episodes, patterns, **more) -> dict[str, Proposal]:
        brief = make_brief(episodes, patterns, **more)
        return {one.artifact: one for one in asyncio.run(RulesEditor().propose(brief))}

    return run


@pytest.fixture
def act_tool(make_tool):
    return {"tools": (make_tool("act", command="string"),)}


def members_of(pattern) -> set[str]:
    return {item[0] for item in json.loads(pattern.members)}


def at_step(pattern, step):
    """The pattern with its evidence at a later step."""
    members = [[item[0], step] for item in json.loads(pattern.members)]
    return pattern.model_copy(update={"members": json.dumps(members)})


def test_a_hint_against_going_to_and_fro_is_booked_on_the_alternation(
    go, propose, act_tool, make_episode, make_pattern
):
    won = [make_episode(n, [go(f"go to shelf {i}") for i in range(1, 6)], won=True) for n in (0, 1)]
    swing = [go("look"), *[go(f"go to shelf {1 + i % 2}") for i in range(8)]]
    stuck = [go("look"), *[go("go to shelf 1")] * 8]
    swinging = [make_episode(n, swing, won=False) for n in range(10, 14)]
    standing = [make_episode(n, stuck, won=False) for n in range(20, 29)]
    same = {"kind": "repetition", "form": "same_action", "tool": "act"}
    fro = {"kind": "repetition", "form": "alternation", "tool": "act"}
    patterns = [
        at_step(make_pattern(standing, same, bullet="TD1"), 2),
        at_step(make_pattern(swinging, fro, bullet="TD1"), 3),
    ]
    found = propose([*won, *swinging, *standing], patterns, **act_tool)
    unvisited, repeat = found["rule_hint_unvisited"], found["rule_hint_repeat"]
    assert unvisited.pattern_id == patterns[1].pattern_id
    assert repeat.pattern_id == patterns[0].pattern_id
    assert "form alternation" in unvisited.manifest.root_cause
    assert {one.trajectory_id for one in unvisited.manifest.evidence} == members_of(patterns[1])


def test_a_rule_that_acts_too_late_in_its_pattern_is_not_proposed(
    propose, make_episode, make_pattern, turn
):
    won = [
        make_episode(
            n,
            [turn("run_query", {"statement": f"SELECT {n}"}), turn("hand_in", {"values": ["1"]})],
            won=True,
        )
        for n in range(3)
    ]
    fresh = [turn("run_query", {"statement": f"SELECT {n}"}, f"[({n},)]") for n in range(7)]
    same = turn("run_query", {"statement": "SELECT 9"}, "[(9,)]")
    lost = [make_episode(n, [*fresh, same, same, same], won=False) for n in range(10, 13)]
    signature = {"kind": "repetition", "form": "repeats", "tool": "run_query"}
    pattern = make_pattern(lost, signature, bullet="TD1")
    assert "rule_hint_repeat" not in propose([*won, *lost], [pattern])
    assert "rule_hint_repeat" in propose([*won, *lost], [at_step(pattern, 8)])


def look_and_change(turn, n):
    return [
        turn("run_query", {"statement": f"SELECT DISTINCT c{n} FROM t{n}"}, "[('x',)]"),
        turn("run_query", {"statement": f"UPDATE t{n} SET c{n} = 'x'"}, "1 row"),
        turn("hand_in", {"values": ["done"]}),
    ]


def test_a_skill_is_booked_on_a_pattern_of_its_own_family(
    propose, make_episode, make_pattern, turn
):
    episodes, patterns = [], []
    for family, count in (("change", 3), ("mark", 5)):
        text = f"Please {family} the kind of part"
        episodes += [
            make_episode(n, look_and_change(turn, n), won=True, family=family, text=f"{text} {n}.")
            for n in range(4)
        ]
        lost = [
            make_episode(
                n, look_and_change(turn, n)[1:], won=False, family=family, text=f"{text} {n}."
            )
            for n in range(20, 20 + count)
        ]
        episodes += lost
        signature = {"kind": "value_not_observed", "tool": "run_query", "verb": "update"}
        pattern = make_pattern(lost, signature, bullet="EC2")
        patterns.append(pattern.model_copy(update={"family": family}))
    found = propose(episodes, patterns)
    for family, pattern in zip(("change", "mark"), patterns, strict=True):
        skill = found[f"{family}-steps"]
        assert skill.pattern_id == pattern.pattern_id
        assert f"of family {family}" in skill.manifest.root_cause


def test_a_sentence_about_a_tool_is_booked_on_a_pattern_about_that_tool(
    propose, make_episode, make_pattern, turn
):
    won = [make_episode(n, look_and_change(turn, n), won=True) for n in range(3)]
    bad = {
        "hand_in": turn("hand_in", {"values": "1"}, "not an array", error=True),
        "run_query": turn("run_query", {"statement": 1}, "not a string", error=True),
    }
    lost = {
        name: [make_episode(n, [one] * 2, won=False, family=name) for n in range(20, 23)]
        for name, one in bad.items()
    }
    patterns = {
        name: make_pattern(
            runs, {"kind": "argument_type", "tool": name, "argument": "a"}, bullet="AR2"
        )
        for name, runs in lost.items()
    }
    episodes = [*won, *lost["hand_in"], *lost["run_query"]]
    found = propose(episodes, list(patterns.values()))
    for name, pattern in patterns.items():
        assert found[f"Arguments of {name}"].pattern_id == pattern.pattern_id


def test_an_edit_mined_from_all_failures_says_so(propose, make_episode, make_pattern, turn, said):
    won = [make_episode(n, look_and_change(turn, n), won=True) for n in range(3)]
    text = said('run_query(statement="SELECT 1")')
    lost = [make_episode(n, [text] * 3, won=False) for n in range(20, 24)]
    hidden = make_pattern(lost, {"kind": "residual", "subtype": "wrong_value"}, bullet="RR")
    rescue = propose([*won, *lost], [hidden])["rule_rescue_invocation"]
    assert rescue.pattern_id is None
    assert rescue.manifest.root_cause.startswith("Mined from all 4 failures")
    assert len(rescue.manifest.evidence) == 4
    own = make_pattern(lost[:2], {"kind": "call_in_text", "style": "call"}, bullet="AR1")
    own = own.model_copy(update={"eligible": False})
    booked = propose([*won, *lost], [hidden, own])["rule_rescue_invocation"]
    assert booked.pattern_id == own.pattern_id
    assert "Mined from all 4 failures" in booked.manifest.root_cause
    assert "style call" in booked.manifest.root_cause


def test_rules_that_reach_a_pattern_only_together_are_proposed_together(
    propose, make_episode, make_pattern, turn, said
):
    won = [make_episode(n, look_and_change(turn, n), won=True) for n in range(3)]
    forms = ('run_query(statement="SELECT 1")', '{"name": "hand_in", "arguments": {"values": []}}')
    other = "I will now run the query and hand in what it gives."
    runs = [
        make_episode(20 + n, [said(text)] * 3, won=False)
        for n, text in enumerate([forms[0]] * 3 + [forms[1]] * 3 + [other] * 4)
    ]
    pattern = make_pattern(runs, {"kind": "call_in_text", "style": "call"}, bullet="AR1")
    found = propose([*won, *runs], [pattern])
    assert {"rule_rescue_invocation", "rule_rescue_json"} <= set(found)
    lonely = make_pattern([*runs[:3], *runs[6:]], {"kind": "call_in_text"}, bullet="AR1")
    assert "rule_rescue_invocation" not in propose([*won, *runs[:3], *runs[6:]], [lonely])


def test_a_sentence_about_arguments_needs_calls_that_do_not_fit_the_schema(
    propose, make_episode, make_pattern, turn
):
    won = [make_episode(n, look_and_change(turn, n), won=True) for n in range(3)]
    glued = turn("run_query", {"statement": "SELECT 1; SELECT 2"}, "one statement only", error=True)
    renamed = turn("run_query", {"sql": "SELECT 1"}, "'statement' is required", error=True)
    signature = {"kind": "statement_count", "tool": "run_query", "argument": "statement"}
    lost = [make_episode(n, [glued] * 2, won=False) for n in range(20, 24)]
    pattern = make_pattern(lost, signature, bullet="AR3")
    assert "Arguments of run_query" not in propose([*won, *lost], [pattern])
    odd = [make_episode(n, [glued, renamed], won=False) for n in range(30, 32)]
    missing = {"kind": "argument_missing", "tool": "run_query", "argument": "statement"}
    small = make_pattern(odd, missing, bullet="AR2").model_copy(update={"eligible": False})
    found = propose([*won, *lost, *odd], [pattern, small])["Arguments of run_query"]
    assert found.pattern_id == small.pattern_id
    assert found.manifest.root_cause.startswith("Mined from all 6 failures")
