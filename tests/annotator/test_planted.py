"""Planted causes: at least three firing and two silent episodes for every bullet."""
# ruff: noqa: S608 - statements are texts of episodes here, nothing runs them

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tasks.annotator.engine import annotate

Moves = Callable[[Any], list[dict[str, Any]]]
BUDGET = {"termination": "budget", "budget": 10}
OFFERED = [
    "go to shelf 1",
    "go to drawer 2",
    "open drawer 2",
    "take cup 1 from shelf 1",
    "look",
]
COLUMN = {"task": "What is the sum of Unit Price in table sales? Also see Order Date."}


def do(m: Any, action: str, result: str = "You arrive.", **more: Any) -> dict[str, Any]:
    return m.call("do", result, action=action) | {"admissible": OFFERED} | more


def ask(m: Any, sql: str, result: str = "[(1, 'a')]") -> dict[str, Any]:
    return m.call("run_sql", result, sql=sql)


def bad(m: Any, sql: str, error: str) -> dict[str, Any]:
    return m.failed("run_sql", error, sql=sql)


def answer(m: Any, *values: str) -> dict[str, Any]:
    return m.call("hand_in", "received", answers=list(values))


def loop(m: Any, count: int) -> list[dict[str, Any]]:
    return [ask(m, "SELECT a FROM t") for _ in range(count)]


READ = "SELECT a FROM t"

