"""The form of `/v1/responses`, whose history is a list of items."""

import json

import pytest

from tasks.proxy.forms import MalformedBodyError
from tasks.proxy.responses_form import ResponsesForm

CALL = [("execute_sql", json.dumps({"sql": "SELECT 1"}))]
DROP = [("execute_sql", json.dumps({"sql": "DROP TABLE t"}))]
RULES = {
    "actions": "def rule_no_drop(action, context):\n"
    '    if "DROP" in action["arguments"].get("sql", ""):\n'
    '        return {"kind": "block", "message": "Never drop."}\n',
    "regulation": "def rule_empty(history, context):\n"
    '    if history[-1]["observation"] == "[]":\n'
    '        return {"kind": "hint", "message": "Quote the names."}\n',
    "contract": "---\ntools:\n  execute_sql: Read first.\n---\n## Rules\n\nQuote all names.\n",
}


def respond(said, number):
    """A response that says this."""
    output = [{"type": "reasoning", "id": f"rs_{number}", "summary": []}]
    if isinstance(said, str):
        part = {"type": "output_text", "text": said, "annotations": []}
        output.append(
            {"type": "message", "id": f"m{number}", "role": "assistant", "content": [part]}
        )
    else:
        output += [
            {
                "type": "function_call",
                "id": f"fc{number}_{place}",
                "call_id": f"c{number}_{place}",
                "name": name,
                "arguments": arguments,
            }
            for place, (name, arguments) in enumerate(said)
        ]
    usage = {"input_tokens": 5, "output_tokens": 3, "total_tokens": 8}
    return {"id": f"resp_{number}", "status": "completed", "output": output, "usage": usage}


@pytest.fixture
def flat(tools):
    return [{"type": "function", **tool["function"]} for tool in tools] + [{"type": "web_search"}]


@pytest.fixture
def desk(make, open_desk, skill):
    def build(turns, **more):
        harness = make(skills={"count-rows": skill}, **RULES)
        return open_desk(harness, turns, form=ResponsesForm(), render=respond, **more)

    return build


def test_contract_hints_and_skill_go_into_the_request(desk, run, flat):
    opened = desk(["7"])
    body = {"model": "m", "instructions": "You answer.", "input": "How many rows?", "tools": flat}
    run(opened.post(body))
    (asked,) = opened.upstream.asked
    assert asked["instructions"].startswith("You answer.\n\n")
    assert "Quote all names." in asked["instructions"]
    assert "Use count(*)." in asked["input"][0]["content"]
    assert asked["tools"][0]["description"] == "Runs execute_sql. Read first."
    assert asked["tools"][-1] == {"type": "web_search"}


def test_a_blocked_call_is_asked_again_and_a_hint_joins_the_output(desk, run, flat):
    opened = desk([DROP, CALL, "done"])
    items = [{"role": "user", "content": [{"type": "input_text", "text": "How many rows?"}]}]
    first = run(opened.post({"model": "m", "input": items, "tools": flat}))
    call = first["output"][-1]
    assert json.loads(call["arguments"]) == {"sql": "SELECT 1"}
    items += first["output"]
    items.append({"type": "function_call_output", "call_id": call["call_id"], "output": "[]"})
    last = run(opened.post({"model": "m", "input": items, "tools": flat}))
    assert last["output"][-1]["content"][0]["text"] == "done"
    asked = opened.upstream.asked[2]["input"]
    assert asked[0]["content"][1]["type"] == "input_text"
    outputs = [item["output"] for item in asked if item.get("type") == "function_call_output"]
    assert outputs == ["Never drop.", "[]\n\nHint: Quote the names."]
    assert [item["type"] for item in asked[1:]] == [
        *("reasoning", "function_call", "function_call_output"),
        *("reasoning", "function_call", "function_call_output"),
    ]


def test_both_forms_give_the_same_interventions(desk, make, open_desk, run, flat, tools, skill):
    responses, chat = (
        desk([DROP, CALL, "done"]),
        open_desk(make(skills={"count-rows": skill}, **RULES), [DROP, CALL, "done"]),
    )
    items: list = [{"role": "user", "content": "How many rows?"}]
    first = run(responses.post({"model": "m", "input": items, "tools": flat}))
    call_id = first["output"][-1]["call_id"]
    items += [
        *first["output"],
        {"type": "function_call_output", "call_id": call_id, "output": "[]"},
    ]
    run(responses.post({"model": "m", "input": items, "tools": flat}))
    messages: list = [{"role": "user", "content": "How many rows?"}]
    said = run(chat.post({"model": "m", "messages": messages, "tools": tools}))
    message = said["choices"][0]["message"]
    came = {"role": "tool", "tool_call_id": message["tool_calls"][0]["id"], "content": "[]"}
    messages += [message, came]
    run(chat.post({"model": "m", "messages": messages, "tools": tools}))
    assert responses.interventions() == chat.interventions()


@pytest.mark.parametrize("kept", [{"previous_response_id": "resp_1"}, {"conversation": "c"}])
def test_a_history_that_cannot_be_seen_is_not_steered(kept):
    with pytest.raises(MalformedBodyError, match="kept by the upstream"):
        ResponsesForm().read({"input": "And then?", **kept})
