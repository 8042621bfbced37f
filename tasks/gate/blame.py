"""Which edit of a bundle loses a task: add the edits one by one and see where it is lost."""

from collections.abc import Sequence

from tasks.agent.protocols import Task
from tasks.gate.bundles import combine
from tasks.gate.candidate import Candidate, GateWorld
from tasks.gate.pairs import mean_score
from tasks.harness import Harness


async def blame_losses(
    world: GateWorld, base: Harness, edits: Sequence[Candidate], lost: Sequence[Task]
) -> dict[str, list[str]]:
    """Tasks by the id of the edit whose addition first loses them.

    The base solves each task and the whole bundle does not, so in a deterministic world exactly
    one edit is named for each task. Where replies vary a task may be lost nowhere on the way; it
    then stands against the last edit.
    """
    open_tasks = list(lost)
    blamed: dict[str, list[str]] = {}
    for count, edit in enumerate(edits, start=1):
        if not open_tasks:
            break
        if count == len(edits):
            here = {task.task_id for task in open_tasks}
        else:
            part = combine(base, edits[:count])
            here = await _lost(world, part, open_tasks)
        if here:
            blamed[edit.edit_id] = sorted(here)
            open_tasks = [task for task in open_tasks if task.task_id not in here]
    return blamed


async def _lost(world: GateWorld, harness: Harness, tasks: Sequence[Task]) -> set[str]:
    episodes = await world.run(harness, tasks, world.repeats)
    lost = set()
    for task in tasks:
        score = mean_score(e for e in episodes if e.trajectory.task_id == task.task_id)
        if score == 0:
            lost.add(task.task_id)
    return lost
