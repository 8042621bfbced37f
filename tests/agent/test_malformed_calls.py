"""Calls that cannot be run: the agent hears why, nothing is run in their place."""

import pytest

from tasks.agent.builtin_models import NoopModel, ScriptedModel
from tasks.agent.protocols import Call, ModelReply, RawCall
from tasks.agent.turn import MAX_CALLS

DEEP = "[" * 100_000 + "]" * 100_000


def after(bench, *items):
    """The first call of an episode that goes on with a good one, and the world's own log."""
    episode = bench.one(ScriptedModel([*items, Call("hand_in", {})]))
    assert episode.trajectory.fault is None
    return episode, bench.environment.worlds[-1].acts


@pytest.mark.parametrize(
    ("raw", "kind", "says"),
    [
        ('{"n": "Par', "arguments_not_json", "Unterminated"),
        ('{"n":1}{"n":2}', "trailing_data", "trailing data"),
        ('"{\\"n\\":8}"', "not_an_object", "not a JSON object"),
        ("[1]", "not_an_object", "not a JSON object"),
        ('{"n": NaN}', "arguments_not_json", "NaN"),
        ('{"n": 1e999}', "arguments_not_json", "JSON"),
        (DEEP, "arguments_not_json", "JSON"),
        ('{"n": ' + "9" * 5000 + "}", "arguments_not_json", "JSON"),
    ],
    ids=["truncated", "glued", "encoded_twice", "list", "nan", "infinite", "deep", "digits"],
)
def test_broken_arguments_come_back_as_the_reason_and_are_not_run(bench, raw, kind, says):
    episode, acts = after(bench, RawCall("add", raw))
    call = episode.calls[0]
    assert call.arguments_raw == raw
    assert call.arguments is None
    assert call.arguments_error
    assert (call.executed, call.executed_tool, call.result) == (False, None, None)
    assert (call.is_error, call.error_kind) == (True, kind)
    assert says in (call.observation or "")
    assert acts == [Call("hand_in", {})]


@pytest.mark.parametrize("raw", ["", "  ", "null", "{}"])
def test_no_argument_text_counts_as_an_empty_object(bench, raw):
    episode, acts = after(bench, RawCall("add", raw))
    assert episode.calls[0].arguments == "{}"
    assert episode.calls[0].arguments_raw == raw
    assert episode.calls[0].error_kind == "schema"
    assert acts[0] == Call("add", {})


@pytest.mark.parametrize("name", ["subtract", "", "x" * 10_000, "add\ud800"])
def test_an_unknown_tool_is_answered_with_the_known_ones(bench, name):
    episode, acts = after(bench, RawCall(name, "{}"))
    call = episode.calls[0]
    assert (call.executed, call.error_kind) == (False, "unknown_tool")
    assert "add, hand_in" in (call.observation or "")
    assert len(call.observation or "") < 400
    assert acts == [Call("hand_in", {})]


def test_several_calls_of_a_reply_run_in_order_for_one_unit_of_budget(bench):
    reply = ModelReply(calls=(RawCall("add", '{"n":1}'), RawCall("add", '{"n":2}')))
    episode, acts = after(bench, reply)
    assert [call.arguments["n"] for call in acts[:2]] == [1, 2]
    assert [row.call_index for row in episode.calls_at(0)] == [0, 1]
    assert episode.trajectory.steps == 2
    assert episode.trajectory.outcome == "success"


def test_a_broken_call_does_not_keep_its_siblings_from_running(bench):
    reply = ModelReply(calls=(RawCall("add", "{"), RawCall("add", '{"n":3}')))
    episode, _ = after(bench, reply)
    assert [row.executed for row in episode.calls_at(0)] == [False, True]
    assert episode.trajectory.outcome == "success"


def test_calls_behind_the_end_of_the_episode_are_not_run(bench):
    reply = ModelReply(calls=(RawCall("hand_in", ""), RawCall("add", '{"n":3}')))
    episode = bench.one(ScriptedModel([reply]))
    assert [row.executed for row in episode.calls] == [True, False]
    assert episode.calls[1].error_kind == "not_run"
    assert bench.environment.worlds[-1].acts == [Call("hand_in", {})]


def test_a_reply_cannot_hold_an_unbounded_number_of_calls(bench):
    reply = ModelReply(calls=(RawCall("add", '{"n":1}'),) * 1000)
    episode, acts = after(bench, reply)
    assert len(acts) == MAX_CALLS + 1
    assert len(episode.calls_at(0)) == 1000
    assert str(MAX_CALLS) in (episode.calls[-2].observation or "")


def test_prose_is_answered_by_the_user_and_spends_budget(bench):
    model = ScriptedModel(["add(n=3)"], repeats_last=True)
    episode = bench.one(model)
    assert episode.trajectory.termination == "budget"
    assert model.requests[1][-1]["role"] == "user"
    assert "add, crash, fault, hand_in" in model.requests[1][-1]["content"]


def test_an_endless_illegal_action_ends_with_the_budget(bench):
    episode = bench.one(ScriptedModel([RawCall("terminate", "")], repeats_last=True))
    assert episode.trajectory.termination == "budget"
    assert len(episode.steps) == bench.environment.step_budget


def test_text_that_cannot_be_stored_is_replaced_and_the_rest_kept(bench):
    text = "a\udcb2b\x00c\N{GRINNING FACE}"
    reply = ModelReply(text=text, reasoning=text, calls=(RawCall("add", '{"n":3,"x":"\\ud800"}'),))
    episode, acts = after(bench, reply)
    assert episode.steps[0].text == "a\ufffdb\ufffdc\N{GRINNING FACE}"
    assert episode.steps[0].reasoning == episode.steps[0].text
    assert acts[0].arguments["x"] == "\ufffd"


def test_a_reply_of_ten_megabytes_is_one_step_like_any_other(bench):
    text = "x" * 10_000_000
    episode, _ = after(bench, ModelReply(text=text, calls=(RawCall("add", '{"n":3}'),)))
    assert len(episode.steps[0].text or "") == len(text)
    assert episode.trajectory.outcome == "success"


def test_the_silent_model_never_acts(bench):
    bench.one(NoopModel())
    assert bench.environment.worlds[-1].acts == []
