import json
from typing import Any

import pytest

from tasks.harness import Call, Harness, HarnessError, HistoryEntry, Sandbox, Session
from tasks.harness.values import Action

SQL: dict[str, Any] = {"sql": "SELECT 1"}
SQL_TEXT = json.dumps(SQL)


def rule(name, result, layer="actions"):
    first = "action" if layer == "actions" else "history"
    return f"def {name}({first}, context):\n    return {result!r}\n\n\n"


def rescue(tool="execute_sql", **arguments):
    return {"kind": "rescue", "tool": tool, "arguments": arguments or SQL}


def rewrite(**arguments):
    return {"kind": "rewrite", "tool": "execute_sql", "arguments": arguments}


def force(tool="execute_sql", **arguments):
    return {"kind": "force", "tool": tool, "arguments": arguments or SQL}


def block(message):
    return {"kind": "block", "message": message}


def hint(message):
    return {"kind": "hint", "message": message}


@pytest.fixture
def decide(make, open_session, run):
    def go(actions, name="execute_sql", arguments=SQL_TEXT, **more):
        session = open_session(make(actions=actions))
        return run(session.before_call(name, arguments, **more))

    return go


@pytest.fixture
def regulate(make, open_session, run):
    def go(regulation, observation="rows", **more):
        settings = more.pop("settings", None)
        extra = {"settings": settings} if settings else {}
        session = open_session(make(regulation=regulation, **extra), **more)

        async def both():
            await session.before_call("execute_sql", json.dumps(SQL))
            return await session.after_result(Call("execute_sql", SQL), observation)

        return run(both())

    return go


def done(decision):
    return [(one.artifact, one.kind, one.suppressed) for one in decision.interventions]


def test_a_plain_call_passes(decide):
    decision = decide("")
    assert decision.kind == "execute"
    assert decision.call == Call("execute_sql", SQL)
    assert decision.interventions == decision.faults == ()


def test_a_block_tells_the_model_why(decide):
    decision = decide(rule("rule_b", block("Not now.")))
    assert (decision.kind, decision.call, decision.message) == ("blocked", None, "Not now.")
    (one,) = decision.interventions
    assert one.before == '{"arguments":{"sql":"SELECT 1"},"tool":"execute_sql"}'
    assert one.after == "Not now."


def test_a_rewrite_is_executed_instead(decide):
    decision = decide(rule("rule_r", rewrite(sql="SELECT 2")))
    assert decision.call == Call("execute_sql", {"sql": "SELECT 2"})
    assert done(decision) == [("rule_r", "rewrite", False)]


def test_block_wins_over_an_earlier_rewrite(decide):
    decision = decide(rule("rule_r", rewrite(sql="2")) + rule("rule_b", block("no")))
    assert decision.kind == "blocked"
    assert done(decision) == [("rule_b", "block", False), ("rule_r", "rewrite", True)]


def test_the_first_of_a_kind_wins(decide):
    decision = decide(rule("rule_2", rewrite(sql="2")) + rule("rule_1", rewrite(sql="1")))
    assert decision.call.arguments == {"sql": "2"}
    assert done(decision) == [("rule_2", "rewrite", False), ("rule_1", "rewrite", True)]


def test_a_rewrite_is_not_checked_again(decide):
    blocks_two = (
        "def rule_b(action, context):\n"
        "    if action['arguments'].get('sql') == '2':\n"
        "        return {'kind': 'block', 'message': 'two'}\n\n\n"
    )
    assert decide(rule("rule_r", rewrite(sql="2")) + blocks_two).kind == "execute"


def test_a_rewrite_into_the_same_call_is_nothing(decide):
    decision = decide(rule("rule_same", rewrite(**SQL)) + rule("rule_r", rewrite(sql="2")))
    assert done(decision) == [("rule_r", "rewrite", False)]


def test_rescue_does_nothing_to_a_call_that_was_parsed(decide):
    decision = decide(rule("rule_r", rescue(sql="2")))
    assert decision.call == Call("execute_sql", SQL)
    assert done(decision) == [("rule_r", "rescue", True)]


def test_rescue_finds_a_call_in_prose(decide):
    decision = decide(rule("rule_r", rescue(sql="2")), None, None, raw_text="I run 2")
    assert (decision.kind, decision.call) == ("execute", Call("execute_sql", {"sql": "2"}))
    (one,) = decision.interventions
    assert (one.before, one.kind) == ("I run 2", "rescue")


