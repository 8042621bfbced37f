"""Which turns count as actions, told from the rows of an episode."""

import pytest

from tasks.agent.builtin_models import ScriptedModel
from tasks.agent.executable import executable_share
from tasks.agent.protocols import Call, ModelReply, RawCall


def share(bench, *replies):
    return executable_share(bench.one(ScriptedModel([*replies, Call("hand_in", {})])))


def test_a_call_that_runs_is_an_action(bench):
    assert share(bench, Call("add", {"n": 3})) == 1


@pytest.mark.parametrize(
    "reply",
    [
        ModelReply(text="I add three."),
        ModelReply(calls=(RawCall("add", '{"n": 3', "id"),)),
        ModelReply(calls=(RawCall("add", '{"n": 3}{"n": 4}', "id"),)),
        Call("subtract", {"n": 3}),
        Call("add", {"n": "three"}),
    ],
    ids=["words", "broken", "glued", "unknown tool", "refused by the schema"],
)
def test_a_turn_that_nothing_came_of_is_none(bench, reply):
    assert share(bench, reply) == 0.5


def test_one_call_of_a_turn_that_runs_is_enough(bench):
    both = (RawCall("subtract", "{}", "a"), RawCall("add", '{"n": 3}', "b"))
    assert share(bench, ModelReply(calls=both)) == 1


def test_an_episode_without_a_turn_has_done_nothing(bench):
    episode = bench.one(ScriptedModel([Call("hand_in", {})]))
    assert executable_share(type(episode)(episode.trajectory, (), ())) == 0


def test_turns_that_a_rule_forced_are_not_the_models(bench):
    episode = bench.one(ScriptedModel([ModelReply(text="words"), Call("hand_in", {})]))
    words, handed_in = episode.steps
    forced = (words, handed_in.model_copy(update={"forced": True}))
    assert executable_share(type(episode)(episode.trajectory, forced, episode.calls)) == 0
