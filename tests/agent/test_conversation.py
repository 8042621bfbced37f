"""A stored episode can be told again exactly as the model was sent it."""

import json

import pytest

from schemas.episode import Episode
from schemas.trajectories import StepRow, ToolCallRow
from tasks.agent.builtin_models import ScriptedModel
from tasks.agent.conversation import messages_before
from tasks.agent.protocols import Call, ModelReply, RawCall

CONTRACT = "## Counting\n\nCount in steps of one.\n"
HINT = '''def rule_hurry(history, context):
    """Say so after every turn."""
    return {"kind": "hint", "message": "Hurry up."}
'''
SCRIPT = [
    "I will add 1.",
    ModelReply(text="two", calls=(RawCall("add", '{"n":1}'), RawCall("add", "{"))),
    RawCall("nothing", '{"a": 1}'),
    ModelReply(calls=(RawCall("add", '{ "n":2}', "x1"),)),
    Call("hand_in", {}),
]


@pytest.fixture
def told(bench, harness_of):
    """An episode with every kind of turn, and what the model was sent for each."""
    bench.harness = harness_of(contract=CONTRACT, regulation=HINT)
    model = ScriptedModel(SCRIPT)
    return bench.one(model), model.requests


def test_messages_before_a_step_are_what_the_model_was_sent(told):
    episode, requests = told
    assert len(requests) == len(SCRIPT)
    for step_index, sent in enumerate(requests):
        assert messages_before(episode, step_index) == sent


def test_the_order_in_which_rows_are_stored_does_not_matter(told):
    episode, requests = told
    stored = Episode(
        **{
            **vars(episode),
            "steps": tuple(StepRow.model_validate(s.model_dump()) for s in episode.steps),
        }
    )
    assert messages_before(stored, 4) == requests[4]


def test_the_whole_conversation_ends_with_the_last_result(told):
    episode, _ = told
    assert messages_before(episode, 99)[-1]["content"] == episode.calls[-1].observation


def test_what_the_harness_added_stands_in_the_conversation(told):
    episode, requests = told
    assert "Count in steps of one." in requests[0][0]["content"]
    assert "Count in steps of one." in episode.prompt_text(episode.trajectory.system_prompt_id)
    assert requests[1][-1]["content"].endswith("Hint: Hurry up.")
    assert "Hint" not in (episode.calls[0].result or "")
    hint = episode.interventions[0]
    assert (hint.kind, hint.artifact, hint.after) == ("hint", "rule_hurry", "Hurry up.")


def test_every_call_of_a_turn_gets_a_result_of_its_own(told):
    _, requests = told
    turn = requests[2][-3:]
    assert [message["role"] for message in turn] == ["assistant", "tool", "tool"]
    assert [call["id"] for call in turn[0]["tool_calls"]] == [m["tool_call_id"] for m in turn[1:]]


def test_the_task_and_the_tools_are_prompts_the_trajectory_refers_to(told):
    episode, _ = told
    assert episode.task_text == "Count to 3.\n\nThe counter stands at 0."
    tools = json.loads(episode.prompt_text(episode.trajectory.tools_prompt_id))
    assert [tool["function"]["name"] for tool in tools][:2] == ["add", "hand_in"]


def test_equal_conversations_have_equal_transcript_hashes(bench):
    one, two = (bench.one(ScriptedModel(SCRIPT, name=name)) for name in ("a", "b"))
    other = bench.one(ScriptedModel(SCRIPT[1:]))
    assert one.trajectory_id != two.trajectory_id
    assert one.trajectory.transcript_sha256 == two.trajectory.transcript_sha256
    assert one.trajectory.transcript_sha256 != other.trajectory.transcript_sha256


def test_an_imported_episode_is_told_by_its_messages(told):
    episode, _ = told
    trajectory_id = episode.trajectory_id
    said = [("system", "s"), ("user", "u"), ("assistant", "a"), ("tool", "r"), ("user", "v")]
    steps = tuple(
        StepRow.model_validate(
            {"trajectory_id": trajectory_id, "step_index": n, "role": role, "text": text}
        )
        for n, (role, text) in enumerate(said)
    )
    call = ToolCallRow(
        tool_call_id="call_0123456789abcdef",
        trajectory_id=trajectory_id,
        step_index=2,
        call_index=0,
        tool="f",
        arguments='{"a":1}',
        result_step_index=3,
    )
    row = episode.trajectory.model_copy(update={"origin": "import"})
    messages = messages_before(Episode(row, steps, (call,)), 4)
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "tool"]
    assert messages[3]["tool_call_id"] == messages[2]["tool_calls"][0]["id"]
    assert messages[2]["tool_calls"][0]["function"] == {"name": "f", "arguments": '{"a":1}'}