def test_rescue_mends_arguments_that_cannot_be_read(decide):
    decision = decide(rule("rule_r", rescue(sql="2")), arguments='{"sql": "2"')
    assert decision.call == Call("execute_sql", {"sql": "2"})
    assert "not JSON" in decision.parse_error


def test_rescue_comes_before_block_and_the_found_call_is_checked(decide):
    blocks_calls = (
        "def rule_b(action, context):\n"
        "    if action['tool'] is not None:\n"
        "        return {'kind': 'block', 'message': 'no'}\n\n\n"
    )
    decision = decide(blocks_calls + rule("rule_r", rescue()), None, None)
    assert decision.kind == "blocked"
    assert done(decision) == [("rule_r", "rescue", False), ("rule_b", "block", False)]


def test_a_found_call_may_be_rewritten(decide):
    quotes = (
        "def rule_q(action, context):\n"
        "    if action['arguments'].get('sql') == 'a b':\n"
        "        return {'kind': 'rewrite', 'tool': 'execute_sql',"
        " 'arguments': {'sql': 'ab'}}\n\n\n"
    )
    decision = decide(quotes + rule("rule_r", rescue(sql="a b")), None, None)
    assert decision.call == Call("execute_sql", {"sql": "ab"})
    assert done(decision) == [("rule_r", "rescue", False), ("rule_q", "rewrite", False)]


def test_a_turn_without_a_call_can_be_blocked_with_a_better_message(decide):
    decision = decide(rule("rule_b", block("Call a tool.")), None, None, raw_text="Hm.")
    assert (decision.kind, decision.message) == ("blocked", "Call a tool.")


def test_a_turn_without_a_call_is_told_so(decide):
    decision = decide("", None, None, raw_text="Hm.")
    assert decision.kind == "none"
    assert "commit_final_answer, execute_sql" in decision.message


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        ('{"sql": "Par', "not JSON"),
        ('{"a": 1}{"b": 2}', "trailing data"),
        ('"{\\"a\\": 1}"', "text, not a JSON object"),
        ("[1]", "a list, not a JSON object"),
        ("null", "null, not a JSON object"),
        ("true", "a truth value"),
        ("5", "a number"),
        ('{"a": NaN}', "NaN"),
        ('{"a": [-1e999]}', "too large"),
        ("[" * 100_000, "not JSON"),
        ('{"a":' + "[" * 200 + "]" * 200 + "}", "too deeply"),
        ('{"a": ' + "9" * 5000 + "}", "not JSON"),
        ("SELECT 1", "not JSON"),
    ],
)
def test_arguments_that_are_no_object_are_never_executed(decide, raw, why):
    decision = decide("", arguments=raw)
    assert (decision.kind, decision.call) == ("unusable", None)
    assert why in decision.parse_error
    assert decision.parse_error in decision.message


@pytest.mark.parametrize("raw", [None, "", "  "])
def test_a_call_without_argument_text_has_no_arguments(decide, raw):
    assert decide("", arguments=raw).call == Call("execute_sql", {})


def test_an_unknown_tool_is_left_to_the_environment(decide):
    assert decide("", "no_such_tool").call == Call("no_such_tool", SQL)


@pytest.mark.parametrize(
    "result",
    [
        5,
        "block",
        [],
        {},
        {"kind": "hint", "message": "x"},
        {"kind": "block"},
        {"kind": "block", "message": ""},
        {"kind": "block", "message": 5},
        {"kind": "block", "message": "x", "extra": 1},
        {"kind": "block", "message": "x" * 5000},
        {"kind": "rewrite", "tool": "execute_sql"},
        {"kind": "rewrite", "tool": "execute_sql", "arguments": "x"},
        {"kind": "rewrite", "tool": "no_such_tool", "arguments": {}},
        {"kind": "rewrite", "tool": 5, "arguments": {}},
        {"kind": "rescue", "tool": "no_such_tool", "arguments": {}},
        {"kind": ["block"], "message": "x"},
        {"kind": None},
    ],
)
def test_a_bad_result_is_a_fault_and_changes_no_call(decide, result):
    decision = decide(rule("rule_x", result))
    assert (decision.kind, decision.call) == ("execute", Call("execute_sql", SQL))
    assert [(fault.artifact, fault.kind) for fault in decision.faults] == [("rule_x", "bad_result")]
    assert decision.interventions == ()