FIRING: list[tuple[str, str, Moves, dict[str, Any]]] = [
    ("AR1", "sql", lambda m: [m.say("Let me check:\n```sql\nSELECT count(*) FROM t\n```")], {}),
    ("AR1", "sql", lambda m: [ask(m, READ), m.say("Final answer: 12")], {}),
    ("AR1", "sql", lambda m: [m.say('run_sql(sql="SELECT 1")')] * 3, {}),
    ("AR1", "sql", lambda m: [m.say('{"name": "run_sql", "arguments": {"sql": "SELECT 1"}}')], {}),
    ("AR1", "sql", lambda m: [m.say("SELECT a FROM t WHERE b = 1;")], {}),
    ("AR1", "house", lambda m: [m.say("take cup 1 from shelf 1") | {"admissible": OFFERED}], {}),
    ("AR1", "house", lambda m: [m.say("I will go to shelf 1 now.") | {"admissible": OFFERED}], {}),
    ("AR1", "house", lambda m: [m.say('```json\n{"action": "look"}\n```')], {}),
    ("AR2", "sql", lambda m: [m.broken("run_sql", '{"sql": "SEL')], {}),
    ("AR2", "sql", lambda m: [m.failed("query_db", "tool not found", sql="SELECT 1")], {}),
    ("AR2", "sql", lambda m: [ask(m, READ), m.failed("hand_in", "not an array", answers="3")], {}),
    ("AR2", "sql", lambda m: [m.failed("run_sql", "'sql' is required")], {}),
    ("AR2", "house", lambda m: [do(m, "go shelf 1", "Nothing happens.")], {}),
    ("AR2", "house", lambda m: [do(m, "grab cup 1 from shelf 1", "Nothing happens.")], {}),
    ("AR2", "house", lambda m: [m.failed("do", "'action' is required", command="look")], {}),
    (
        "AR3",
        "sql",
        lambda m: [bad(m, "SELECT SUM(Unit Price) FROM sales", 'near "Price": syntax error')],
        COLUMN,
    ),
    (
        "AR3",
        "sql",
        lambda m: [bad(m, "SELECT Unit Price FROM sales", "no such column: Unit")],
        COLUMN,
    ),
    (
        "AR3",
        "sql",
        lambda m: [bad(m, "SELECT order_date FROM sales", "Unknown column 'order_date'")],
        COLUMN,
    ),
    (
        "AR3",
        "sql",
        lambda m: [bad(m, "SELECT 1; SELECT 2", "You can only execute one statement at a time.")],
        {},
    ),
    ("EC1", "sql", lambda m: [ask(m, "INSERT INTO t VALUES (1)"), m.say("I have added it.")], {}),
    ("EC1", "sql", lambda m: [ask(m, READ), m.say("The work is complete."), m.say("Done.")], {}),
    ("EC1", "sql", lambda m: [ask(m, READ), m.say("There are twelve rows in it.")], {}),
    ("EC2", "sql", lambda m: [answer(m, "3")], {}),
    ("EC2", "sql", lambda m: [m.failed("hand_in", "nothing was run yet", answers=["3"])], {}),
    (
        "EC2",
        "sql",
        lambda m: [ask(m, "UPDATE t SET a = 1 WHERE b = 'gold'", "1 row"), answer(m, "done")],
        {},
    ),
    ("EC2", "house", lambda m: [do(m, "take key 1 from drawer 2", "Nothing happens.")], {}),
    ("EC2", "house", lambda m: [do(m, "open shelf 1", "Nothing happens.")], {}),
    (
        "EC2",
        "house",
        lambda m: [do(m, "look"), do(m, "take egg 1 from drawer 2", "Nothing happens.")],
        {},
    ),
    ("EC3", "sql", lambda m: [ask(m, READ), answer(m, "The answer you want is 42, I think.")], {}),
    ("EC3", "sql", lambda m: [ask(m, READ, "[('ann', 3)]"), answer(m, "ann, 3")], {}),
    ("EC3", "sql", lambda m: [ask(m, READ, "[(3,), (4,)]"), answer(m, "[3, 4]")], {}),
    ("TD1", "sql", lambda m: loop(m, 10), BUDGET),
    ("TD1", "sql", lambda m: [ask(m, READ), ask(m, "SELECT b FROM t")] * 5, BUDGET),
    ("TD1", "sql", lambda m: [ask(m, f"SELECT {i % 3} FROM t") for i in range(10)], BUDGET),
    ("TD1", "house", lambda m: [do(m, "go to shelf 1"), do(m, "go to drawer 2")] * 5, BUDGET),
    ("TD1", "house", lambda m: [do(m, "look", f"Scene {i}.") for i in range(10)], BUDGET),
    ("TD1", "house", lambda m: [do(m, "go to shelf 1")] * 10, BUDGET),
    (
        "TD2",
        "house",
        lambda m: [do(m, f"go to shelf {i % 2}", f"Round {i}.") for i in range(10)],
        BUDGET,
    ),
    (
        "TD2",
        "house",
        lambda m: [do(m, f"go to drawer {i % 3}", f"Dark {i}.") for i in range(9)],
        BUDGET,
    ),
    (
        "TD2",
        "sql",
        lambda m: [bad(m, f"SELECT c{i} FROM t", f"no such column: c{i}") for i in range(9)],
        BUDGET,
    ),
    (
        "TD3",
        "house",
        lambda m: [do(m, c, "Nothing happens.") for c in OFFERED[:4]],
        {"termination": "budget", "budget": 20},
    ),
    (
        "TD3",
        "house",
        lambda m: [do(m, "look")] + [do(m, c, "Nothing happens.") for c in OFFERED[1:4]],
        BUDGET,
    ),
    (
        "TD3",
        "sql",
        lambda m: [ask(m, f"UPDATE t SET a = {i}", "0 rows affected") for i in range(4)],
        BUDGET,
    ),
    ("RR", "sql", lambda m: [ask(m, READ), answer(m, "7")], {}),
    ("RR", "sql", lambda m: [ask(m, "UPDATE t SET a = 3", "2 rows"), answer(m, "done")], {}),
    (
        "RR",
        "sql",
        lambda m: [bad(m, "SELECT x FROM t", "no such column: x"), ask(m, READ), answer(m, "7")],
        {},
    ),
    ("RR", "house", lambda m: [do(m, "go to shelf 1"), do(m, "take cup 1 from shelf 1")], BUDGET),
    ("RR", "house", lambda m: [do(m, c, f"New {c}.") for c in OFFERED], BUDGET),
    ("NA", "sql", lambda _: [], {}),
    ("NA", "sql", lambda m: [ask(m, READ)], {"reward_parts": {"r_actions": 1.0}}),
    ("NA", "house", lambda m: [do(m, "look")], {"reward_parts": {"info": {"r_actions": 1.0}}}),
]

