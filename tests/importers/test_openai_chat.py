"""Conversations in the shapes that most programs write."""

import json

import pytest

from tasks.importers.finding import find_files

USER = {"role": "user", "content": "Where is order 1?"}


def rows(result):
    (episode,) = result.episodes
    return [(c.tool, c.arguments_raw, c.arguments, c.result) for c in episode.calls]


def told(episode):
    return [(step.role, step.text) for step in episode.steps]


def test_a_line_is_a_conversation_with_raw_arguments_and_unknown_outcome(load, write, call):
    chat = {
        "id": "chat 7",
        "model": "gpt-x",
        "reward": 1.0,
        "messages": [
            {"role": "developer", "content": "Be brief."},
            USER,
            {"role": "assistant", "content": None, "tool_calls": [call("find", '{"id":1}')]},
            {"role": "tool", "tool_call_id": "c1", "content": "here"},
        ],
        "tools": [{"type": "function", "function": {"name": "find"}}],
    }
    result = load(write(json.dumps(chat) + "\n" + json.dumps({**chat, "id": "chat 8"}), "c.jsonl"))
    first = result.episodes[0]
    assert (first.trajectory.outcome, first.trajectory.model) == ("unknown", "gpt-x")
    assert json.loads(first.trajectory.reward_parts)["reward"] == 1.0
    assert first.calls[0].arguments_raw == '{"id":1}'
    assert first.sources[0].native_id == "chat 7"
    assert first.prompt_text(first.trajectory.system_prompt_id) == "Be brief."
    assert result.reports[0].row.source_format == "openai-chat"


@pytest.mark.parametrize(
    ("member", "value", "outcome", "reward"),
    [
        ("resolved", True, "success", 1.0),
        ("resolved", 0, "failure", 0.0),
        ("info.score", 0.5, "failure", 0.5),
        ("reward", None, "unknown", None),
        ("reward", "good", "unknown", None),
    ],
)
def test_a_member_is_a_verdict_only_when_the_user_names_it(
    load, write, member, value, outcome, reward
):
    chat: dict = {"messages": [USER, {"role": "assistant", "content": "There."}]}
    holder, _, name = member.rpartition(".")
    (chat.setdefault(holder, {}) if holder else chat)[name] = value
    path = write([chat])
    assert load(path).episodes[0].trajectory.outcome == "unknown"
    row = load(path, verdict_field=member).episodes[0].trajectory
    assert (row.outcome, row.reward) == (outcome, reward)


def test_responses_items_give_the_call_rows_of_a_chat(load, write, call):
    items = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go."}]},
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}]},
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "c",
            "name": "f",
            "arguments": '{"a":1}',
        },
        {"type": "function_call_output", "call_id": "c", "output": "done"},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Yes."}],
        },
    ]
    result = load(write(json.dumps({"input": items[:1], "output": items[1:]})))
    assert rows(result) == [("f", '{"a":1}', '{"a":1}', "done")]
    (episode,) = result.episodes
    assert episode.calls[0].native_id == "c"
    assert [step.reasoning for step in episode.steps] == [None, "Hm.", None, None]
    assert json.loads(result.reports[0].row.dialects) == ["responses"]


def test_a_file_of_items_is_one_conversation(load, write):
    items = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go."}]},
        {"type": "custom_tool_call", "call_id": "k", "name": "patch", "input": "*** Begin"},
        {"type": "custom_tool_call_output", "call_id": "k", "output": "Done!"},
    ]
    result = load(write("\n".join(map(json.dumps, items)), "items.jsonl"))
    assert rows(result) == [("patch", None, '{"input":"*** Begin"}', "Done!")]


def test_older_function_calls_are_paired(load, write):
    chat = [
        USER,
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "ok"},
    ]
    result = load(write(chat))
    assert rows(result) == [("f", "{}", "{}", "ok")]
    assert json.loads(result.reports[0].row.dialects) == ["chat+function_call"]


