"""Two harnesses side by side: fetch their episodes block by block and pair them.

Where replies vary, both arms of a pair are run one right after the other, and a seeded coin says
which goes first: the pairs of a block cross over, so that neither arm has the better hours of an
endpoint. Where replies are always alike the harness in force goes first, because what it did says
whether the candidate has to be run at all.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from schemas.episode import Episode
from schemas.fields import Objective
from tasks.agent.protocols import Task
from tasks.gate.candidate import GateWorld
from tasks.gate.pairs import Pair, goes_new_first, judge_pair, mean_score, untouched_pair
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
        only_passed: tasks that the harness in force scores nothing on are ties without a rollout;
            for questions of loss alone, where a win would not help the candidate.
    """

    world: GateWorld
    old: Harness
    new: Harness
    can_touch: CanTouch = always_touches
    only_passed: bool = False

    @property
    def objective(self) -> Objective:
        """What wins a pair."""
        return self.world.settings.objective

    async def pair(self, tasks: Sequence[Task], first_ordinal: int = 0) -> list[Pair]:
        """Run what has to be run and pair it, in task order."""
        if not self.world.is_deterministic and not self.only_passed:
            return await self._cross(tasks, first_ordinal)
        olds = await self._episodes(self.old, tasks)
        answers = await asyncio.gather(*(self._touches(olds[task.task_id]) for task in tasks))
        touched = [task for task, is_touched in zip(tasks, answers, strict=True) if is_touched]
        news = await self._episodes(self.new, touched)
        pairs: list[Pair] = []
        for ordinal, task in enumerate(tasks, start=first_ordinal):
            old = olds[task.task_id]
            if task.task_id not in news:
                pairs.append(untouched_pair(task, ordinal, old, self.objective))
                continue
            pair = judge_pair(task, ordinal, old, news[task.task_id], self.objective)
            pairs.append(replace(pair, new_first=False))
        return pairs

    async def _cross(self, tasks: Sequence[Task], first_ordinal: int) -> list[Pair]:
        """Run both arms at once, half of the pairs the one way round and half the other."""
        seed = self.world.seed
        ahead = [task for task in tasks if goes_new_first(seed, task.task_id)]
        behind = [task for task in tasks if not goes_new_first(seed, task.task_id)]
        news, olds = await asyncio.gather(
            self._episodes(self.new, ahead), self._episodes(self.old, behind)
        )
        more_olds, more_news = await asyncio.gather(
            self._episodes(self.old, ahead), self._episodes(self.new, behind)
        )
        olds, news = olds | more_olds, news | more_news
        first = {task.task_id for task in ahead}
        return [
            replace(
                judge_pair(task, ordinal, olds[task.task_id], news[task.task_id], self.objective),
                new_first=task.task_id in first,
            )
            for ordinal, task in enumerate(tasks, start=first_ordinal)
        ]

    async def rerun(self, tasks: Sequence[Task]) -> dict[str, tuple[list[Episode], list[Episode]]]:
        """Run both arms on fresh repeats that no trial has used."""
        used = len(self.world.repeats)
        fresh = range(used, used + self.world.settings.fresh_repeats)
        old = await self._episodes(self.old, tasks, tuple(fresh))
        new = await self._episodes(self.new, tasks, tuple(fresh))
        return {task.task_id: (old[task.task_id], new[task.task_id]) for task in tasks}

    async def _touches(self, episodes: Sequence[Episode]) -> bool:
        score = mean_score(episodes, self.objective)
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
