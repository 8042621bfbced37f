"""Agent loops: what each tells a model, how it reads replies, what the agent notes for itself."""

from dataclasses import replace

import pytest

from schemas.errors import ConfigError, ModelFault
from schemas.settings import EndpointSettings
from tasks.agent.builtin_models import GoldModel, NoopModel, ScriptedModel
from tasks.agent.chat_model import request_body
from tasks.agent.episode_spec import EpisodeSpec, fork_spec
from tasks.agent.loops.notes import NOTE_CHARS
from tasks.agent.loops.react import read_action
from tasks.agent.loops.reflexion import MEMORY, what_is_known
from tasks.agent.loops.registry import LOOPS, in_loop
from tasks.agent.protocols import Call, RawCall

HAND_IN = "Thought: done\nAction: hand_in\nAction Input: {}"
ADD = 'Thought: three are missing\nAction: add\nAction Input: {"n": 3}'


def scripted(*items, loop, simulated=False, **options):
    """A scripted model in a loop; it is told what an endpoint would be told unless simulated."""
    model = ScriptedModel(items, is_simulated=simulated, **options)
    return model, in_loop(model, loop)


def test_tool_call_is_the_model_itself_so_that_stored_rollouts_stay_good():
    model = GoldModel()
    assert in_loop(model, "tool_call") is model


def test_every_other_loop_is_another_agent_by_name_and_fingerprint():
    model = GoldModel()
    agents = [in_loop(model, loop) for loop in LOOPS]
    assert len({agent.fingerprint for agent in agents}) == len(LOOPS)
    assert [agent.name for agent in agents[1:]] == [f"gold in {loop}" for loop in [*LOOPS][1:]]


def test_an_unknown_loop_names_the_nearest():
    with pytest.raises(ConfigError, match="did you mean `react`"):
        in_loop(GoldModel(), "raect")


@pytest.mark.parametrize("loop", LOOPS)
def test_the_expert_passes_and_the_idle_model_fails_in_every_loop(bench, loop):
    assert bench.one(in_loop(GoldModel(), loop)).is_success
    assert bench.one(in_loop(NoopModel(), loop)).trajectory.termination == "budget"


def test_react_tells_tools_and_results_as_text_and_reads_actions(bench):
    model, agent = scripted(ADD, HAND_IN, loop="react")
    episode = bench.one(agent)
    assert episode.is_success
    assert [call.executed_tool for call in episode.calls] == ["add", "hand_in"]
    first, second = model.requests
    assert "- add: Add n to the counter." in first[0]["content"]
    assert second[-1] == {"role": "user", "content": "Observation: The counter stands at 3."}
    assert second[-2]["content"] == ADD
    assert not [message for message in second if message["role"] == "tool"]


@pytest.mark.parametrize("mode", ["tools", "text"])
def test_react_offers_an_endpoint_no_tools_beside_the_text(mode):
    settings = EndpointSettings(base_url="http://127.0.0.1:1/v1", model="m", mode=mode)
    told = [{"role": "user", "content": "Count."}]
    assert request_body(settings, told, (), seed=1)["messages"] == told
    assert "tools" not in request_body(settings, told, (), seed=1)


@pytest.mark.parametrize(
    ("text", "call"),
    [
        (ADD, RawCall("add", '{"n": 3}')),
        ('Action: `add`\nAction Input:\n```json\n{"n":\n 3}\n```', RawCall("add", '{"n":\n 3}')),
        ('**Action:** add\n**Action Input:** {"n": 3}', RawCall("add", '{"n": 3}')),
        ("Action: add\nAction Input: n = 3", RawCall("add", "n = 3")),
        ('Action: add\nAction Input: {"n": 3} and more', RawCall("add", '{"n": 3} and more')),
        ('Action: add\nAction Input: {"n": "Par', RawCall("add", '{"n": "Par')),
        ("Action: hand_in", RawCall("hand_in", "")),
        ('Action: a\nAction Input: {}\nAction: b\nAction Input: {"x": 1}', RawCall("a", "{}")),
        ('Action: a\nThought: no\nAction: b\nAction Input: {"x": 1}', RawCall("a", "")),
        ('Action: a\nAction Input: {"s": "\\nAction: b"}', RawCall("a", '{"s": "\\nAction: b"}')),
        ("Thought: I wonder\nFinal Answer: 3", None),
        ("Action:\nAction Input: {}", None),
        ("Observation: 4\nAction: add\nAction Input: {}", None),
        ("", None),
    ],
)
def test_the_first_action_of_a_text_is_read_as_it_was_written(text, call):
    assert read_action(text) == call


