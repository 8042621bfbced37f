"""A stored trial once more, on tasks that it has not read: does its result repeat?"""

import asyncio
from collections.abc import Sequence
from typing import Any

from schemas.episode import Episode
from schemas.errors import ConfigError
from schemas.forms import CycleForm
from schemas.gate import GateDecisionRow, PairedTrialRow
from schemas.harness import EditRow
from schemas.runs import CycleRow
from tasks.agent.capabilities import Reskinnable
from tasks.agent.offers import repeats_alike
from tasks.agent.protocols import Environment, Task
from tasks.collection import open_collector
from tasks.cycle import stored_form
from tasks.gate.arms import Arms
from tasks.gate.budget import LossLedger
from tasks.gate.candidate import GateSettings, GateWorld
from tasks.gate.paired import Stop, Trial, run_trial
from tasks.gate.pairs import order_tasks
from tasks.gate.power import resolvable_gain
from tasks.gate.touch import Replayer
from tasks.harness import Harness
from tasks.scores import is_simulated
from tasks.stored_ids import EDIT, find_id
from tasks.workbench import Workbench

PURPOSE = "repeat"
_SAID: dict[Stop, str] = {"evidence": "repeats", "regression": "does not repeat"}


def repeat_trial(word: str) -> dict[str, Any]:
    """Run the trial an edit was judged by again, on fresh tasks and at the threshold of one slot.

    Fresh are select tasks that the trial did not read, and the read ones under other names where
    the environment can rename. The stored verdict stays as it is.

    Raises:
        ConfigError: no such edit, it was never in a trial, or there is no fresh task.
    """
    bench = Workbench.open()
    edit, form, read = _stored(bench, word)
    environment = bench.environment(form.environment)
    fresh, renamed = fresh_tasks(environment, {row.task_id for row in read}, form.seed)
    if not fresh:
        what = f"the trial of {edit.edit_id} has read every select task of `{environment.name}`"
        raise ConfigError(what, hint="an environment that can rename tasks has fresh ones")
    trial = asyncio.run(_repeat(bench, form, environment, read[0], fresh))
    bench.land(trial.rows, "gate_repeat")
    bench.commit()
    return _report(edit, form, read, trial, {"unread": len(fresh) - renamed, "renamed": renamed})


def fresh_tasks(
    environment: Environment, read: set[str], seed: int
) -> tuple[tuple[Task, ...], int]:
    """Select tasks a trial has not read, then the read ones renamed; and how many are renamed."""
    tasks = order_tasks(environment.tasks("select"), seed)
    unread = [task for task in tasks if task.task_id not in read]
    if not isinstance(environment, Reskinnable):
        return tuple(unread), 0
    # Names of another seed than the gate's own check, which has seen those.
    renamed = [environment.reskin(task, seed + 1) for task in tasks if task.task_id in read]
    return (*unread, *renamed), len(renamed)


async def _repeat(
    bench: Workbench,
    form: CycleForm,
    environment: Environment,
    first: PairedTrialRow,
    fresh: Sequence[Task],
) -> Trial:
    model = bench.model(form.model, agent=form.agent, loop=form.loop)
    old, new = (
        bench.harness(environment.name, name)
        for name in (first.old_harness_id, first.new_harness_id)
    )
    async with open_collector(bench, environment, model, form.seed, first.cycle_id) as collector:

        async def run(
            harness: Harness, tasks: Sequence[Task], repeats: Sequence[int]
        ) -> Sequence[Episode]:
            return await collector.run(harness, tasks, PURPOSE, repeats)

        world = GateWorld(
            cycle_id=first.cycle_id,
            seed=form.seed,
            select=tuple(fresh),
            must_pass=(),
            is_deterministic=repeats_alike(model, environment),
            run=run,
            settings=GateSettings(slots=1, repeats=form.repeats),
        )
        replayer = Replayer(collector.sandbox, [t.as_openai() for t in environment.tools])
        arms = Arms(world, old, new, replayer.can_touch)
        return await run_trial(arms, fresh, LossLedger(arms), purpose=PURPOSE)


def _stored(bench: Workbench, word: str) -> tuple[EditRow, CycleForm, list[PairedTrialRow]]:
    """The edit, the form of its cycle, and the pairs of its trial."""
    with bench.warehouse.read() as reader:
        hint = "`tackroom harness history` lists edits"
        one = [find_id(reader, word, EDIT, what="edit", hint=hint)]
        [edit] = reader.rows(EditRow, "edit_id = ?", one)
        decision = next(iter(reader.rows(GateDecisionRow, "edit_id = ?", one)), None)
        trial_id = decision.trial_id if decision else None
        read = reader.rows(PairedTrialRow, "trial_id = ?", [trial_id]) if trial_id else []
        cycle = reader.rows(CycleRow, "cycle_id = ?", [edit.cycle_id])[0]
    if not read:
        reason = f"{decision.verdict}, {decision.reason}" if decision else "not judged yet"
        what = f"{edit.edit_id} was never in a paired trial ({reason})"
        raise ConfigError(what, hint="only an edit that entered one can be tried again")
    return edit, stored_form(cycle), read


def _report(
    edit: EditRow,
    form: CycleForm,
    read: Sequence[PairedTrialRow],
    trial: Trial,
    fresh: dict[str, int],
) -> dict[str, Any]:
    process = trial.process
    return {
        "edit_id": edit.edit_id,
        "cycle_id": edit.cycle_id,
        "environment": form.environment,
        "model": form.model,
        "simulated": is_simulated(form.model),
        "old_harness_id": read[0].old_harness_id,
        "new_harness_id": read[0].new_harness_id,
        "first_trial": {
            result: sum(row.result == result for row in read) for result in ("win", "loss", "tie")
        },
        "trial_id": trial.trial_id,
        "fresh_tasks": fresh,
        "wins": process.wins,
        "losses": process.losses,
        "ties": process.ties,
        "e_value": process.e_value,
        "threshold": process.threshold,
        "delta": trial.delta.value,
        "delta_lo": trial.delta.lo,
        "delta_hi": trial.delta.hi,
        "resolvable_gain": resolvable_gain(sum(fresh.values()), process.threshold),
        "verdict": _SAID.get(trial.stop, "undecided"),
        "reason": trial.stop,
    }
