"""A member of another type than its format has costs an episode at most, in any format."""

import copy

import pytest

CALL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"id":1}'}}
CHAT = [
    {"role": "user", "content": "Go."},
    {"role": "assistant", "content": "I look.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "here"},
    {"role": "assistant", "content": "Done."},
]
BLOCKS = [
    {"role": "user", "content": [{"type": "text", "text": "Go."}]},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Hm."},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "c1", "name": "find", "input": {"id": 1}},
        ],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "x"}]},
]
ITEMS = [
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go."}]},
    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]},
    {"type": "function_call", "call_id": "c1", "name": "find", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c1", "output": "here"},
]
SESSION = {"uuid": "b", "parentUuid": "a", "sessionId": "s", "isSidechain": False}
DOCUMENTS = {
    "openai-chat": {"id": "a", "model": "m", "task_id": "t", "messages": CHAT},
    "blocks": {"messages": BLOCKS},
    "langchain": {
        "messages": [
            {"type": "human", "data": {"content": "Go."}},
            {
                "type": "ai",
                "data": {"content": "", "tool_calls": [{"id": "c", "name": "f", "args": {}}]},
            },
            {"type": "tool", "data": {"content": "x", "tool_call_id": "c"}},
        ]
    },
    "responses": {"input": ITEMS[:2], "output": ITEMS[2:]},
    "agentbench": {
        "index": 1,
        "error": None,
        "info": None,
        "output": {"status": "completed", "result": {"result": True}, "history": CHAT[:2]},
        "time": {"timestamp": 1, "str": "x"},
    },
    "atif": {
        "schema_version": "ATIF-v1.6",
        "session_id": "a",
        "agent": {"name": "n", "version": "1", "model_name": "m"},
        "steps": [
            {"step_id": 1, "source": "user", "message": "Go."},
            {
                "step_id": 2,
                "source": "agent",
                "message": "x",
                "tool_calls": [{"tool_call_id": "c", "function_name": "f", "arguments": {}}],
                "observation": {"results": [{"source_call_id": "c", "content": "ok"}]},
                "metrics": {"prompt_tokens": 1, "cost_usd": 0.1},
            },
        ],
    },
    "inspect": {
        "version": 2,
        "status": "success",
        "eval": {"task": "t", "model": "m", "model_generate_config": {"seed": 3}},
        "samples": [
            {
                "id": 7,
                "epoch": 1,
                "messages": CHAT,
                "scores": {"match": {"value": "C"}},
                "model_usage": {"m": {"input_tokens": 9, "output_tokens": 2}},
            }
        ],
    },
    "harbor-traces": [
        {"conversations": CHAT[:2], "agent": "a", "trial_name": "t", "result": "1.0", "model": "m"}
    ],
    "mini-swe-agent": {
        "trajectory_format": "mini-swe-agent-1.1",
        "instance_id": "a",
        "info": {"exit_status": "Submitted", "config": {"model": {"model_name": "m"}}},
        "messages": [*CHAT, {"role": "exit", "content": "x", "extra": {"exit_status": "x"}}],
    },
    "swe-agent": {
        "environment": "swe_main",
        "history": [{**message, "agent": "primary", "action": "ls"} for message in CHAT],
        "trajectory": [{"action": "ls", "observation": "a", "response": "x", "thought": "y"}],
        "info": {"exit_status": "submitted", "model_stats": {"tokens_sent": 1}},
    },
    "verifiers": {"prompt": CHAT[:1], "completion": CHAT[1:], "reward": 1.0, "task": "t"},
    "claude-code": {
        "type": "assistant",
        **SESSION,
        "message": {"role": "assistant", "id": "m", "content": BLOCKS[1]["content"], "usage": {}},
    },
    "codex": [
        {"type": "session_meta", "payload": {"id": "s", "instructions": "x"}},
        {"type": "turn_context", "payload": {"model": "m"}},
        *({"type": "response_item", "payload": item} for item in ITEMS),
        {"type": "event_msg", "payload": {"type": "token_count", "info": {}}},
    ],
    "gemini-cli": {
        "sessionId": "s",
        "projectHash": "h",
        "messages": [
            {"type": "user", "content": "Go."},
            {"type": "gemini", "content": "x", "toolCalls": [{"id": "c", "name": "f", "args": {}}]},
        ],
    },
    "openhands": [
        {
            "id": 1,
            "source": "user",
            "timestamp": "t",
            "action": "message",
            "args": {"content": "Go."},
        },
        {
            "id": 2,
            "source": "agent",
            "action": "run",
            "args": {"command": "ls"},
            "tool_call_metadata": {"tool_call_id": "c", "function_name": "f"},
        },
        {
            "id": 3,
            "source": "agent",
            "observation": "run",
            "cause": 2,
            "content": "x",
            "extras": {"metadata": {"exit_code": 1}},
        },
    ],
    "langfuse": [
        {
            "id": "o",
            "trace_id": "t",
            "type": "GENERATION",
            "start_time": "2025-01-01 10:00:00",
            "level": "DEFAULT",
            "usage_details": {"input": 1},
            "input": CHAT[:1],
            "output": CHAT[1],
        }
    ],
    "langsmith": [
        {
            "id": "r",
            "trace_id": "t",
            "run_type": "llm",
            "start_time": "2025-01-01T10:00:00",
            "inputs": {"messages": CHAT[:1]},
            "outputs": {"choices": [{"message": CHAT[1]}]},
            "extra": {"metadata": {"ls_model_name": "m"}},
        }
    ],
    "otel": [
        {
            "traceId": "t",
            "spanId": "s",
            "name": "chat m",
            "startTimeUnixNano": "1",
            "status": {"code": 1},
            "attributes": {
                "gen_ai.operation.name": "chat",
                "gen_ai.input.messages": '[{"role":"user","content":"Go."}]',
                "gen_ai.usage.input_tokens": 1,
            },
        }
    ],
}


def places(value, path=()):
    if path:
        yield path
    held = dict(enumerate(value)) if isinstance(value, list) else value
    for key, item in held.items() if isinstance(held, dict) else ():
        yield from places(item, (*path, key))


def changed(document, path, value):
    made = copy.deepcopy(document)
    *way, last = path
    holder = made
    for key in way:
        holder = holder[key]
    holder[last] = value
    return made


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("value", [[], {}, [[]], 7], ids=str)
def test_any_member_may_be_of_any_type(load, write, name, value):
    document = DOCUMENTS[name]
    assert load(write(document)).episodes
    paths = [
        write(changed(document, path, value), f"{number}.json")
        for number, path in enumerate(places(document))
    ]
    result = load(*paths)
    assert len(result.reports) == len(paths)
