"""Two harnesses side by side: fetch their episodes block by block and pair them."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from schemas.episode import Episode
from tasks.agent.protocols import Task
from tasks.gate.candidate import GateWorld
from tasks.gate.pairs import Pair, judge_pair, mean_score, untouched_pair
from tasks.harness import Harness

CanTouch = Callable[[Harness, Harness, Episode], Awaitable[bool]]
"""Whether a candidate could change a stored run of the harness in force."""


async def always_touches(old: Harness, new: Harness, episode: Episode) -> bool:
    """Assume that every run could change; for models whose replies vary."""
    del old, new, episode
    return True


@dataclass(frozen=True)
class Arms:
    """The harness in force and a candidate, in a world that can run both.

    Attributes:
        only_passed: tasks that no run of the harness in force solves are ties without a rollout;
            for questions of loss alone, where a win would not help the candidate.
    """

    world: GateWorld
    old: Harness
    new: Harness
    can_touch: CanTouch = always_touches
    only_passed: bool = False

    async def pair(self, tasks: Sequence[Task], first_ordinal: int = 0) -> list[Pair]:
        """Run what has to be run and pair it, in task order."""
        olds = await self._episodes(self.old, tasks)
        answers = await asyncio.gather(*(self._touches(olds[task.task_id]) for task in tasks))
        touched = [task for task, is_touched in zip(tasks, answers, strict=True) if is_touched]
        news = await self._episodes(self.new, touched)
        pairs = []
        for offset, task in enumerate(tasks):
            old = olds[task.task_id]
            if task.task_id in news:
                pairs.append(judge_pair(task, first_ordinal + offset, old, news[task.task_id]))
            else:
                pairs.append(untouched_pair(task, first_ordinal + offset, old))
        return pairs

    async def rerun(self, tasks: Sequence[Task]) -> dict[str, tuple[list[Episode], list[Episode]]]:
        """Run both arms on fresh repeats that no trial has used."""
        used = len(self.world.repeats)
        fresh = range(used, used + self.world.settings.fresh_repeats)
        old = await self._episodes(self.old, tasks, tuple(fresh))
        new = await self._episodes(self.new, tasks, tuple(fresh))
        return {task.task_id: (old[task.task_id], new[task.task_id]) for task in tasks}

    async def _touches(self, episodes: Sequence[Episode]) -> bool:
        score = mean_score(episodes)
        if score is None or (self.only_passed and score == 0):
            return False
        if not self.world.is_deterministic:
            return True
        for episode in episodes:
            if await self.can_touch(self.old, self.new, episode):
                return True
        return False

    async def _episodes(
        self, harness: Harness, tasks: Sequence[Task], repeats: tuple[int, ...] | None = None
    ) -> dict[str, list[Episode]]:
        grouped: dict[str, list[Episode]] = {task.task_id: [] for task in tasks}
        if not tasks:
            return grouped
        for episode in await self.world.run(harness, tasks, repeats or self.world.repeats):
            grouped[episode.trajectory.task_id].append(episode)
        for episodes in grouped.values():
            episodes.sort(key=lambda episode: episode.trajectory.repeat)
        return grouped
