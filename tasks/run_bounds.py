"""What a run will take before it is made: rollouts, calls, tokens, dollars, seconds, in bounds.

Lower bounds are what cannot be avoided, upper ones the whole budget: every round, every slot over
all select tasks, every call of a rollout. What is likely comes from finished cycles and stored
runs where there are some.
"""

from dataclasses import dataclass, field
from typing import Any

from schemas.evaluation_forms import EvaluateForm
from schemas.fields import Split
from schemas.forms import CollectForm, CycleForm
from schemas.settings import EndpointSettings
from tasks.agent.episode_spec import EpisodeSpec, Rig, trajectory_id
from tasks.agent.offers import repeats_alike
from tasks.agent.protocols import Environment, Model, Task
from tasks.agent.user_talk import user_of
from tasks.benefit.parameters import DEFAULT
from tasks.evaluation import order_of
from tasks.expected_run import Bounds, Role
from tasks.gate.candidate import GateSettings
from tasks.gating_world import MOST_STABLE, STABLE_RUNS
from tasks.harness import Harness
from tasks.rollout_usage import Span, Usage, rollout_usage
from tasks.workbench import Workbench, first_tasks

_MADE = "SELECT trajectory_id FROM trajectories WHERE environment = ? AND model_fingerprint = ?"
_CYCLES = """
SELECT count(DISTINCT c.cycle_id),
       count(*) FILTER (t.model = c.model), count(*) FILTER (t.model <> c.model)
FROM cycles AS c
JOIN stage_events AS e ON e.cycle_id = c.cycle_id AND e.state = 'done'
    AND starts_with(e.stage, 'close_cycle')
JOIN (SELECT DISTINCT cycle_id, trajectory_id FROM cycle_trajectories) AS l
    ON l.cycle_id = c.cycle_id
JOIN trajectories AS t ON t.trajectory_id = l.trajectory_id
WHERE c.environment = ? AND json_extract_string(c.inputs, '$.tasks') = ?
    AND json_extract_string(c.inputs, '$.rounds') = ?
"""
EDITS = 24
"""Edits of a cycle that pruning may try to do without, at most."""
FORKS = 2 * DEFAULT.artifacts * DEFAULT.points * DEFAULT.repeats * 2


def bound_collect(form: CollectForm) -> dict[str, Any]:
    """Bounds of `collect`: the rollouts that are not stored yet.

    Raises:
        ConfigError: a word names nothing.
    """
    bench = Workbench.open()
    environment = bench.environment(form.environment)
    model = bench.model(form.model, loop=form.loop)
    found = _opened(bench, form, environment, model)
    runs = _Runs(bench, environment, model, form.seed)
    repeats = 1 if repeats_alike(model, environment) else form.repeats
    tasks = first_tasks(environment.tasks(form.split), form.tasks)
    runs.add(bench.harness(environment.name, form.harness), tasks, repeats)
    runs.bound(found, form.model)
    return _with_notes(found, environment).told()


def bound_evaluate(form: EvaluateForm) -> dict[str, Any]:
    """Bounds of `evaluate`, as of `collect`, over all cells.

    Raises:
        ConfigError: a word names nothing.
    """
    bench = Workbench.open()
    order = order_of(form, bench)
    head = {
        "environment": ", ".join(order.environments),
        "model": ", ".join(model.name for model in order.models.values()),
        "simulated": any(model.is_simulated for model in order.models.values()),
    }
    found = Bounds(head, form.concurrency or bench.settings.concurrency)
    for name, environment in order.environments.items():
        for arm, model in order.models.items():
            runs = _Runs(bench, environment, model, form.seed)
            trials = 1 if repeats_alike(model, environment) else form.trials
            for cell in order.matrix.cells:
                if (cell.environment, cell.arm) == (name, arm):
                    tasks = first_tasks(environment.tasks(cell.split), form.tasks)
                    runs.add(order.matrix.harnesses[cell.harness_id], tasks, trials)
            runs.bound(found, arm.word)
    return _with_notes(found, *order.environments.values()).told()


@dataclass
class _Runs:
    """Rollouts of one model in one world that are asked for."""

    bench: Workbench
    environment: Environment
    model: Model
    seed: int
    harness: Harness | None = None
    tasks: tuple[Task, ...] = ()
    wanted: set[str] = field(default_factory=set[str])

    def add(self, harness: Harness, tasks: tuple[Task, ...], repeats: int) -> None:
        """Ask for tasks in a harness."""
        self.harness, self.tasks = self.harness or harness, self.tasks or tasks
        rig = Rig(self.environment, self.model, harness, None, self.bench.now)
        self.wanted |= {
            trajectory_id(rig, EpisodeSpec(task, self.seed, repeat))
            for task in tasks
            for repeat in range(repeats)
        }

    def bound(self, found: Bounds, word: str) -> None:
        """Add what is not stored yet to the bounds."""
        if self.harness is None:
            return
        with self.bench.warehouse.read() as reader:
            rows = reader.frame(_MADE, [self.environment.name, self.model.fingerprint]).rows()
        missing = len(self.wanted - {str(row[0]) for row in rows})
        if len(self.wanted) > missing:
            stored = f"{len(self.wanted) - missing} of {len(self.wanted)} rollouts"
            found.notes.append(f"{stored} of {self.model.name} are stored already.")
        usage = _usage(self.bench, self.environment, self.model, word, self.harness, self.tasks)
        endpoint = _endpoint(self.bench, word)
        found.roles.append(Role(self.model, endpoint, usage, Span(missing, missing, missing)))


