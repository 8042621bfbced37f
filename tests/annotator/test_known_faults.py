"""Known faults of trajectory data, each built from its own small input (known-faults.md)."""

import json

import pytest

from schemas.failures import FailureLabelRow
from schemas.trajectories import StepRow
from tasks.annotator.canonical import canonical_arguments
from tasks.annotator.engine import Annotation, annotate
from tasks.annotator.gold import read_gold
from tasks.annotator.profile import EnvironmentProfile, profile_of_episodes
from tasks.annotator.timeline import build_timeline

ORDERS = {
    "type": "function",
    "function": {
        "name": "list_orders",
        "parameters": {"type": "object", "properties": {"page": {"type": "integer"}}},
    },
}


def label_of(annotation: Annotation) -> FailureLabelRow:
    assert annotation.label is not None
    return annotation.label


def _profile(tool, required=()):
    entry = json.loads(json.dumps(tool))
    entry["function"]["parameters"]["required"] = list(required)
    return EnvironmentProfile("shop", tools=(entry,), is_tools_known=True)


def _bullets(annotation):
    return {hit.bullet for hit in annotation.hits}


def test_empty_arguments_are_no_failure_unless_something_is_required(make, moves):
    blank = moves.failed("list_orders", "server busy") | {"arguments": {}}
    assert "AR2" not in _bullets(annotate(make([blank]), _profile(ORDERS)))
    found = annotate(make([blank]), _profile(ORDERS, ["page"]))
    assert label_of(found).bullet == "AR2"
    assert json.loads(label_of(found).signature)["kind"] == "argument_missing"


@pytest.mark.parametrize("raw", ['{"page":1}{"page":2}', '{"page": "Par', '"{\\"page\\": 8}"'])
def test_arguments_that_are_no_object_are_action_realization(make, moves, raw):
    found = annotate(make([moves.broken("list_orders", raw)]), _profile(ORDERS))
    assert label_of(found).bullet == "AR2"
    assert json.loads(label_of(found).evidence)["arguments"] == raw


def test_twice_encoded_arguments_that_were_accepted_are_no_failure(make, moves):
    taken = moves.broken("list_orders", '"{\\"page\\": 8}"') | {"is_error": False, "executed": True}
    assert "AR2" not in _bullets(annotate(make([taken]), _profile(ORDERS)))


def test_a_fenced_call_of_a_known_tool_counts_and_of_an_unknown_one_does_not(make, moves):
    text = '```json\n{{"name": "{}", "arguments": {{"page": 2}}}}\n```'
    known = annotate(make([moves.say(text.format("list_orders"))]), _profile(ORDERS))
    unknown = annotate(make([moves.say(text.format("search"))]), _profile(ORDERS))
    assert label_of(known).bullet == "AR1"
    assert label_of(unknown).bullet != "AR1"


def test_format_complaints_are_action_realization_not_degeneration(make, moves):
    said = moves.say("I will run `ls -la` now.", "No tool call found in your reply.")
    found = annotate(make([said] * 4, termination="budget", budget=4), EnvironmentProfile("swe"))
    assert label_of(found).bullet == "AR1"


def test_equal_actions_ignore_white_space_and_key_order_and_paging_is_no_loop(make, moves):
    assert canonical_arguments({"a": 1, "b": "x  y"}) == canonical_arguments({"b": "x y", "a": 1.0})
    profile = _profile(ORDERS)
    end = {"termination": "budget", "budget": 6}
    same = [moves.call("list_orders", "[]", page=1)] * 3
    swing = [moves.call("list_orders", str(i % 2), page=i % 2) for i in range(6)]
    paging = [moves.call("list_orders", f"[{i}]", page=i) for i in range(6)]
    polling = [moves.call("list_orders", f"[{i}]", page=1) for i in range(6)]
    assert label_of(annotate(make(same, **end), profile)).bullet == "TD1"
    assert label_of(annotate(make(swing, **end), profile)).bullet == "TD1"
    assert label_of(annotate(make(paging, **end), profile)).bullet != "TD1"
    assert label_of(annotate(make(polling, **end), profile)).bullet != "TD1"


