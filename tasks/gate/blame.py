"""Which edit of a bundle loses, or wins, a task: add them one by one and see where it turns."""

from collections.abc import Callable, Sequence

from schemas.episode import Episode
from tasks.agent.protocols import Task
from tasks.gate.bundles import combine
from tasks.gate.candidate import Candidate, GateWorld
from tasks.gate.pairs import Pair, mean_score
from tasks.harness import Harness

IsTurned = Callable[[Task, Sequence[Episode]], bool]


async def blame_losses(
    world: GateWorld, base: Harness, edits: Sequence[Candidate], lost: Sequence[Task]
) -> dict[str, list[str]]:
    """Tasks by the id of the edit whose addition first loses them.

    The base solves each task and the whole bundle does not, so in a deterministic world exactly
    one edit is named for each task. Where replies vary a task may be lost nowhere on the way; it
    then stands against the last edit.
    """
    return await _trace(world, base, edits, lost, lambda _, episodes: mean_score(episodes) == 0)


async def credit_wins(
    world: GateWorld, base: Harness, edits: Sequence[Candidate], won: Sequence[Pair]
) -> dict[str, list[str]]:
    """Tasks by the id of the edit whose addition first brings them to what the bundle scores."""
    reached = {pair.task.task_id: pair.new_score or 0.0 for pair in won}

    def is_won(task: Task, episodes: Sequence[Episode]) -> bool:
        score = mean_score(episodes, world.settings.objective)
        return score is not None and score >= reached[task.task_id]

    return await _trace(world, base, edits, [pair.task for pair in won], is_won)


async def _trace(
    world: GateWorld,
    base: Harness,
    edits: Sequence[Candidate],
    tasks: Sequence[Task],
    is_turned: IsTurned,
) -> dict[str, list[str]]:
    open_tasks = list(tasks)
    named: dict[str, list[str]] = {}
    for count, edit in enumerate(edits, start=1):
        if not open_tasks:
            break
        if count == len(edits):
            here = {task.task_id for task in open_tasks}
        else:
            here = await _turned(world, combine(base, edits[:count]), open_tasks, is_turned)
        if here:
            named[edit.edit_id] = sorted(here)
            open_tasks = [task for task in open_tasks if task.task_id not in here]
    return named


async def _turned(
    world: GateWorld, harness: Harness, tasks: Sequence[Task], is_turned: IsTurned
) -> set[str]:
    episodes = await world.run(harness, tasks, world.repeats)
    return {
        task.task_id
        for task in tasks
        if is_turned(task, [e for e in episodes if e.trajectory.task_id == task.task_id])
    }
