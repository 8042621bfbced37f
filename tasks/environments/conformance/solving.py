"""The policy must pass every task, and doing nothing none."""

from collections.abc import Callable

from schemas.errors import EnvironmentFault
from tasks.agent.capabilities import HasExpert
from tasks.agent.offers import EXPERT
from tasks.agent.protocols import Task, World
from tasks.environments.conformance.inspection import (
    Count,
    Inspection,
    TimeIsOver,
    Value,
    fault_text,
)

SHOWN = 5


def inspect_solving(inspection: Inspection) -> None:
    """Count what a policy and what doing nothing pass."""
    idle = _count(inspection, "noop", lambda _task, _world: None)
    if idle.passed:
        hint = "a verdict must need something that only the agent can have done"
        what = (
            f"doing nothing passes {len(idle.passed)} of {idle.tried} tasks: {_some(idle.passed)}"
        )
        inspection.find("error", what, hint)
    inspection.grade("noop_fails", _value(not idle.passed, idle), f"passes {_of(idle)}")
    if not EXPERT.is_there(inspection.environment):
        inspection.grade("gold", "none", EXPERT.missing)
        return
    best = _count(inspection, "gold", lambda task, world: _play_expert(inspection, task, world))
    if best.failed:
        what = f"the policy fails {len(best.failed)} of {best.tried} tasks: {_some(best.failed)}"
        inspection.find("error", what, "mend `expert_call`, or the verdict")
    inspection.grade("gold", _value(not best.failed, best), f"passes {_of(best)}")


def _count(inspection: Inspection, name: str, play: Callable[[Task, World], None]) -> Count:
    ends: dict[str, list[str]] = {"passed": [], "failed": [], "faults": []}
    for task in inspection.tasks:
        try:
            with inspection.world(task) as world:
                play(task, world)
                is_passed = world.verdict().outcome == "success"
        except EnvironmentFault as error:
            ends["faults"].append(task.task_id)
            inspection.find("error", f"{name}: {fault_text(error)}")
        except TimeIsOver:
            break
        else:
            ends["passed" if is_passed else "failed"].append(task.task_id)
    lists = {key: tuple(ids) for key, ids in ends.items()}
    count = Count(asked=len(inspection.tasks), **lists)
    inspection.counts[name] = count
    return count


def _play_expert(inspection: Inspection, task: Task, world: World) -> None:
    environment = inspection.environment
    assert isinstance(environment, HasExpert)
    for _ in range(environment.step_budget):
        if world.act(environment.expert_call(task, world)).done:
            return


def _value(is_good: bool, count: Count) -> Value:  # noqa: FBT001
    if not is_good:
        return "no"
    if count.faults or not count.tried:
        return "unknown"
    return "yes" if count.tried == count.asked else "partly"


def _of(count: Count) -> str:
    text = f"{len(count.passed)} of {count.tried}"
    left = count.asked - count.tried
    return f"{text}, {left} more not tried in time" if left else text


def _some(ids: tuple[str, ...]) -> str:
    return ", ".join(ids[:SHOWN]) + (", …" if len(ids) > SHOWN else "")