def test_a_failing_rule_changes_no_call(decide):
    decision = decide("def rule_x(action, context):\n    return 1 / 0\n")
    assert decision.call == Call("execute_sql", SQL)
    assert decision.faults[0].kind == "error"
    assert decision.faults[0].artifact_id.startswith("art_")


def test_a_hint_goes_behind_the_observation(regulate):
    after = regulate(rule("rule_h", hint("Look closer."), "regulation"))
    assert after.observation == "rows\n\nHint: Look closer."
    (one,) = after.interventions
    assert (one.before, one.after, one.kind) == ("rows", "Look closer.", "hint")


def test_only_one_hint_is_given(regulate):
    after = regulate(
        rule("rule_1", hint("one"), "regulation") + rule("rule_2", hint("two"), "regulation")
    )
    assert after.observation == "rows\n\nHint: one"
    assert done(after) == [("rule_1", "hint", False), ("rule_2", "hint", True)]


def test_force_wins_over_hint_and_stop_over_force(regulate):
    hints = rule("rule_h", hint("one"), "regulation")
    forces = rule("rule_f", force(), "regulation")
    stops = rule("rule_s", {"kind": "stop"}, "regulation")
    after = regulate(hints + forces)
    assert (after.forced, after.observation) == (Call("execute_sql", SQL), "rows")
    assert done(after) == [("rule_f", "force", False), ("rule_h", "hint", True)]
    after = regulate(hints + forces + stops)
    assert (after.stop, after.forced) == (True, None)
    assert done(after)[0] == ("rule_s", "stop", False)


def test_a_long_hint_is_shortened(regulate):
    settings = "api: 1\nenvironment: sqldesk\nbudgets: {hint_chars: 50}\n"
    after = regulate(rule("rule_h", hint("x" * 300), "regulation"), settings=settings)
    assert after.observation == "rows\n\nHint: " + "x" * 49 + "…"


@pytest.mark.parametrize("result", [hint(5), hint(""), force("no_such_tool"), block("x")])
def test_a_bad_regulation_result_leaves_the_observation_alone(regulate, result):
    after = regulate(rule("rule_x", result, "regulation"))
    assert (after.observation, after.forced, after.stop) == ("rows", None, False)
    assert after.faults[0].kind == "bad_result"


def test_hints_and_forced_actions_keep_to_their_budgets(make, open_session, run):
    settings = "api: 1\nenvironment: sqldesk\nbudgets: {hints: 1, forced: 1}\n"
    rules = rule("rule_f", force(), "regulation") + rule("rule_h", hint("one"), "regulation")
    session = open_session(make(regulation=rules, settings=settings))

    async def three():
        return [await session.after_result(Call("execute_sql", SQL), "rows") for _ in range(3)]

    first, second, third = run(three())
    assert first.forced
    assert second.observation.endswith("Hint: one")
    assert (third.forced, third.observation) == (None, "rows")
    assert all(one.suppressed for one in third.interventions)


def test_nothing_is_forced_when_the_budget_is_spent(regulate):
    assert regulate(rule("rule_f", force(), "regulation"), budget=1).forced is None
    assert regulate(rule("rule_f", force(), "regulation"), budget=2).forced


def test_every_turn_and_forced_action_spends_budget(make, open_session, run):
    session = open_session(make(), budget=4)

    async def play():
        await session.before_call(None, None, raw_text="Hm.")
        await session.after_result(None, "no call", is_error=True)
        await session.before_call("execute_sql", "{}")
        await session.after_result(Call("execute_sql", {}), "rows")
        await session.before_call("execute_sql", "{}", is_new_turn=False)
        await session.after_result(Call("execute_sql", {}), "rows")
        await session.after_result(Call("execute_sql", SQL), "forced")

    run(play())
    assert (session.step, session.remaining_steps) == (3, 1)
    assert [entry.observation for entry in session.history] == ["no call", "rows", "rows", "forced"]


def test_a_loop_that_skips_results_of_refused_calls_keeps_the_history(make, open_session, run):
    session = open_session(make(actions=rule("rule_b", block("no"))))

    async def play():
        await session.before_call("execute_sql", "{}")
        await session.before_call("execute_sql", "{}")

    run(play())
    (entry,) = session.history
    assert (entry.observation, entry.is_error) == ("no", True)