def test_sharegpt_turns_are_read(load, write):
    turns = [
        {"from": "human", "value": "Weather?"},
        {"from": "function_call", "value": '{"name": "get", "arguments": {"city": "Par"}}'},
        {"from": "observation", "value": "rain"},
        {"from": "gpt", "value": "It rains.", "weight": 0},
    ]
    result = load(write([{"conversations": turns}]))
    assert rows(result) == [("get", None, '{"city":"Par"}', "rain")]
    assert told(result.episodes[0])[-1] == ("assistant", "It rains.")


def test_anthropic_turns_are_taken_apart(load, write):
    chat = {
        "system": [{"type": "text", "text": "Be kind."}],
        "messages": [
            {"role": "user", "content": "Hi"},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "Look.", "signature": "x"},
                    {"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": "t1", "name": "ls", "input": {"at": "/"}},
                    {"type": "tool_use", "id": "t2", "name": "rm", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "t2", "content": "no", "is_error": True},
                    {"type": "tool_result", "tool_use_id": "t1", "content": [{"text": "a b"}]},
                    {"type": "text", "text": "Go on."},
                ],
            },
        ],
    }
    (episode,) = load(write(chat)).episodes
    assert [(c.tool, c.result, c.is_error) for c in episode.calls] == [
        ("ls", "a b", False),
        ("rm", "no", True),
    ]
    assert [role for role, _ in told(episode)] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "user",
    ]
    assert episode.steps[2].reasoning == "Look."


def test_rows_of_published_datasets_are_read(load, write):
    nebius = {
        "instance_id": "a__a-1",
        "target": True,
        "trajectory": [
            {"role": "system", "text": None, "system_prompt": "Fix it.", "mask": False},
            {"role": "user", "text": "Issue", "system_prompt": None},
            {"role": "ai", "text": "ls", "system_prompt": None},
        ],
    }
    (episode,) = load(write([nebius]), verdict_field="target").episodes
    assert told(episode)[0] == ("system", "Fix it.")
    assert (episode.trajectory.outcome, episode.sources[0].native_id) == ("success", "a__a-1")


def test_null_members_of_columnar_writers_change_nothing(load, write, call):
    plain = {"messages": [USER, {"role": "assistant", "content": "Yes."}]}
    filled = {
        "messages": [
            {**m, "tool_calls": None, "name": None, "tool_call_id": None} for m in plain["messages"]
        ]
    }
    result = load(write([plain], "a.json"), write([filled], "b.json"))
    assert (len(result.episodes), len(result.duplicates)) == (1, 1)


def test_a_pair_of_preferences_is_no_trajectory(load, write):
    pair = {"input": {"messages": [USER]}, "preferred_output": [], "non_preferred_output": []}
    result = load(write([pair]))
    assert "a pair of preferences" in result.refusals[0].reason


def test_the_format_can_be_named(load, write):
    path = write([{"messages": [USER], "traj": [], "info": {}}])
    assert load(path).reports[0].row.source_format == "tau-bench"
    assert load(path, source_format="openai-chat").reports[0].row.imported == 1


def test_folders_are_searched_and_strange_files_passed_over(load, write, tmp_path):
    write([{"messages": [USER]}], "in/deep/er/a.json")
    write({"name": "package", "version": 1}, "in/package.json")
    write("{", "in/broken.json")
    found = find_files([tmp_path / "in"])
    assert [file.name for file in found] == ["broken.json", "deep/er/a.json", "package.json"]
    result = load(*found)
    assert [report.is_passed_over for report in result.reports] == [False, False, True]
    assert [row.place.split("#")[0] for row in result.refusals] == ["broken.json"]


@pytest.mark.parametrize("name", ["data", "episodes", "trajectories", "rows"])
def test_conversations_may_stand_in_a_list_of_an_object(load, write, name):
    chats = [{"id": n, "messages": [USER, {"role": "assistant", "content": f"{n}"}]} for n in "ab"]
    result = load(write({"version": 1, name: chats}))
    assert [e.sources[0].native_id for e in result.episodes] == ["a", "b"]
