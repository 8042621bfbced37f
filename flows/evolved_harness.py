"""The harness that a cycle ends with, evolved now or before, without releasing it."""

from flows.evolution_cycle import Caller, evolve_in_rounds, nobody
from schemas.forms import CycleForm
from schemas.plans import CyclePlan
from tasks.cycle import open_cycle


def evolved_harness(form: CycleForm, call: Caller) -> tuple[str, str]:
    """Ids of the cycle and of the harness it ends with.

    Stages that an earlier run has finished are not run again, so what was evolved once is used by
    every evaluation that asks for the same cycle. `current` stays where it points.

    Raises:
        ConfigError: a word names nothing.
    """
    plan: CyclePlan = call(open_cycle)(form)
    return plan.cycle_id, evolve_in_rounds(plan, call, nobody)
