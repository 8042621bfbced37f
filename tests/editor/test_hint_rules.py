"""Hints come when an agent is stuck, name facts, and stay silent otherwise."""

from tasks.editor.rule_text import render_rule
from tasks.editor.ruleset import hint

REPEAT = render_rule(hint.rule_hint_repeat, "r", {"times": 2})
STALL = render_rule(
    hint.rule_hint_stall, "r", {"window": 4, "most": 3, "non_progress": ("Nothing",)}
)
UNVISITED = render_rule(hint.rule_hint_unvisited, "r", {"window": 6, "argument": "command"})
NEXT = render_rule(
    hint.rule_hint_next_tool,
    "r",
    {
        "after": ("UPDATE",),
        "tool": "run_query",
        "next_tool": "hand_in",
        "argument": "statement",
        "example": '{"values": []}',
    },
)
BUDGET = render_rule(hint.rule_hint_budget, "r", {"left": 3, "next_tool": "hand_in", "example": ""})


def query(statement: str, observation: str = "1", error: bool = False) -> dict:
    return {
        "tool": "run_query",
        "arguments": {"statement": statement},
        "observation": observation,
        "is_error": error,
    }


def go(command: str) -> dict:
    return {"tool": "act", "arguments": {"command": command}, "observation": "You see a room."}


def test_a_repeated_call_is_named_with_its_count_and_the_unused_tool(run_regulation_rule):
    result = run_regulation_rule(REPEAT, [query("SELECT 1"), query("SELECT 1")])
    assert "2 times" in result["message"]
    assert "`run_query`" in result["message"]
    assert "`hand_in`" in result["message"]


def test_other_calls_and_other_results_are_no_repetition(run_regulation_rule):
    assert run_regulation_rule(REPEAT, [query("SELECT 1"), query("SELECT 2")]) is None
    assert run_regulation_rule(REPEAT, [query("SELECT 1"), query("SELECT 1", "2")]) is None
    assert run_regulation_rule(REPEAT, [{"text": "hm"}, {"text": "hm"}]) is None


def test_a_streak_of_errors_is_named_with_its_last_error(run_regulation_rule):
    history = [query(f"SELECT {n}", "no such column", error=True) for n in range(3)]
    result = run_regulation_rule(STALL, history)
    assert "no such column" in result["message"]


def test_progress_ends_a_stall(run_regulation_rule):
    history = [query(f"SELECT {n}", "bad", error=True) for n in range(3)]
    assert run_regulation_rule(STALL, [*history, query("SELECT 4")]) is None


def test_going_to_and_fro_names_an_untried_command(run_regulation_rule):
    history = [go(f"go to shelf {1 + n % 2}") for n in range(6)]
    offered = ["go to shelf 1", "go to shelf 2", "go to desk 1", "look"]
    result = run_regulation_rule(UNVISITED, history, admissible=offered)
    assert "`go to desk 1`" in result["message"]
    wandering = [go(f"go to shelf {n}") for n in range(6)]
    assert run_regulation_rule(UNVISITED, wandering, admissible=offered) is None


def test_going_to_and_fro_is_seen_at_the_second_return_and_is_no_repetition(run_regulation_rule):
    offered = ["go to shelf 1", "go to shelf 2", "go to desk 1", "look"]
    early = render_rule(hint.rule_hint_unvisited, "r", {"window": 4, "argument": "command"})
    swing = [go("look"), *[go(f"go to shelf {1 + n % 2}") for n in range(4)]]
    assert "`go to desk 1`" in run_regulation_rule(early, swing, admissible=offered)["message"]
    assert run_regulation_rule(early, swing[:-1], admissible=offered) is None
    standing = [go("look"), *[go("go to shelf 1")] * 3]
    assert run_regulation_rule(early, standing, admissible=offered) is None


def test_the_due_call_is_named_once_something_else_came_instead(run_regulation_rule):
    changed = query("UPDATE t SET a = 1")
    result = run_regulation_rule(NEXT, [changed, {"text": "I am done."}])
    assert "`hand_in`" in result["message"]
    assert '{"values": []}' in result["message"]


def test_the_due_call_is_not_named_right_after_the_change_or_without_one(run_regulation_rule):
    changed = query("UPDATE t SET a = 1")
    failed = query("UPDATE t SET a = 1", "locked", error=True)
    assert run_regulation_rule(NEXT, [changed]) is None
    assert run_regulation_rule(NEXT, [failed, {"text": "I am done."}]) is None
    assert run_regulation_rule(NEXT, [query("SELECT 1"), {"text": "I am done."}]) is None


def test_a_short_budget_without_the_final_call_is_announced(run_regulation_rule):
    assert "2 steps" in run_regulation_rule(BUDGET, [query("SELECT 1")], remaining=2)["message"]
    assert run_regulation_rule(BUDGET, [query("SELECT 1")], remaining=5) is None
    done = {"tool": "hand_in", "arguments": {"values": []}, "observation": "ok"}
    assert run_regulation_rule(BUDGET, [done], remaining=1) is None
