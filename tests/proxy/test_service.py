"""What client and upstream see of a harness that stands between them."""

import json
from itertools import pairwise

import pytest

from tasks.harness import SandboxError

ASK = {"role": "user", "content": "How many rows?"}
SQL = json.dumps({"sql": "SELECT 1"})
CALL = [("execute_sql", SQL)]
BLOCK = """def rule_no_drop(action, context):
    if "DROP" in action["arguments"].get("sql", ""):
        return {"kind": "block", "message": "Never drop."}
"""
REWRITE = """def rule_quote(action, context):
    sql = action["arguments"].get("sql", "")
    if sql.endswith("my col"):
        rest = {"sql": sql.replace("my col", '"my col"')}
        return {"kind": "rewrite", "tool": "execute_sql", "arguments": rest}
"""
RESCUE = """def rule_prose(action, context):
    if action["tool"] is None and "SELECT 2" in action["raw_text"]:
        return {"kind": "rescue", "tool": "execute_sql", "arguments": {"sql": "SELECT 2"}}
"""
HINT = """def rule_empty(history, context):
    if history[-1]["observation"] == "[]":
        return {"kind": "hint", "message": "Quote the names."}
"""
FORCE = """def rule_finish(history, context):
    if history[-1]["observation"] == "[7]":
        return {"kind": "force", "tool": "commit_final_answer", "arguments": {"answers": ["7"]}}
"""
STOP = """def rule_enough(history, context):
    if len(history) > 1:
        return {"kind": "stop", "message": "Enough."}
"""
ONE_TOOL = {"type": "function", "function": {"name": "a"}}
DROP = [("execute_sql", json.dumps({"sql": "DROP TABLE t"}))]


@pytest.fixture
def talk(run):
    """Go on with a conversation: what the client sends, and the message it gets."""

    def go(desk, messages, tools, *new, **more):
        messages += new
        reply = run(desk.post({"model": "m", "messages": messages, "tools": tools, **more}))
        message = {k: v for k, v in reply["choices"][0]["message"].items() if v is not None}
        messages.append(message)
        return message

    return go


def result(call, content, **more):
    return {"role": "tool", "tool_call_id": call["id"], "content": content, **more}


def test_contract_hints_and_skill_go_into_the_request(make, open_desk, talk, tools, skill):
    contract = "---\ntools:\n  execute_sql: Read first.\n---\n## Rules\n\nQuote all names.\n"
    harness = make(contract=contract, skills={"count-rows": skill})
    desk = open_desk(harness, [CALL])
    messages = [{"role": "system", "content": "You answer."}]
    talk(desk, messages, tools, ASK)
    (asked,) = desk.upstream.asked
    assert asked["messages"][0]["content"].startswith("You answer.\n\n")
    assert "Quote all names." in asked["messages"][0]["content"]
    assert "Use count(*)." in asked["messages"][1]["content"]
    assert asked["tools"][0]["function"]["description"] == "Runs execute_sql. Read first."
    assert messages[:2] == [{"role": "system", "content": "You answer."}, ASK]


def test_a_reply_nobody_objects_to_reaches_the_client_byte_for_byte(make, open_desk, run, tools):
    desk = open_desk(make(actions=BLOCK), [CALL])
    body = json.dumps({"model": "m", "messages": [ASK], "tools": tools}).encode()
    answer = run(desk.service.answer(desk.form, body, {}))
    assert answer.body == json.dumps(desk.upstream.render(CALL, 0)).encode()