def test_an_observation_that_the_model_invents_is_not_told_again(bench):
    invented = f"{ADD}\nObservation: The counter stands at 99.\n{HAND_IN}"
    model, agent = scripted(invented, HAND_IN, loop="react")
    episode = bench.one(agent)
    assert [call.executed_tool for call in episode.calls] == ["add", "hand_in"]
    assert "99" not in str(model.requests[1])
    assert "99" in (episode.steps[0].text or "")


def test_a_malformed_action_input_is_answered_and_never_run(bench):
    _, agent = scripted("Action: add\nAction Input: {oops", ADD, HAND_IN, loop="react")
    episode = bench.one(agent)
    assert episode.calls[0].executed is False
    assert episode.calls[0].arguments_raw == "{oops"
    assert episode.is_success


def test_rules_of_a_harness_see_calls_of_every_loop(bench, harness_of):
    bench.harness = harness_of(
        actions="def rule_three(action, context):\n"
        '    """Three is what is wanted."""\n'
        '    if action["tool"] == "add" and action["arguments"].get("n") == 2:\n'
        '        return {"kind": "rewrite", "tool": "add", "arguments": {"n": 3}}\n'
    )
    for loop in LOOPS:
        items = [Call("add", {"n": 2}), Call("hand_in", {})]
        items = ["A plan.", *items] if loop == "plan_execute" else items
        _, agent = scripted(*items, loop=loop)
        episode = bench.one(agent)
        assert [row.kind for row in episode.interventions] == ["rewrite"], loop
        assert episode.is_success, loop


def test_a_plan_is_made_without_tools_and_kept_in_view(bench):
    script = ("1. add 3", Call("add", {"n": 3}), Call("hand_in", {}))
    model, agent = scripted(*script, loop="plan_execute")
    episode = bench.one(agent)
    asked, first, second = model.requests
    assert "write a plan" in asked[-1]["content"]
    assert all("1. add 3" in request[1]["content"] for request in (first, second))
    assert [(note.kind, note.text) for note in episode.notes] == [("plan", "1. add 3")]
    assert episode.is_success


def test_the_call_for_a_plan_spends_budget_and_tokens(bench):
    _, agent = scripted("no plan", repeats_last=True, loop="plan_execute")
    trajectory = bench.one(agent).trajectory
    assert trajectory.termination == "budget"
    assert trajectory.steps == trajectory.budget == bench.environment.step_budget - 1


def test_an_endpoint_that_fails_at_the_plan_is_a_fault(bench):
    _, agent = scripted(ModelFault("down"), loop="plan_execute")
    assert bench.one(agent).trajectory.fault is not None


def test_a_fork_goes_on_with_the_plan_of_its_source(bench):
    script = ("1. add 3", Call("add", {"n": 3}), Call("hand_in", {}))
    _, agent = scripted(*script, loop="plan_execute")
    source = bench.one(agent)
    again, agent = scripted(Call("hand_in", {}), loop="plan_execute")
    fork = bench.one(agent, fork_spec(source, bench.task, 1, "again"))
    assert fork.is_success
    assert "1. add 3" in again.requests[0][1]["content"]
    assert [note.text for note in fork.notes] == ["1. add 3"]
    assert fork.trajectory.budget == source.trajectory.budget


