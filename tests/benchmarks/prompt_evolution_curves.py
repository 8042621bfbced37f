"""Our cycle beside GEPA at equal episode evaluations and with one proposer: both curves.

    python -m tests.benchmarks.prompt_evolution_curves --environment sqldesk

Both sides start from the seed harness and let the editor `rules` write. Ours edits four layers and
accepts through the gate; GEPA edits contract and skills and accepts by its own rules, with at most
as many episodes as ours has used. It ends before that when the editor has nothing new to say for a
long time. An episode counts once for a task and a harness. Sealed tasks are scored afterwards,
outside of both budgets, and neither side sees them.
"""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from tempfile import TemporaryDirectory
from typing import Any

from schemas.forms import CycleForm
from tasks.annotation import annotate_round
from tasks.budget_arms import rollouts_spent
from tasks.collection import collect_train, open_collector
from tasks.cycle import open_cycle
from tasks.editing import propose_edits
from tasks.following_up import follow_up
from tasks.gating import gate_edits
from tasks.harness import Harness
from tasks.scores import is_simulated, task_means
from tasks.statistics.proportions import wilson
from tasks.workbench import SEED_HARNESS, Workbench
from tests.benchmarks.gepa_search import Found, Options, World, search_texts

SIMULATED = (
    "The model is simulated: the numbers say how the two searches behave here, nothing more."
)


@dataclass(frozen=True)
class Point:
    """What had been spent, and what the harness in force then solves of the sealed tasks."""

    evaluations: int
    success: float
    lo: float
    hi: float
    tasks: int
    harness_id: str


def run_cycle(form: CycleForm) -> list[Found]:
    """Evolve as a cycle does; the harness in force after each round, the base first."""
    bench, plan = Workbench.open(), open_cycle(form)
    harness_id, slots, idle = plan.base_harness_id, 0, 0
    in_force = [(0, harness_id)]
    for number in range(1, form.rounds + 1):
        collect_train(plan, harness_id, number)
        annotate_round(plan, harness_id, number)
        propose_edits(plan, harness_id, number)
        gate = gate_edits(plan, harness_id, number, slots)
        kept, slots = harness_id, gate.slots_used
        if gate.harness_id != harness_id:
            kept = follow_up(plan, harness_id, gate.harness_id, number).harness_id
        idle = idle + 1 if kept == harness_id else 0
        harness_id = kept
        in_force.append((rollouts_spent(plan.cycle_id), harness_id))
        if idle >= form.patience:
            break
    return [Found(spent, bench.harness(form.environment, name)) for spent, name in in_force]


async def draw_gepa(world: World, base: Harness, options: Options) -> list[Point]:
    """GEPA's curve: its best candidate by validation, from where it was found to the end."""
    searched = await search_texts(world, base, options)
    points = await score(world, [Found(0, base), *searched.found])
    end = replace(points[-1], evaluations=searched.evaluations)
    return points if end == points[-1] else [*points, end]


async def score(world: World, found: Sequence[Found]) -> list[Point]:
    """Sealed success of each harness."""
    points: list[Point] = []
    for one in found:
        episodes = await world.collector.run(one.harness, world.split("sealed"), "sealed")
        means = task_means(episodes)
        share = wilson(round(sum(means.values())), len(means))
        assert share is not None, "no sealed task could be judged"
        name = one.harness.harness_id
        points.append(Point(one.evaluations, share.value, share.lo, share.hi, len(means), name))
    return points


async def compare(form: CycleForm, ours: Sequence[Found], options: Options) -> dict[str, Any]:
    """Both curves, and what they end with."""
    bench = Workbench.open()
    environment, model = bench.environment(form.environment), bench.model(form.model)
    async with open_collector(bench, environment, model, form.seed) as collector:
        world = World(environment, model, collector, form.seed, form.tasks)
        base = bench.harness(environment.name, SEED_HARNESS)
        curves = {
            "ours": await score(world, ours),
            "gepa": await draw_gepa(world, base, options),
        }
    ends = {name: points[-1].success for name, points in curves.items()}
    return {
        "environment": environment.name,
        "model": model.name,
        "simulated": is_simulated(model.name),
        "seed": form.seed,
        "proposer": form.editor,
        "gepa_options": asdict(options),
        "curves": {name: [asdict(one) for one in points] for name, points in curves.items()},
        "end": ends | {"ratio": ends["ours"] / ends["gepa"] if ends["gepa"] else None},
    }


def render(result: dict[str, Any]) -> str:
    """Both curves as one table, in the order of what had been spent."""
    options, end = result["gepa_options"], result["end"]
    rows = [
        (one["evaluations"], side, one) for side, curve in result["curves"].items() for one in curve
    ]
    rows.sort(key=lambda row: row[0])
    lines = [
        f"{result['model']} in {result['environment']}, seed {result['seed']}, "
        f"proposer {result['proposer']} on both sides",
        f"gepa      budget {options['budget']}, minibatch {options['minibatch']}, "
        f"validation {options['validation']}, edits {options['edits']}, "
        f"components {options['components']}",
        "",
        "evaluations  side  sealed  95 % interval   harness",
        "-----------  ----  ------  --------------  ---------------------",
    ]
    lines += [
        f"{spent:>11}  {side:<4}  {one['success']:>6.1%}  {one['lo']:>5.1%} to {one['hi']:>5.1%}"
        f"  {one['harness_id']}"
        for spent, side, one in rows
    ]
    ratio = "undefined" if end["ratio"] is None else f"{end['ratio']:.2f}"
    last = {side: curve[-1]["evaluations"] for side, curve in result["curves"].items()}
    lines += ["", SIMULATED] if result["simulated"] else [""]
    lines.append(
        f"end       ours {end['ours']:.1%} at {last['ours']}, gepa {end['gepa']:.1%} at "
        f"{last['gepa']} evaluations; ours / gepa {ratio}"
    )
    return "\n".join(lines)


def read_words(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--environment", default="sqldesk")
    parser.add_argument("--model", default="simulated:weak")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--tasks", type=int, default=0, help="tasks per split; 0 takes all")
    parser.add_argument("--budget", type=int, default=0, help="GEPA's; 0 takes what ours used")
    parser.add_argument("--minibatch", type=int, default=Options.minibatch)
    parser.add_argument("--validation", type=int, default=Options.validation)
    parser.add_argument("--edits", choices=["one", "all"], default=Options.edits)
    parser.add_argument("--components", choices=["round_robin", "all"], default=Options.components)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(words)


def main(words: Sequence[str] | None = None) -> None:
    """Run both sides in a data folder that is thrown away, and print the curves."""
    given = read_words(words)
    form = CycleForm(
        environment=given.environment, model=given.model, seed=given.seed, tasks=given.tasks
    )
    with TemporaryDirectory() as home:
        os.environ["TACKROOM_HOME"] = home
        ours = run_cycle(form)
        options = Options(
            budget=given.budget or ours[-1].evaluations,
            minibatch=given.minibatch,
            validation=given.validation,
            edits=given.edits,
            components=given.components,
        )
        result = asyncio.run(compare(form, ours, options))
    text = json.dumps(result) if given.json else render(result)
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
