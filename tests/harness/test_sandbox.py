import time

import pytest

from tasks.harness import Sandbox, SandboxError
from tasks.harness.rules import read_rules
from tasks.harness.sandbox import Limits
from tasks.harness.timeline import (
    Point,
    Timeline,
    encode_action,
    encode_base,
    encode_entry,
    encode_message,
)
from tasks.harness.values import Action, HistoryEntry

GOOD = 'def rule_good(action, context):\n    return {"kind": "block", "message": "good"}\n'


def timeline(points=1, history=3, **action):
    given = Action(**{"tool": "execute_sql", "arguments": {"sql": "x"}, **action})
    entries = [
        encode_entry(HistoryEntry(Action("execute_sql", {"n": n}), f"row {n}"))
        for n in range(max(history, points))
    ]
    moments = tuple(
        Point(encode_action(given), history if points == 1 else n, 1, n, 9 - n)
        for n in range(points)
    )
    messages = [encode_message({"role": "user", "content": "Do it."})]
    return Timeline(encode_base("Do it.", [{"name": "execute_sql"}]), entries, messages, moments)


@pytest.fixture
def ask(sandbox, run):
    def evaluate(source, shown=None):
        return run(sandbox.evaluate(read_rules("actions", source), shown or timeline()))

    return evaluate