def test_history_holds_the_executed_call_and_the_bare_observation(make, open_session, run):
    harness = make(
        actions=rule("rule_r", rewrite(sql="2")), regulation=rule("rule_h", hint("x"), "regulation")
    )
    session = open_session(harness)

    async def play():
        decision = await session.before_call("execute_sql", "{}", raw_text="I do it.")
        await session.after_result(decision.call, "rows")

    run(play())
    expected = HistoryEntry(Action("execute_sql", {"sql": "2"}, "I do it."), "rows")
    assert session.history == (expected,)


def test_rules_see_history_admissible_and_budget(make, open_session, run):
    source = (
        "def rule_a(action, context):\n"
        "    seen = [entry['observation'] for entry in context['history']]\n"
        "    return {'kind': 'block', 'message': str([seen, context['admissible'],"
        " context['step'], context['remaining_steps'], context['task_text'],"
        " len(context['messages'])])}\n"
    )
    session = open_session(make(actions=source), task="T", budget=5)
    session.condition([{"role": "user", "content": "T"}], [])
    session.note_message({"role": "user", "content": "And quickly."})

    async def play():
        await session.after_result(Call("execute_sql", {}), "rows")
        return await session.before_call("execute_sql", "{}", admissible=["go"])

    assert run(play()).message == "[['rows'], ['go'], 1, 4, 'T', 2]"


def test_a_fork_continues_from_a_history(make, open_session, run):
    source = "def rule_h(history, context):\n" + (
        "    if len(history) == 3:\n        return {'kind': 'hint', 'message': 'three'}\n"
    )
    first = open_session(make(regulation=source))

    async def play(session, turns):
        found = None
        for _ in range(turns):
            await session.before_call("execute_sql", "{}")
            found = await session.after_result(Call("execute_sql", {}), "rows")
        return found

    run(play(first, 2))
    fork = open_session(make(regulation=source))
    fork.resume(first.history)
    assert run(play(fork, 1)) == run(play(first, 1))
    assert fork.history == first.history


def test_a_rule_that_used_up_the_sandbox_is_left_out_afterwards(make, open_session, run):
    source = "def rule_l(action, context):\n    while True:\n        pass\n\n\n" + rule(
        "rule_b", block("no")
    )
    session = open_session(make(actions=source))

    async def twice():
        return [await session.before_call("execute_sql", "{}") for _ in range(2)]

    first, second = run(twice())
    assert [fault.kind for fault in first.faults] == ["timeout"]
    assert second.faults == ()
    assert first.kind == second.kind == "blocked"


@pytest.mark.parametrize("layer", ["actions", "regulation"])
def test_a_layer_that_is_off_asks_no_rule(make, run, tools, layer):
    rules = {layer: rule("rule_x", block("no"), layer)}
    session = Session(make(**rules).without_layer(layer), "T", tools)

    async def play():
        decision = await session.before_call("execute_sql", "{}")
        return decision, await session.after_result(decision.call, "rows")

    decision, after = run(play())
    assert (decision.kind, after.observation) == ("execute", "rows")


def test_rules_without_a_sandbox_are_refused(make, tools):
    with pytest.raises(HarnessError, match="needs a sandbox"):
        Session(make(actions=rule("rule_b", block("no"))), "T", tools)


def test_an_oversized_call_passes_unchecked(decide):
    arguments = json.dumps({"sql": "x" * 100_000})
    assert decide(rule("rule_b", block("no")), arguments=arguments).kind == "execute"


def test_lone_surrogates_from_the_model_are_no_fault(decide):
    decision = decide(
        rule("rule_n", None),
        arguments='{"sql": "\\ud800"}',
        raw_text="\udfff",
        admissible=["\ud800"],
    )
    assert decision.kind == "execute"
    assert decision.faults == ()


def test_many_sessions_share_a_sandbox(make, tools, sandbox: Sandbox, run):
    import asyncio

    harness: Harness = make(
        actions="def rule_a(action, context):\n"
        "    return {'kind': 'block', 'message': context['task_text']}\n"
    )

    async def one(number):
        session = Session(harness, f"task {number}", tools, sandbox=sandbox)
        return (await session.before_call("execute_sql", "{}")).message

    async def all_of_them():
        return await asyncio.gather(*(one(number) for number in range(60)))

    assert run(all_of_them()) == [f"task {number}" for number in range(60)]
