"""TRL files: exact shapes, and what is refused rather than written."""

import json

import pytest

from schemas.data import TrainingExampleRow
from schemas.errors import ConfigError
from schemas.fields import Split
from schemas.ids import canonical_json, make_id
from tasks.exporters.formats import export_rows
from tasks.exporters.jsonl import render, write_atomically

TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
    for name in ("look", "write", "load_skill")
]
PROMPT = [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]


def said(name="look", arguments="{}", *, identity="c1", content=""):
    function = {"name": name, "arguments": arguments}
    call = {"id": identity, "type": "function", "function": function}
    return {"role": "assistant", "content": content, "tool_calls": [call]}


def answered(identity="c1", content="done"):
    return {"role": "tool", "tool_call_id": identity, "content": content}


def example(messages=None, chosen=None, rejected=None, *, tools=None, split: Split = "train"):
    texts = {
        "messages": canonical_json(PROMPT if messages is None else messages),
        "chosen": canonical_json([said()] if chosen is None else chosen),
        "rejected": None if rejected is None else canonical_json(rejected),
        "tools": canonical_json(TOOLS if tools is None else tools),
    }
    return TrainingExampleRow(
        example_id=make_id("ex", texts),
        cycle_id="cyc_0123456789abcdef",
        kind="anchored_call" if rejected is None else "faithful_pair",
        path="activation" if rejected is None else "following",
        environment="e",
        family="f",
        task_id="e/f/1",
        split=split,
        model="m",
        trajectory_id="traj_0123456789abcdef",
        step_index=0,
        artifact_id="art_0123456789abcdef",
        rejected_trajectory_id=None,
        simulated=True,
        **texts,
    )


def only(name, *examples):
    export = export_rows(name, examples)
    assert export.refused.total() == 0
    return [json.loads(line) for line in render(export.rows).splitlines()]


def refusal(example, name="trl-sft"):
    export = export_rows(name, [example])
    assert export.rows == []
    assert export.refused.total() == 1
    return next(iter(export.refused))


def test_an_sft_row_has_prompt_completion_and_tools_as_text():
    (row,) = only("trl-sft", example(chosen=[said("load_skill", '{"name":"s"}')]))
    assert set(row) == {"prompt", "completion", "tools"}
    assert row["completion"] == [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "load_skill", "arguments": {"name": "s"}},
                }
            ],
        }
    ]
    assert json.loads(row["tools"]) == TOOLS


def test_each_turn_to_learn_is_an_sft_row_so_that_no_result_is_learned():
    chosen = [said(), answered(), said("write", identity="c2")]
    rows = only("trl-sft", example(chosen=chosen, rejected=[said("write")]))
    assert [len(row["prompt"]) for row in rows] == [2, 4]
    assert all([m["role"] for m in row["completion"]] == ["assistant"] for row in rows)
    assert rows[1]["prompt"][-1] == {
        "role": "tool",
        "tool_call_id": "c1",
        "name": "look",
        "content": "done",
    }


def test_a_dpo_row_has_both_sides_behind_one_prompt():
    chosen = [said(), answered(), said("write", identity="c2")]
    (row,) = only("trl-dpo", example(chosen=chosen, rejected=[said("write", '{"a":1}')]))
    assert set(row) == {"prompt", "chosen", "rejected", "tools"}
    assert len(row["chosen"]) == 3
    assert row["rejected"][0]["tool_calls"][0]["function"]["arguments"] == {"a": 1}


def test_an_example_without_a_pair_has_no_place_in_dpo_and_is_not_refused():
    export = export_rows("trl-dpo", [example(), example(rejected=[said("write")])])
    assert (len(export.rows), export.refused.total(), export.unfit) == (1, 0, 1)


def test_rows_of_one_format_have_the_same_columns_whatever_their_tools():
    other = [{"type": "function", "function": {"name": "look", "parameters": {"x": [1]}}}]
    rows = only("trl-sft", example(), example(tools=other))
    assert {frozenset(row) for row in rows} == {frozenset({"prompt", "completion", "tools"})}
    assert {type(row["tools"]) for row in rows} == {str}