def test_a_rewritten_call_is_what_the_client_executes_and_not_what_the_model_remembers(
    make, open_desk, talk, tools
):
    wrote = json.dumps({"sql": "SELECT my col"})
    desk = open_desk(make(actions=REWRITE), [[("execute_sql", wrote)], "7"])
    messages = []
    (call,) = talk(desk, messages, tools, ASK)["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == {"sql": 'SELECT "my col"'}
    talk(desk, messages, tools, result(call, "[7]"))
    said, came = desk.upstream.asked[1]["messages"][1:]
    assert said["tool_calls"][0]["function"]["arguments"] == wrote
    assert came == result(call, "[7]")


def test_a_blocked_call_is_asked_again_and_the_client_never_hears_of_it(
    make, open_desk, talk, tools
):
    desk = open_desk(make(actions=BLOCK), [DROP, CALL, "1"])
    messages = []
    message = talk(desk, messages, tools, ASK)
    assert message["tool_calls"][0]["function"]["arguments"] == SQL
    told = desk.upstream.asked[1]["messages"][-1]
    assert (told["role"], told["content"]) == ("tool", "Never drop.")
    talk(desk, messages, tools, result(message["tool_calls"][0], "[1]"))
    roles = [m["role"] for m in desk.upstream.asked[2]["messages"]]
    assert roles == ["user", "assistant", "tool", "assistant", "tool"]
    assert [kind for _, (_, _, kind, *_) in desk.interventions()] == ["block"]


def test_asking_again_has_an_end_and_the_blocked_call_is_still_not_given(
    make, open_desk, talk, tools
):
    desk = open_desk(make(actions=BLOCK), [DROP] * 9, most_asks=3)
    message = talk(desk, [], tools, ASK)
    assert message == {"role": "assistant", "content": "Never drop."}
    assert len(desk.upstream.asked) == 3


@pytest.mark.parametrize("turns", [[DROP, DROP, CALL], [DROP] * 3], ids=["answered", "refused"])
def test_a_client_is_told_what_all_the_asking_has_cost(make, open_desk, run, tools, turns):
    desk = open_desk(make(actions=BLOCK), turns, most_asks=3)
    answer = run(desk.post({"model": "m", "messages": [ASK], "tools": tools}))
    spent = {"prompt_tokens": 33, "completion_tokens": 21, "total_tokens": 54}
    assert answer["usage"] == spent


def test_of_two_calls_the_client_is_given_the_one_that_is_not_blocked(make, open_desk, talk, tools):
    desk = open_desk(make(actions=BLOCK), [[*DROP, *CALL], "1"])
    messages = []
    (call,) = talk(desk, messages, tools, ASK)["tool_calls"]
    assert call["function"]["arguments"] == SQL
    talk(desk, messages, tools, result(call, "[1]"))
    said, *came = desk.upstream.asked[1]["messages"][1:]
    assert len(said["tool_calls"]) == 2
    assert [(m["tool_call_id"], m["content"]) for m in came] == [
        (call["id"], "[1]"),
        (said["tool_calls"][0]["id"], "Never drop."),
    ]


def test_a_call_written_as_prose_is_given_as_a_call(make, open_desk, talk, tools):
    desk = open_desk(make(actions=RESCUE), ["I run SELECT 2.", "2"])
    messages = []
    (call,) = talk(desk, messages, tools, ASK)["tool_calls"]
    assert call["function"] == {"name": "execute_sql", "arguments": '{"sql":"SELECT 2"}'}
    talk(desk, messages, tools, result(call, "[2]"))
    assert desk.upstream.asked[1]["messages"][1:] == [
        {"role": "assistant", "content": "I run SELECT 2."},
        {"role": "user", "content": "[2]"},
    ]


def test_a_hint_joins_the_result_and_stays_there(make, open_desk, talk, tools):
    desk = open_desk(make(regulation=HINT), [CALL, CALL, "none"])
    messages = []
    message = talk(desk, messages, tools, ASK)
    for content in ("[]", "[1]"):
        message = talk(desk, messages, tools, result(message["tool_calls"][0], content))
    second, third = (asked["messages"] for asked in desk.upstream.asked[1:])
    assert second[2]["content"] == "[]\n\nHint: Quote the names."
    assert third[: len(second)] == second
    assert messages[2]["content"] == "[]"


def test_a_forced_call_takes_the_place_of_the_model(make, open_desk, talk, tools):
    desk = open_desk(make(regulation=FORCE), [CALL, "done"])
    messages = []
    (call,) = talk(desk, messages, tools, ASK)["tool_calls"]
    (forced,) = talk(desk, messages, tools, result(call, "[7]"))["tool_calls"]
    assert forced["function"]["name"] == "commit_final_answer"
    assert len(desk.upstream.asked) == 1
    talk(desk, messages, tools, result(forced, "committed"))
    assert [m["role"] for m in desk.upstream.asked[1]["messages"]][-2:] == ["assistant", "tool"]
    turns = [turn for kept in desk.kept for turn in kept.account.turns]
    assert [turn.is_forced for turn in turns] == [False, True, False]


def test_a_stop_ends_the_conversation_with_its_words(make, open_desk, talk, tools):
    desk = open_desk(make(regulation=STOP), [CALL, CALL])
    messages = []
    message = talk(desk, messages, tools, ASK)
    for _ in range(2):
        message = talk(desk, messages, tools, result(message["tool_calls"][0], "[1]"))
    assert message == {"role": "assistant", "content": "Enough."}
    assert desk.kept[-1].account.is_stopped
    assert len(desk.upstream.asked) == 2


def test_what_was_forgotten_is_read_from_the_history(make, open_desk, talk, tools):
    harness = make(regulation=HINT, actions=BLOCK, contract="## Rules\n\nQuote.\n")
    messages: list = []
    first = open_desk(harness, [CALL, CALL])
    (call,) = talk(first, messages, tools, ASK)["tool_calls"]
    (call,) = talk(first, messages, tools, result(call, "[]"))["tool_calls"]
    second = open_desk(harness, [DROP, "none"])
    talk(second, messages, tools, result(call, "[1]"))
    known = first.upstream.asked[1]["messages"]
    assert second.upstream.asked[0]["messages"][: len(known)] == known
    assert [
        kind for _, (_, _, kind, *_) in sorted(second.interventions(), key=lambda one: one[0])
    ] == ["hint", "block"]


def test_a_client_may_go_back_to_an_earlier_point(make, open_desk, talk, tools):
    desk = open_desk(make(regulation=HINT), [CALL, "a", "b"])
    messages: list = []
    (call,) = talk(desk, messages, tools, ASK)["tool_calls"]
    earlier = list(messages)
    talk(desk, messages, tools, result(call, "[1]"))
    talk(desk, earlier, tools, result(call, "[]"))
    assert desk.upstream.asked[2]["messages"][-1]["content"] == "[]\n\nHint: Quote the names."


def test_a_client_that_writes_arguments_its_own_way_is_recognised(make, open_desk, talk, tools):
    desk = open_desk(make(regulation=HINT), [DROP, CALL], most_asks=1)
    messages: list = []
    (call,) = talk(desk, messages, tools, ASK)["tool_calls"]
    call["function"]["arguments"] = '{ "sql":"DROP TABLE t" }'
    messages[-1]["content"] = ""
    talk(desk, messages, tools, result(call, "[]"))
    assert desk.kept[0].after == desk.kept[1].before
    assert desk.kept[1].account.opening is None


def test_shadow_changes_nothing_and_keeps_everything(make, open_desk, talk, tools):
    harness = make(actions=BLOCK, regulation=HINT, contract="## Rules\n\nQuote.\n")
    desk = open_desk(harness, [DROP, "done"], mode="shadow")
    messages: list = []
    (call,) = talk(desk, messages, tools, ASK)["tool_calls"]
    talk(desk, messages, tools, result(call, "[]"))
    assert [asked["messages"] for asked in desk.upstream.asked] == [[ASK], messages[:-1]]
    assert [kind for _, (_, _, kind, *_) in desk.interventions()] == ["block", "hint"]
    (record,) = desk.kept[0].account.turns[0].calls
    assert record.executed is not None


def test_an_arm_belongs_to_a_name_and_the_shares_are_kept(make, open_desk, run, tools):
    desk = open_desk(make(actions=BLOCK), ["hello"] * 800, mode="split", share=0.25)
    for number in range(400):
        body = {"model": "m", "messages": [ASK], "tools": tools}
        for _ in range(2):
            run(desk.post(body, **{"X-Session-Id": f"s{number}"}))
    arms = [(kept.session, kept.assignment) for kept in desk.kept]
    assert all(a == b for (_, a), (_, b) in list(pairwise(arms))[::2])
    treated = [one for _, one in arms[::2] if one.arm == "treatment"]
    assert 70 <= len(treated) <= 130
    assert {one.propensity for one in treated} == {0.25}
    assert {one.propensity for _, one in arms if one.arm == "control"} == {0.75}


def test_a_dead_sandbox_changes_no_call_and_is_kept(make, open_desk, talk, tools):
    class Dead:
        async def evaluate(self, *arguments, **options):
            message = "the worker is gone"
            raise SandboxError(message)

    harness = make(actions=BLOCK, regulation=HINT, contract="## Rules\n\nQuote.\n")
    desk = open_desk(harness, [DROP, "done"], rules=Dead())
    messages: list = []
    (call,) = talk(desk, messages, tools, ASK)["tool_calls"]
    assert "DROP" in call["function"]["arguments"]
    talk(desk, messages, tools, result(call, "[]"))
    assert desk.upstream.asked[1]["messages"][-1]["content"] == "[]"
    assert "Quote." in desk.upstream.asked[1]["messages"][0]["content"]
    assert [kept.account.trouble for kept in desk.kept] == [["the worker is gone"]] * 2


def test_a_tool_of_the_same_name_as_ours_lets_the_request_pass(make, open_desk, talk, tools, skill):
    settings = "api: 1\nenvironment: sqldesk\ndelivery: on_demand\n"
    harness = make(settings=settings, skills={"count-rows": skill})
    desk = open_desk(harness, ["hello"])
    own = {"type": "function", "function": {"name": "load_skill", "parameters": {}}}
    talk(desk, [], [*tools, own], ASK)
    assert desk.upstream.asked[0]["messages"] == [ASK]
    assert "does not fit" in desk.kept[0].account.trouble[0]


def test_a_skill_is_loaded_without_the_client(make, open_desk, talk, tools, skill):
    settings = "api: 1\nenvironment: sqldesk\ndelivery: on_demand\n"
    harness = make(settings=settings, skills={"count-rows": skill})
    load = [("load_skill", '{"name": "count-rows"}')]
    desk = open_desk(harness, [load, CALL])
    message = talk(desk, [], tools, ASK)
    assert message["tool_calls"][0]["function"]["name"] == "execute_sql"
    assert desk.upstream.asked[0]["tools"][-1]["function"]["name"] == "load_skill"
    assert "Use count(*)." in desk.upstream.asked[1]["messages"][-1]["content"]


@pytest.mark.parametrize(
    "body",
    [
        {"model": "m", "messages": [ASK]},
        {"model": "m", "messages": [ASK], "n": 2},
        {"model": "m", "messages": "hello"},
        {"messages": [{"role": "assistant", "tool_calls": [7]}], "tools": [ONE_TOOL]},
        [],
        "text",
        None,
    ],
)
def test_what_cannot_be_steered_passes(make, open_desk, run, body):
    desk = open_desk(make(actions=BLOCK), [])
    assert run(desk.service.answer(desk.form, json.dumps(body).encode(), {})) is None


def test_members_of_ours_never_reach_the_upstream(make, open_desk, talk, tools):
    desk = open_desk(make(regulation=HINT), [CALL, "x"])
    messages: list = []
    (call,) = talk(desk, messages, tools, ASK, tackroom={"session": "a"})["tool_calls"]
    talk(desk, messages, tools, result(call, "no", is_error=True), tackroom={"session": "a"})
    assert "is_error" not in json.dumps(desk.upstream.asked)
    assert "tackroom" not in json.dumps(desk.upstream.asked)
    assert desk.kept[1].account.answers[0].is_error
    assert {kept.session for kept in desk.kept} == {"a"}


def test_content_of_any_kind_is_steered_or_passes(make, open_desk, run, tools):
    odd = [
        {"role": "user", "content": float("nan")},
        {"role": "user", "content": "\ud800 half a pair"},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:x"}}]},
        {"role": "user", "content": None},
        {"role": "user"},
        {"content": "no role"},
        {"role": 7, "content": {"a": [1]}},
    ]
    for message in odd:
        desk = open_desk(make(actions=BLOCK, contract="## Rules\n\nQuote.\n"), [CALL])
        body = json.dumps({"model": "m", "messages": [message], "tools": tools}).encode()
        answer = run(desk.service.answer(desk.form, body, {}))
        assert answer is None or b"SELECT 1" in answer.body


def test_results_may_be_missing_doubled_or_out_of_order(make, open_desk, talk, tools):
    two = [*CALL, ("execute_sql", json.dumps({"sql": "SELECT 2"}))]
    for answers in ([], [1], [1, 0], [0, 0], [0, 1, 7]):
        desk = open_desk(make(regulation=HINT), [two, "done"])
        messages: list = []
        calls = talk(desk, messages, tools, ASK)["tool_calls"]
        ids = [calls[n]["id"] if n < 2 else "unknown" for n in answers]
        came = [{"role": "tool", "tool_call_id": one, "content": "[]"} for one in ids]
        assert talk(desk, messages, tools, *came)["content"] == "done"
        sent = desk.upstream.asked[1]["messages"][2:]
        assert [one["tool_call_id"] for one in sent] == ids


def test_a_developer_message_takes_the_contract(make, open_desk, talk, tools):
    desk = open_desk(make(contract="## Rules\n\nQuote.\n"), [CALL])
    talk(desk, [{"role": "developer", "content": "You answer."}], tools, ASK)
    first, *rest = desk.upstream.asked[0]["messages"]
    assert (first["role"], "Quote." in first["content"]) == ("developer", True)
    assert [message["role"] for message in rest] == ["user"]


def test_conversations_that_open_alike_under_one_name_are_several(make, open_desk, run, tools):
    desk = open_desk(make(actions=BLOCK), [CALL, CALL])
    for _ in range(2):
        run(desk.post({"model": "m", "messages": [ASK], "tools": tools}, **{"X-Session-Id": "u"}))
    assert len({kept.conversation for kept in desk.kept}) == 2
    assert {kept.session for kept in desk.kept} == {"u"}
