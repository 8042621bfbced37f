"""Snapshot and restore, step by step: a restored world must go on as the first did."""

from schemas.errors import EnvironmentFault
from tasks.agent.offers import FORKS
from tasks.agent.protocols import Task, World
from tasks.environments.conformance.inspection import Inspection, TimeIsOver, fault_text
from tasks.environments.conformance.playing import STEPS, chooser

MOST_STEPS = 100
MOST_TASKS = 50


def inspect_restoring(inspection: Inspection) -> None:
    """Restore before each of up to 100 calls and make the call again."""
    if not FORKS.is_there(inspection.environment):
        inspection.grade("restore", "none", FORKS.missing)
        return
    done, wrong = 0, ""
    try:
        for task in inspection.tasks[:MOST_TASKS]:
            if done >= MOST_STEPS or wrong:
                break
            with inspection.world(task) as world:
                made, wrong = _walk(inspection, task, world, MOST_STEPS - done)
            done += made
    except EnvironmentFault as error:
        wrong = fault_text(error)
    except TimeIsOver:
        pass
    if wrong:
        inspection.find("error", f"restore: {wrong}", "set is_forkable = False, or mend it")
    value = "no" if wrong else "yes" if done else "unknown"
    inspection.grade("restore", value, f"{done} steps made twice")


def _walk(inspection: Inspection, task: Task, world: World, most: int) -> tuple[int, str]:
    """How many calls were made twice, and what was not as before."""
    choose = chooser(inspection.environment, task, inspection.seed)
    number = 0
    for number in range(min(STEPS, most, inspection.environment.step_budget)):
        inspection.require_time()
        call, before = choose(world, number), world.snapshot()
        result, listed, after = world.act(call), world.admissible(), world.snapshot()
        judged = world.verdict()
        world.restore(before)
        if world.snapshot() != before:
            return number, "the state after a restore is not the restored one"
        again, listed_again = world.act(call), world.admissible()
        if again != result or listed_again != listed:
            return number, f"the call {call.tool} gave something else after a restore"
        if world.snapshot() != after or world.verdict() != judged:
            return number, f"the call {call.tool} led to another state after a restore"
        if result.done:
            return number + 1, ""
    return number + 1, ""
