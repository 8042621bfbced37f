"""How episodes end: verdict, budget, stop, faults; and that siblings go on."""

import asyncio

import pytest

from schemas.errors import ConfigError, ContextOverflow, EnvironmentFault, ModelFault
from tasks.agent.builtin_models import GoldModel, ScriptedModel
from tasks.agent.episode_spec import EpisodeSpec
from tasks.agent.protocols import Call, ModelReply, RawCall, Verdict


def test_a_model_fault_keeps_the_steps_so_far_and_says_nothing_of_the_agent(bench):
    episode = bench.one(ScriptedModel([Call("add", {"n": 1}), ModelFault("down", kind="refused")]))
    row = episode.trajectory
    assert (row.termination, row.fault, row.outcome) == ("fault", "model_refused", "unknown")
    assert (row.termination_raw, row.reward, len(episode.steps)) == ("down", None, 1)


@pytest.mark.parametrize("tool", ["crash", "fault"])
def test_a_world_that_breaks_is_a_fault_of_the_environment(bench, tool):
    episode = bench.one(ScriptedModel([Call("add", {"n": 1}), Call(tool, {})]))
    row = episode.trajectory
    assert (row.fault, row.outcome) == ("environment", "unknown")
    assert len(episode.steps) == 1
    assert bench.environment.worlds[-1].is_closed


def test_a_world_that_does_not_start_is_a_fault_without_steps(bench):
    def start(task, seed):
        message = "no more worlds"
        raise EnvironmentFault(message)

    bench.environment.start = start
    episode = bench.one(GoldModel())
    assert (episode.trajectory.fault, episode.steps) == ("environment", ())


def test_a_verdict_that_is_no_number_is_a_fault(bench):
    world = bench.environment.start(bench.task, 0)
    world.verdict = lambda: Verdict("success", float("nan"))
    bench.environment.start = lambda task, seed: world
    assert bench.one(GoldModel()).trajectory.fault == "environment"


def test_an_error_of_ours_is_a_row_too(bench, caplog):
    episode = bench.one(ScriptedModel([KeyError("oops")]))
    assert episode.trajectory.fault == "internal"
    assert "oops" in (episode.trajectory.termination_raw or "")
    assert "broke down" in caplog.text


def test_siblings_of_a_failed_episode_go_on(bench):
    tasks = bench.environment.tasks("train")
    script = {
        task.task_id: [Call("crash", {})] if n == 2 else [Call("hand_in", {})]
        for n, task in enumerate(tasks)
    }
    episodes = bench.run(ScriptedModel(script), *(EpisodeSpec(task, 1) for task in tasks))
    assert [bool(episode.trajectory.fault) for episode in episodes] == [
        n == 2 for n in range(len(tasks))
    ]


def test_a_conversation_that_is_too_long_ends_typed_and_is_judged(bench):
    episode = bench.one(ScriptedModel([Call("add", {"n": 3}), ContextOverflow("too long")]))
    row = episode.trajectory
    assert (row.termination, row.fault, row.outcome) == ("context_overflow", None, "failure")
    assert len(episode.steps) == 1


def test_a_request_that_makes_no_sense_stops_everything(bench):
    script = ScriptedModel([ConfigError("no such endpoint")])
    with pytest.raises(ConfigError, match="no such endpoint"):
        bench.run(script, *(EpisodeSpec(task, 1) for task in bench.environment.tasks("train")))


def test_a_regulation_rule_can_stop_an_episode(bench, harness_of):
    rule = 'def rule_enough(history, context):\n    """Enough."""\n    return {"kind": "stop"}\n'
    bench.harness = harness_of(regulation=rule)
    episode = bench.one(ScriptedModel([Call("add", {"n": 3})], repeats_last=True))
    assert (episode.trajectory.termination, episode.trajectory.outcome) == ("rule_stop", "failure")
    assert [row.kind for row in episode.interventions] == ["stop"]


class Slow:
    """Counts at a pace of its own: the first episodes end last."""

    name, fingerprint, is_simulated, is_deterministic = "slow", "slow", True, True

    def __init__(self) -> None:
        self.in_flight = self.most = 0

    def open(self, context):
        return Slowly(self, context)


class Slowly:
    def __init__(self, model, context):
        self.model, self.context = model, context

    async def reply(self, messages, tools):
        self.model.in_flight += 1
        self.model.most = max(self.model.most, self.model.in_flight)
        await asyncio.sleep(0.02 / (1 + self.context.seed))
        self.model.in_flight -= 1
        return ModelReply(calls=(RawCall("hand_in", ""),))


def test_results_come_in_input_order_whatever_ends_first(bench):
    specs = [EpisodeSpec(bench.task, seed) for seed in range(8)]
    heard: list[int] = []
    model = Slow()
    episodes = bench.run(model, *specs, on_done=lambda _, e: heard.append(e.trajectory.seed))
    assert [episode.trajectory.seed for episode in episodes] == list(range(8))
    assert heard != list(range(8))
    assert sorted(heard) == list(range(8))


def test_no_more_episodes_run_at_once_than_allowed(bench):
    model = Slow()
    bench.run(model, *(EpisodeSpec(bench.task, seed) for seed in range(9)), concurrency=3)
    assert model.most == 3


def test_concurrency_does_not_change_a_single_row(bench):
    specs = [
        EpisodeSpec(task, seed) for task in bench.environment.tasks("train") for seed in (1, 2)
    ]
    one = bench.run(GoldModel(), *specs, concurrency=1)
    many = bench.run(GoldModel(), *specs, concurrency=12)
    assert one == many


def test_the_id_names_what_determines_an_episode_and_nothing_else(bench):
    task, other = bench.environment.tasks("train")[:2]
    specs = [
        EpisodeSpec(task, 1),
        EpisodeSpec(other, 1),
        EpisodeSpec(task, 2),
        EpisodeSpec(task, 1, repeat=1),
    ]
    ids = {episode.trajectory_id for episode in bench.run(GoldModel(), *specs)}
    assert len(ids) == 4
    bench.now = bench.now.replace(year=2031)
    again = bench.one(GoldModel(), EpisodeSpec(task, 1))
    assert again.trajectory_id in ids
