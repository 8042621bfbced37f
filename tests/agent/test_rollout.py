"""The loop: what is run, what is recorded, how episodes end."""

from schemas.trajectories import TrajectoryRow
from tasks.agent.builtin_models import GoldModel, NoopModel, ScriptedModel
from tasks.agent.episode_spec import EpisodeSpec
from tasks.agent.protocols import Call, ModelReply, RawCall


def test_the_expert_passes_every_task(bench):
    specs = [EpisodeSpec(task, seed=1) for task in bench.environment.tasks("train")]
    episodes = bench.run(GoldModel(), *specs)
    assert [episode.trajectory.outcome for episode in episodes] == ["success"] * 6
    assert {episode.trajectory.termination for episode in episodes} == {"finished"}


def test_a_silent_model_spends_its_budget_and_fails(bench):
    episode = bench.one(NoopModel())
    assert (episode.trajectory.outcome, episode.trajectory.termination) == ("failure", "budget")
    assert episode.trajectory.steps == len(episode.steps) == bench.environment.step_budget
    assert episode.calls == ()
    assert "hand_in" in (episode.steps[0].observation or "")


def test_a_call_is_recorded_as_written_and_as_run(bench):
    model = ScriptedModel([RawCall("add", '{ "n" : 3 }', "native-1"), Call("hand_in", {})])
    episode = bench.one(model)
    call = episode.calls[0]
    assert call.arguments_raw == '{ "n" : 3 }'
    assert call.arguments == call.executed_arguments == '{"n":3}'
    assert (call.executed, call.executed_tool, call.native_id) == (True, "add", "native-1")
    assert call.result == call.observation == episode.steps[0].observation
    assert episode.trajectory.outcome == "success"


def test_rows_of_one_episode_share_its_id_and_hash_its_states(bench):
    episode = bench.one(ScriptedModel([Call("add", {"n": 3}), Call("hand_in", {})]))
    assert isinstance(episode.trajectory, TrajectoryRow)
    assert {row.trajectory_id for row in (*episode.steps, *episode.calls)} == {
        episode.trajectory_id
    }
    first, second = episode.steps
    assert first.state_hash_before != first.state_hash_after == second.state_hash_before


def test_tokens_and_cost_are_summed_and_stay_unknown_otherwise(bench):
    said = ModelReply(calls=(RawCall("add", '{"n":1}'),), prompt_tokens=10, completion_tokens=2)
    priced = ModelReply(calls=(RawCall("hand_in", ""),), prompt_tokens=20, cost_usd=0.5)
    episode = bench.one(ScriptedModel([said, priced]))
    row = episode.trajectory
    assert (row.prompt_tokens, row.completion_tokens, row.cost_usd) == (30, 2, 0.5)
    assert bench.one(GoldModel()).trajectory.prompt_tokens is None