HOSTILE = {
    "endless loop": ("while True:\n        pass", "timeout"),
    "loop that catches everything": (
        "while True:\n        try:\n            x = 1\n"
        "        except BaseException:\n            x = 2",
        "timeout",
    ),
    "memory bomb": ("return 'a' * (10 ** 10)", "memory"),
    "list bomb": ("return [0] * (10 ** 9)", "memory"),
    "power tower": ("return 9 ** (9 ** 7)", "timeout"),
    "files": ("return open('/etc/passwd').read()", "error"),
    "os": ("import os\n    return os.listdir('/')", "error"),
    "environment": ("import os\n    return os.environ['PATH']", "error"),
    "socket": ("import socket\n    return 1", "error"),
    "subprocess": ("import subprocess\n    return 1", "error"),
    "__import__": ("return __import__('os').getcwd()", "error"),
    "class escape": ("return ().__class__.__mro__[1].__subclasses__()", "error"),
    "globals": ("return globals()", "error"),
    "recursion": ("return rule_bad(action, context)", "error"),
    "generator": ("yield {'kind': 'block', 'message': 'x'}", "error"),
    "exit": ("raise SystemExit", "error"),
    "interrupt": ("raise KeyboardInterrupt", "error"),
    "odd exit": ("raise SystemExit(1)", "error"),
    "huge result": ("return {'kind': 'block', 'message': 'x' * 1000000}", "bad_result"),
    "set result": ("return {1, 2}", "error"),
    "class result": ("class A:\n        pass\n    return A()", "error"),
    "cyclic result": ("x = []\n    x.append(x)\n    return x", "error"),
    "much printing": ("for i in range(100000):\n        print('x' * 100)", "memory"),
    "bad pattern": ("import re\n    return re.match('(', 'a')", "error"),
    "unknown name": ("return never_defined", "error"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_rule_is_a_fault_and_its_neighbours_are_not(ask, name):
    body, kind = HOSTILE[name]
    source = f"def rule_bad(action, context):\n    {body}\n\n\n{GOOD}"
    found = {outcome.rule: outcome for outcome in ask(source)[0]}
    assert found["rule_bad"].fault == kind
    assert found["rule_bad"].message
    assert len(found["rule_bad"].message) < 400
    assert found["rule_good"].fault is None
    assert "good" in found["rule_good"].result


def test_a_hostile_rule_does_not_stop_other_feeds(sandbox, run):
    import asyncio

    bad = read_rules("actions", "def rule_bad(action, context):\n    return 9 ** (9 ** 7)\n")
    good = read_rules("actions", GOOD)

    async def both():
        feeds = [sandbox.evaluate(good, timeline()) for _ in range(30)]
        return await asyncio.gather(sandbox.evaluate(bad, timeline()), *feeds)

    worst, *rest = run(both())
    assert worst[0][0].fault == "timeout"
    assert all(outcomes[0][0].result for outcomes in rest)


def test_an_unsupported_statement_is_the_fault_of_its_rule_alone(ask):
    source = "def rule_bad(action, context):\n    x = {}\n    del x['a']\n\n\n" + GOOD
    found = {outcome.rule: outcome for outcome in ask(source)[0]}
    assert "del" in found["rule_bad"].message
    assert found["rule_good"].result


def test_a_missing_module_is_the_fault_of_the_rules_that_use_it(ask):
    source = "import difflib\n\n\ndef rule_bad(action, context):\n    return difflib.x\n\n\n" + GOOD
    found = {outcome.rule: outcome for outcome in ask(source)[0]}
    assert "difflib" in found["rule_bad"].message
    assert found["rule_good"].result


def test_clock_and_random_are_fixed(ask):
    source = (
        "import datetime\nimport random\nimport time\n\n\n"
        "def rule_a(action, context):\n"
        "    said = [str(datetime.datetime.now()), random.random(), time.time()]\n"
        "    time.sleep(100)\n"
        "    return {'kind': 'block', 'message': str(said)}\n"
    )
    first = ask(source)[0][0].result
    assert "2000-01-01" in first
    assert all(ask(source)[0][0].result == first for _ in range(3))


def test_nothing_is_kept_between_feeds(ask):
    source = (
        "SEEN = []\n\n\ndef rule_a(action, context):\n    SEEN.append(1)\n"
        "    return {'kind': 'block', 'message': str(len(SEEN))}\n"
    )
    said = {ask(source)[0][0].result for _ in range(4)}
    assert said == {'{"kind": "block", "message": "1"}'}


KEEPERS = {
    "list": "SEEN = []\n\n\ndef rule_a(action, context):\n    SEEN.append(1)\n    n = len(SEEN)\n",
    "dict": "SEEN = {}\n\n\ndef rule_a(action, context):\n"
    "    SEEN[str(context['step'])] = 1\n    n = len(SEEN)\n",
    "global": "N = 0\n\n\ndef rule_a(action, context):\n    global N\n    N += 1\n    n = N\n",
    "closure": "def counter():\n    seen = []\n    def count():\n        seen.append(1)\n"
    "        return len(seen)\n    return count\n\n\nCOUNT = counter()\n\n\n"
    "def rule_a(action, context):\n    n = COUNT()\n",
    "class": "class Seen:\n    items = []\n\n\ndef rule_a(action, context):\n"
    "    Seen.items.append(1)\n    n = len(Seen.items)\n",
    "iterator": "import itertools\n\nNEXT = itertools.count()\n\n\n"
    "def rule_a(action, context):\n    n = next(NEXT)\n",
    "random": "import random\n\n\ndef rule_a(action, context):\n    n = random.random()\n",
    "history": "def rule_a(action, context):\n    n = len(context['history'])\n"
    "    context['history'].append(1)\n    n = n + len(context['history'])\n",
    "entry": "def rule_a(action, context):\n    n = 0\n    for entry in context['history']:\n"
    "        n = n + entry.get('mark', 0)\n        entry['mark'] = 1\n",
    "action": "def rule_a(action, context):\n    n = action['arguments'].get('n', 0) + 1\n"
    "    action['arguments']['n'] = n\n",
    "tools": "def rule_a(action, context):\n    context['tools'].append(1)\n"
    "    n = len(context['tools'])\n",
}


@pytest.mark.parametrize("keeper", KEEPERS)
def test_many_points_in_one_feed_give_what_single_feeds_give(ask, keeper):
    tail = "    return {'kind': 'block', 'message': str(n)}\n"
    second = KEEPERS[keeper].split("def rule_a")[1]
    source = KEEPERS[keeper] + tail + "\n\ndef rule_b" + second + tail
    shown = timeline(points=6)
    together = ask(source, shown)
    apart = [ask(source, shown.at(index))[0] for index in range(6)]
    assert together == apart


def test_a_rule_does_not_see_what_another_did_to_the_context(ask):
    source = (
        "def rule_a(action, context):\n    action['arguments']['sql'] = 'DROP'\n"
        "    context['history'].clear()\n    return None\n\n\n"
        "def rule_b(action, context):\n"
        "    said = action['arguments']['sql'] + str(len(context['history']))\n"
        "    return {'kind': 'block', 'message': said}\n"
    )
    assert [outcome.result for outcome in ask(source)[0]] == ['{"kind": "block", "message": "x3"}']


def test_many_points_cost_one_feed_and_agree_with_single_ones(ask):
    source = (
        "KNOWN = {'a': [1, 2]}\n\n\n"
        "def rule_a(action, context):\n"
        "    return {'kind': 'block', 'message': str(len(context['history']) + context['step'])}\n"
        "\n\ndef rule_b(action, context):\n"
        "    return 1 / (context['step'] - 2)\n"
    )
    assert read_rules("actions", source).is_stateless
    shown = timeline(points=8)
    together = ask(source, shown)
    assert together == [ask(source, shown.at(index))[0] for index in range(8)]
    assert together[2][1].fault == "error"


def test_a_loop_at_one_point_does_not_hide_the_others(ask):
    source = (
        "def rule_a(action, context):\n    while context['step'] == 1:\n        pass\n"
        "    return {'kind': 'block', 'message': 'x'}\n"
    )
    found = ask(source, timeline(points=3))
    assert [outcomes[0].fault for outcomes in found] == [None, "timeout", None]


def test_rules_see_the_documented_context(ask):
    source = (
        "import json\n\n\ndef rule_a(action, context):\n"
        "    return {'kind': 'block', 'message': json.dumps([action, context])}\n"
    )
    import json

    message = json.loads(ask(source)[0][0].result)["message"]
    action, context = json.loads(message)
    assert action == {
        "tool": "execute_sql",
        "arguments": {"sql": "x"},
        "raw_text": "",
        "parse_error": None,
    }
    assert sorted(context) == sorted(
        ["task_text", "tools", "messages", "history", "admissible", "step", "remaining_steps"]
    )
    assert context["history"][0] == {
        "action": {
            "tool": "execute_sql",
            "arguments": {"n": 0},
            "raw_text": "",
            "parse_error": None,
        },
        "observation": "row 0",
        "is_error": False,
    }


@pytest.mark.parametrize(
    "text", ["\ud800", "a\udfffb", "\0", "\ud83d\ude00", "x" * 200_000, '"}]', "\u2028"]
)
def test_odd_text_is_no_fault_of_a_rule(ask, text):
    source = "def rule_a(action, context):\n    return {'kind': 'block', 'message': 'seen'}\n"
    shown = timeline(raw_text=text, arguments={"sql": text[:1000], text[:10]: float("nan")})
    assert ask(source, shown)[0][0].result == '{"kind": "block", "message": "seen"}'


def test_a_rule_that_redefines_builtins_does_not_break_the_call(ask):
    source = "def len(x):\n    return 'no'\n\n\ndef dict():\n    return 5\n\n\n" + GOOD
    assert ask(source)[0][0].result


def test_a_closed_sandbox_says_so(run):
    async def use_closed():
        box = Sandbox(workers=1)
        async with box:
            pass
        await box.evaluate(read_rules("actions", GOOD), timeline())

    with pytest.raises(SandboxError):
        run(use_closed())


@pytest.mark.parametrize("name", ["endless loop", "memory bomb", "power tower"])
def test_the_message_of_a_fault_is_the_same_every_time(ask, name):
    source = f"def rule_bad(action, context):\n    {HOSTILE[name][0]}\n"
    assert ask(source) == ask(source)


def test_a_sandbox_that_was_not_started_says_so(run):
    with pytest.raises(SandboxError):
        run(Sandbox(workers=1).evaluate(read_rules("actions", GOOD), timeline()))


def test_a_slow_machine_is_not_blamed_on_a_rule(run):
    async def count_faults():
        async with Sandbox(workers=1, limits=Limits(seconds=0.25)) as box:
            rules = read_rules("actions", GOOD)
            started = time.monotonic()
            found = [await box.evaluate(rules, timeline()) for _ in range(50)]
            assert time.monotonic() - started < 30
            return [outcomes for outcomes in found if outcomes[0][0].fault]

    assert run(count_faults()) == []