def test_a_loop_writes_its_window_into_the_result(make, moves):
    same = [moves.call("list_orders", "[]", page=1)] * 3
    found = annotate(make(same, termination="budget"), _profile(ORDERS))
    assert json.loads(label_of(found).evidence)["parameters"]["repeat_run"] == 3


def test_a_looping_success_gets_no_label(make, moves):
    same = [moves.call("list_orders", "[]", page=1)] * 30
    found = annotate(make(same, outcome="success", termination="budget"), _profile(ORDERS))
    assert found.label is None
    assert found.hits == ()


def test_unknown_outcomes_and_faults_get_no_label(make, moves):
    for options in ({"outcome": "unknown"}, {"fault": "model"}):
        assert annotate(make([moves.say("x")], **options), _profile(ORDERS)).label is None


def test_calls_of_the_simulated_user_are_not_the_agents(make, moves):
    episode = make([moves.failed("list_orders", "unknown tool", page="x")])
    users = tuple(c.model_copy(update={"requestor": "user"}) for c in episode.calls)
    asked = type(episode)(**{**vars(episode), "calls": users})
    assert build_timeline(asked).calls() == []
    assert "AR2" not in _bullets(annotate(asked, _profile(ORDERS)))


def test_a_basis_without_the_state_does_not_count_extra_writes(make, moves):
    expected = [{"name": "refund", "arguments": {"order_id": "1"}}]
    parts = {"expected_actions": expected, "reward_basis": ["ENV_ASSERTION"]}
    profile = EnvironmentProfile("shop", write_tools=frozenset({"refund"}))
    done = [moves.call("refund", order_id="2"), moves.say("bye")]
    with_state = {**parts, "reward_basis": ["DB"]}
    assert label_of(annotate(make(done, reward_parts=with_state), profile)).bullet == "EC2"
    assert label_of(annotate(make(done, reward_parts=parts), profile)).bullet != "EC2"


@pytest.mark.parametrize("parts", ["", "[]", "{", '{"expected_actions": 7}', "[" * 100_000])
def test_unreadable_gold_is_no_gold(make, moves, parts):
    episode = make([moves.say("x")])
    odd = episode.trajectory.model_copy(update={"reward_parts": parts})
    assert not read_gold(type(episode)(**{**vars(episode), "trajectory": odd})).is_known


def test_a_run_of_an_unseen_environment_is_profiled_from_names_and_use(make, moves):
    runs = [
        make([moves.call("find_ticket", "{}", ticket_id="7"), moves.call("ticket_x", "ok")]),
        make([moves.call("cancel_ticket", "ok"), moves.call("transfer_to_human_support", "ok")]),
        make([moves.failed("invented_tool", "unknown tool")]),
    ]
    profile = profile_of_episodes("helpdesk", runs)
    assert profile.read_tools == {"find_ticket"}
    assert profile.write_tools == {"cancel_ticket"}
    assert profile.handover_tools == {"transfer_to_human_support"}
    assert "invented_tool" not in profile.tool_names
    assert not profile.is_tools_known


def test_messages_of_an_import_become_the_same_turns_as_a_rollout(make, moves):
    rollout = make([moves.call("list_orders", "[1]", page=1)])
    identity = {"trajectory_id": rollout.trajectory_id}
    messages = (
        StepRow(**identity, step_index=0, role="system", text="policy"),
        StepRow(**identity, step_index=1, role="user", text="show orders"),
        StepRow(**identity, step_index=2, role="assistant", text=""),
        StepRow(**identity, step_index=3, role="tool", text="[1]"),
    )
    call = rollout.calls[0].model_copy(update={"step_index": 2, "result_step_index": 3})
    imported = type(rollout)(**{**vars(rollout), "steps": messages, "calls": (call,)})
    (ours,), (theirs,) = build_timeline(rollout).turns, build_timeline(imported).turns
    assert ours.repetition_key == theirs.repetition_key
    assert theirs.step_index == 2
    assert theirs.heard == "show orders"
