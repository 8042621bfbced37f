"""Where the gate of a cycle tries its edits: rollouts, forks and renamed tasks of one round."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.episode import Episode
from schemas.plans import CyclePlan
from tasks.agent.capabilities import Reskinnable
from tasks.agent.chat_model import ChatModel
from tasks.agent.episode_spec import fork_spec
from tasks.agent.fork import can_fork
from tasks.agent.loops.looped_model import without_loop
from tasks.agent.offers import repeats_alike
from tasks.agent.own_stage import PlaysItself
from tasks.agent.protocols import Environment, Model, Task
from tasks.agent.recorded_models import RecordingModel, ReplayModel
from tasks.collection import Collector, cycle_episodes, train_purpose
from tasks.gate.candidate import GateSettings, GateWorld, History, Moment, RunForks
from tasks.gate.pairs import order_tasks
from tasks.gate.touch import Replayer
from tasks.harness import Harness
from tasks.workbench import Workbench, first_tasks

EXPOSURE = "exposure"
"""Name of forks in their arm, and what they are linked to the cycle for."""
STABLE_RUNS = 3
"""Runs that must all have passed before a task must pass, where replies vary."""
MOST_STABLE = 24
"""Must-pass tasks at most where each has to be run several times."""


@dataclass(frozen=True)
class GateDesk:
    """What the gate of a round is made from."""

    bench: Workbench
    plan: CyclePlan
    environment: Environment
    model: Model
    collector: Collector
    replayer: Replayer


async def open_world(desk: GateDesk, base: Harness, round_number: int) -> GateWorld:
    """The world in which the edits of a round are tried."""
    form, environment = desk.plan.form, desk.environment

    async def run(
        harness: Harness, tasks: Sequence[Task], repeats: Sequence[int]
    ) -> Sequence[Episode]:
        return await desk.collector.run(harness, tasks, "gate", repeats)

    purpose = train_purpose(round_number)
    episodes = cycle_episodes(desk.bench, desk.plan.cycle_id, purpose) if form.exposures else []
    train = first_tasks(environment.tasks("train"), form.tasks)
    is_forkable = can_fork(environment, desk.model)
    is_alike = repeats_alike(desk.model, environment)
    return GateWorld(
        cycle_id=desk.plan.cycle_id,
        seed=form.seed,
        select=first_tasks(environment.tasks("select"), form.tasks),
        must_pass=await _must_pass(desk, base, round_number),
        is_deterministic=is_alike,
        run=run,
        settings=GateSettings(
            objective=form.objective,
            slots=form.slots,
            repeats=form.repeats,
            exposures=form.exposures,
        ),
        measures_noise=not is_alike or _may_vary(desk.model),
        fork=_fork(desk) if is_forkable else None,
        history=History(tuple(episodes), desk.replayer) if episodes else None,
        reskin=environment.reskin if isinstance(environment, Reskinnable) else None,
        train_families=dict(Counter(task.family for task in train)),
    )


def _may_vary(model: Model) -> bool:
    """Whether nobody can promise that a model repeats itself, even at temperature 0.

    A recording is asked what the recorded model was, so that its gate is told again as it went.
    """
    inner = without_loop(model)
    is_recorded = isinstance(inner, RecordingModel | ReplayModel) and not inner.is_simulated
    return is_recorded or isinstance(inner, ChatModel | PlaysItself)


def _fork(desk: GateDesk) -> RunForks:
    tasks = {task.task_id: task for task in desk.environment.tasks("train")}

    async def fork(
        harness: Harness, moments: Sequence[Moment], repeats: Sequence[int]
    ) -> Sequence[Episode]:
        specs = [
            fork_spec(
                moment.source,
                tasks[moment.source.trajectory.task_id],
                moment.step_index,
                EXPOSURE,
                repeat=repeat,
            )
            for moment in moments
            for repeat in repeats
        ]
        return await desk.collector.run_specs(harness, specs, EXPOSURE)

    return fork


async def _must_pass(desk: GateDesk, base: Harness, round_number: int) -> tuple[Task, ...]:
    """Train tasks that passed in every run of every harness in force so far.

    One run says little where replies vary; there the harness in force is asked again, and only
    tasks that pass each time must pass.
    """
    passed: dict[str, bool] = {}
    for earlier in range(1, round_number + 1):
        for episode in cycle_episodes(desk.bench, desk.plan.cycle_id, train_purpose(earlier)):
            task_id = episode.trajectory.task_id
            passed[task_id] = passed.get(task_id, True) and episode.is_success
    tasks = [task for task in desk.environment.tasks("train") if passed.get(task.task_id)]
    if repeats_alike(desk.model, desk.environment) or not tasks:
        return tuple(tasks)
    some = order_tasks(tasks, desk.plan.form.seed)[:MOST_STABLE]
    episodes = await desk.collector.run(base, some, "gate", range(STABLE_RUNS))
    failed = {episode.trajectory.task_id for episode in episodes if not episode.is_success}
    return tuple(task for task in some if task.task_id not in failed)