def failing(bench, **changes):
    """A trial that was handed in wrong."""
    task = replace(bench.task, **changes)
    _, agent = scripted(Call("add", {"n": 1}), Call("hand_in", {}), loop="reflexion")
    return bench.one(agent, EpisodeSpec(task, seed=7))


def test_a_failed_trial_is_reflected_on_and_the_note_is_shown_in_the_next(bench):
    earlier = failing(bench)
    model, agent = scripted(
        "Add 3, not 1.", Call("add", {"n": 3}), Call("hand_in", {}), loop="reflexion"
    )
    episode = bench.one(agent, EpisodeSpec(bench.task, seed=7, repeat=1, earlier=earlier))
    asked, first, _ = model.requests
    assert "was not solved" in asked[-1]["content"]
    assert 'add {"n":1}' in asked[-1]["content"]
    assert "Add 3, not 1." in first[1]["content"]
    (note,) = episode.notes
    assert (note.kind, note.about_trajectory_id) == ("reflection", earlier.trajectory_id)
    assert episode.is_success
    assert episode.trajectory.budget == bench.environment.step_budget - 1


def test_what_a_trial_learned_is_carried_on_and_bounded(bench):
    trial = failing(bench)
    for number in range(1, MEMORY + 2):
        note = f"{number}" * (NOTE_CHARS + 1)
        _, agent = scripted(note, Call("add", {"n": 1}), Call("hand_in", {}), loop="reflexion")
        trial = bench.one(agent, EpisodeSpec(bench.task, 7, repeat=number, earlier=trial))
    assert [note.text[0] for note in trial.notes] == ["2", "3", "4"]
    assert [note.carried for note in trial.notes] == [True, True, False]
    assert {len(note.text) for note in trial.notes} == {NOTE_CHARS}


def test_after_a_solved_trial_nothing_is_written_and_no_budget_spent(bench):
    solved = bench.one(in_loop(GoldModel(), "reflexion"))
    again = bench.one(
        in_loop(GoldModel(), "reflexion"), EpisodeSpec(bench.task, 7, repeat=1, earlier=solved)
    )
    assert (again.notes, again.trajectory.budget) == ((), bench.environment.step_budget)


@pytest.mark.parametrize("split", ["train", "select"])
def test_a_finished_trial_is_known_to_have_failed_where_the_verdict_may_be_seen(bench, split):
    assert "not solved" in what_is_known(failing(bench, split=split))


def test_the_verdict_of_a_sealed_task_is_never_shown(bench):
    earlier = failing(bench, split="sealed")
    assert earlier.is_failure
    assert what_is_known(earlier) == ""
    model, agent = scripted(Call("add", {"n": 3}), Call("hand_in", {}), loop="reflexion")
    task = replace(bench.task, split="sealed")
    assert bench.one(agent, EpisodeSpec(task, 7, repeat=1, earlier=earlier)).notes == ()
    assert "earlier trial" not in str(model.requests)


def test_that_a_sealed_trial_ran_out_of_steps_may_be_known(bench):
    task = replace(bench.task, split="sealed")
    spent = bench.one(in_loop(NoopModel(), "reflexion"), EpisodeSpec(task, seed=7))
    assert "steps were used up" in what_is_known(spent)


def test_a_trial_after_a_fault_is_a_fault_since_it_would_learn_nothing(bench):
    _, agent = scripted(ModelFault("down"), loop="reflexion")
    broken = bench.one(agent)
    after = bench.one(agent, EpisodeSpec(bench.task, 7, repeat=1, earlier=broken))
    assert after.trajectory.fault == "agent"


def test_only_an_agent_that_learns_is_no_repetition_of_itself():
    known = {loop: in_loop(GoldModel(), loop).is_deterministic for loop in LOOPS}
    assert known == {"tool_call": True, "react": True, "plan_execute": True, "reflexion": False}


def test_a_built_in_model_speaks_react_through_text(bench):
    episode = bench.one(in_loop(GoldModel(), "react"))
    assert (episode.steps[0].text or "").splitlines()[1:] == [
        "Action: add",
        'Action Input: {"n":3}',
    ]