def bound_cycle(form: CycleForm) -> dict[str, Any]:
    """Bounds of a cycle, from its form alone: nothing is opened and nothing runs.

    Raises:
        ConfigError: a word names nothing.
    """
    bench = Workbench.open()
    environment = bench.environment(form.environment)
    model = bench.model(form.model, loop=form.loop)
    reference = bench.model(form.reference, loop=form.loop)
    harness = bench.harness(environment.name, form.harness)
    found = _opened(bench, form, environment, model)
    agent, other = _cycle_rollouts(bench, form, environment, model, found)
    train = first_tasks(environment.tasks("train"), form.tasks)
    for word, one, rollouts in ((form.model, model, agent), (form.reference, reference, other)):
        usage = _usage(bench, environment, one, word, harness, train)
        found.roles.append(Role(one, _endpoint(bench, word), usage, rollouts))
    if form.editor.partition(":")[0] in ("openai", "prompt"):
        most = form.rounds * bench.settings.editor.tokens
        found.notes.append(f"The editor's own replies come on top: at most {most} tokens.")
    return _with_notes(found, environment).told()


def _cycle_rollouts(
    bench: Workbench, form: CycleForm, environment: Environment, model: Model, found: Bounds
) -> tuple[Span, Span]:
    """Rollouts of the model and of the reference."""

    def size(split: Split) -> int:
        return len(first_tasks(environment.tasks(split), form.tasks))

    train, select, sealed = size("train"), size("select"), size("sealed")
    repeats = 1 if repeats_alike(model, environment) else form.repeats
    settings = GateSettings()
    rounds, scoring = form.rounds, sealed * repeats
    rate = 2 * min(select, DEFAULT.select_tasks) * repeats
    use = 2 * min(train, DEFAULT.train_tasks)
    lower = scoring + (train if rounds else 0)
    pair = 2 * repeats * select
    stable = 0 if repeats_alike(model, environment) else MOST_STABLE * STABLE_RUNS
    trial = pair + 2 * settings.fresh_repeats * select + 2 * settings.reskins * repeats
    round_upper = train + 2 * form.exposures + stable + pair * settings.noise_share
    upper = 2 * scoring + (rounds + 1) * train + rounds * round_upper
    upper += form.slots * trial + EDITS * select * repeats + rate + use + FORKS
    likely = 2 * scoring + min(rounds, 2) * (train + pair / 2 + form.exposures) + rate + use
    likely_reference: float = rate
    with bench.warehouse.read() as reader:
        key = [environment.name, str(form.tasks), str(form.rounds)]
        [(cycles, agent, other)] = reader.frame(_CYCLES, key).rows()
    if cycles:
        likely, likely_reference = agent / cycles, other / cycles
        found.notes.append(f"What is likely comes from {cycles} finished cycles of this size.")
    else:
        found.notes.append("No finished cycle of this size is stored: likely is two rounds.")
    reference_upper = rate + FORKS
    likely = min(max(likely, lower), upper)
    return Span(lower, likely, upper), Span(
        0, min(likely_reference, reference_upper), reference_upper
    )


def _opened(
    bench: Workbench,
    form: CollectForm | CycleForm,
    environment: Environment,
    model: Model,
) -> Bounds:
    head = {"environment": environment.name, "model": model.name, "simulated": model.is_simulated}
    return Bounds(head, form.concurrency or bench.settings.concurrency)


def _usage(
    bench: Workbench,
    environment: Environment,
    model: Model,
    word: str,
    harness: Harness,
    tasks: tuple[Task, ...],
) -> Usage:
    return rollout_usage(bench, environment, model, harness, tasks, _endpoint(bench, word))


def _endpoint(bench: Workbench, word: str) -> EndpointSettings | None:
    """Settings of the endpoint behind a word; null for models that ask none."""
    kind, _, name = word.partition(":")
    if kind != "openai":
        return None
    from tasks.agent.models import resolve_endpoint

    return resolve_endpoint(name, bench.settings).settings


def _with_notes(found: Bounds, *environments: Environment) -> Bounds:
    users = {user.name for one in environments if (user := user_of(one))}
    found.notes += [
        f"What {name} takes, who plays the user, comes on top." for name in sorted(users)
    ]
    for one in found.roles:
        if one.endpoint is not None and one.endpoint.price is None:
            found.notes.append(f"{one.model.name} has no price, so dollars are unknown.")
    if not users and all(one.endpoint is None for one in found.roles):
        found.notes.append("No endpoint is asked: the models are built in and cost nothing.")
    return found