SILENT: list[tuple[str, str, Moves, dict[str, Any]]] = [
    (
        "AR1",
        "sql",
        lambda m: [m.say("For example:\n```sql\nSELECT 1 FROM t\n```"), answer(m, "1")],
        {},
    ),
    (
        "AR1",
        "sql",
        lambda m: [m.say('```json\n{"name": "search", "arguments": {"q": "x"}}\n```')],
        {},
    ),
    ("AR1", "house", lambda m: [m.say("I think that is all."), do(m, "look")], {}),
    ("AR1", "sql", lambda m: [m.say("SELECT a FROM t"), ask(m, READ), answer(m, "7")], {}),
    (
        "AR2",
        "sql",
        lambda m: [m.failed("hand_in", "not an array", answers="3"), answer(m, "3")],
        {},
    ),
    ("AR2", "sql", lambda m: [bad(m, "SELECT x FROM t", "no such column: x")], {}),
    (
        "AR2",
        "house",
        lambda m: [do(m, "go shelf 1", "Nothing happens."), do(m, "go to shelf 1")],
        {},
    ),
    ("AR3", "sql", lambda m: [bad(m, "SELECT cost FROM sales", "no such column: cost")], COLUMN),
    ("AR3", "sql", lambda m: [bad(m, "SELECT a/0 FROM sales", "division by zero")], COLUMN),
    ("EC1", "sql", lambda m: [ask(m, READ), m.say("Done."), answer(m, "3")], {}),
    ("EC1", "house", lambda m: [do(m, "look"), m.say("I have put it there.")], {}),
    ("EC2", "sql", lambda m: [ask(m, READ), answer(m, "3")], {}),
    (
        "EC2",
        "sql",
        lambda m: [
            ask(m, "SELECT DISTINCT b FROM t", "[('gold',)]"),
            ask(m, "UPDATE t SET a = 1 WHERE b = 'gold'", "1 row"),
            answer(m, "done"),
        ],
        {},
    ),
    (
        "EC3",
        "sql",
        lambda m: [
            ask(m, READ, "[('a rather long name of a thing',)]"),
            answer(m, "a rather long name of a thing"),
        ],
        {},
    ),
    ("EC3", "sql", lambda m: [ask(m, READ, "[('Smith, Ann',)]"), answer(m, "Smith, Ann")], {}),
    ("TD1", "sql", lambda m: [ask(m, READ, f"[({i},)]") for i in range(10)], BUDGET),
    ("TD1", "sql", lambda m: [ask(m, f"{READ} LIMIT 5 OFFSET {i}") for i in range(10)], BUDGET),
    ("TD1", "sql", lambda m: [*loop(m, 9), answer(m, "7")], {}),
    ("TD2", "house", lambda m: [do(m, "go to shelf 1"), do(m, "go to drawer 2")], BUDGET),
    ("TD2", "sql", lambda m: [bad(m, "SELECT c FROM t", "no such column: c")] * 2, BUDGET),
    ("TD3", "house", lambda m: [do(m, "look", "Nothing happens."), do(m, "go to shelf 1")], BUDGET),
    ("TD3", "sql", lambda m: [ask(m, READ, f"[{i}]") for i in range(4)], BUDGET),
    ("RR", "sql", lambda m: [m.broken("run_sql", "{")], {}),
    ("RR", "sql", lambda m: [answer(m, "3")], {}),
    ("NA", "sql", lambda m: [ask(m, READ)], {"reward_parts": {"r_actions": 0.0}}),
    ("NA", "house", lambda m: [do(m, "look")], {}),
]


@pytest.mark.parametrize("index", range(len(FIRING)))
def test_a_planted_cause_gets_its_bullet(index, make, moves, sql_profile, command_profile):
    bullet, world, plant, options = FIRING[index]
    profile = {"sql": sql_profile, "house": command_profile}[world]
    found = annotate(make(plant(moves), **options), profile)
    assert found.label is not None
    assert found.label.bullet == bullet, found.label


@pytest.mark.parametrize("index", range(len(SILENT)))
def test_a_near_miss_does_not_get_the_bullet(index, make, moves, sql_profile, command_profile):
    bullet, world, plant, options = SILENT[index]
    profile = {"sql": sql_profile, "house": command_profile}[world]
    found = annotate(make(plant(moves), **options), profile)
    assert found.label is not None
    assert found.label.bullet != bullet, found.label


def test_every_bullet_has_three_firing_and_two_silent_plants():
    firing, silent = Counter(row[0] for row in FIRING), Counter(row[0] for row in SILENT)
    assert min(firing.values()) >= 3
    assert min(silent.values()) >= 2
    assert set(firing) == set(silent)
    assert len(firing) == 11