@pytest.mark.parametrize(
    ("chosen", "why"),
    [
        ([said("")], "no name"),
        ([{"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": {}}]}], "no"),
        ([{"role": "assistant", "content": "", "tool_calls": [{"type": "function"}]}], "function"),
        ([said(arguments="[1]")], "no object"),
        ([said(arguments='{"a": ')], "no object"),
        ([said(arguments='{"a": NaN}')], "no object"),
        ([said("burn")], "no tool"),
        ([{"role": "assistant", "content": "  "}], "empty"),
        ([], "no messages"),
        ([said(), answered()], "begin and end"),
        ([answered()], "answers no call"),
        ([said(), answered("c9"), said()], "answers no call"),
        ([{"role": "robot", "content": "x"}], "role"),
        ([{"role": "assistant", "content": None}], "no text"),
    ],
)
def test_a_broken_side_is_refused_and_counted(chosen, why):
    assert why in refusal(example(chosen=chosen))


def test_a_broken_call_in_the_prompt_or_on_the_rejected_side_is_refused_too():
    broken = said(arguments="nothing")
    assert "no object" in refusal(example(messages=[*PROMPT, broken, answered()]))
    assert "no object" in refusal(example(rejected=[broken]), "trl-dpo")


def test_a_call_of_an_unknown_tool_may_be_moved_away_from():
    assert only("trl-dpo", example(rejected=[said("burn")]))


def test_equal_sides_teach_nothing():
    assert "same" in refusal(example(chosen=[said()], rejected=[said()]), "trl-dpo")


def test_a_prompt_that_ends_with_the_assistant_is_refused():
    assert "prompt ends" in refusal(example(messages=[*PROMPT, said()]))


def test_tools_that_are_none_are_refused():
    assert "tools" in refusal(example(tools=[]))
    assert "tools" in refusal(example(tools=[{"type": "function", "function": {}}]))


def test_secrets_are_refused():
    leaky = [{"role": "user", "content": "use sk-abcdef0123456789abcdef0123"}]
    assert "secret" in refusal(example(messages=leaky))
    assert "secret" in refusal(example(chosen=[said(arguments='{"api_key":"SECRET-VALUE-1234"}')]))


def test_held_out_tasks_are_refused():
    assert "train" in refusal(example(split="sealed"))


def test_a_call_without_arguments_has_an_empty_object():
    (row,) = only("trl-sft", example(chosen=[said(arguments="")]))
    assert row["completion"][0]["tool_calls"][0]["function"]["arguments"] == {}


def test_text_that_no_file_can_hold_is_made_so():
    row = example(chosen=[said(arguments='{"a":"\\udcb2"}')])
    (written,) = only("trl-sft", row)
    assert json.loads(render([written]))["completion"][0]["tool_calls"][0]["function"][
        "arguments"
    ] == {"a": "\ufffd"}


def test_nesting_without_end_is_refused_and_the_rest_is_kept():
    deep = example(chosen=[said(arguments='{"a":' + "[" * 5000 + "]" * 5000 + "}")])
    export = export_rows("trl-sft", [deep, example()])
    assert (len(export.rows), export.refused.total()) == (1, 1)


def test_an_unknown_format_is_named():
    with pytest.raises(ConfigError, match="trl-sft, trl-dpo"):
        export_rows("parquet", [])


def test_the_order_of_rows_is_that_of_the_ids():
    examples = [example(chosen=[said(arguments=f'{{"n":{n}}}')]) for n in range(5)]
    assert render(export_rows("trl-sft", examples).rows) == render(
        export_rows("trl-sft", examples[::-1]).rows
    )


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path):
    path = tmp_path / "out.jsonl"
    write_atomically(path, b"old\n")
    write_atomically(path, b"new\n")
    assert path.read_bytes() == b"new\n"
    with pytest.raises(ConfigError, match="cannot write"):
        write_atomically(path / "below.jsonl", b"x")
    assert [item.name for item in tmp_path.iterdir()] == ["out.jsonl"]
