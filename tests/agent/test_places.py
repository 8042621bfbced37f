"""A world that bears few episodes at a time gets no more, also from calls at the same time."""

import asyncio
from datetime import UTC, datetime

from tasks.agent.builtin_models import ScriptedModel
from tasks.agent.episode_spec import EpisodeSpec, Rig
from tasks.agent.protocols import ActResult, Call, Task, ToolSpec, Verdict
from tasks.agent.rollout import run_episodes
from tasks.harness import Harness


class Counting:
    """Counts how many of its worlds are open, and how many ever were at once."""

    name, fingerprint, system_prompt, step_budget = "counting", "f", "", 2
    tools = (ToolSpec("end", "End.", {"type": "object"}),)
    terminal_tools, non_progress = frozenset({"end"}), ()
    is_blocking, together = True, 2
    open_now = most = 0

    def tasks(self, split):
        return tuple(Task(f"counting/a/{n}", "counting", "a", split, "End.") for n in range(12))

    def start(self, task, seed):
        self.open_now += 1
        self.most = max(self.most, self.open_now)
        return Running(self)


class Running:
    """One open world."""

    opening = ""

    def __init__(self, environment):
        self.environment = environment

    def act(self, call):
        return ActResult("over", done=True)

    def admissible(self):
        return None

    def snapshot(self):
        return b"{}"

    def restore(self, state):
        raise AssertionError

    def verdict(self):
        return Verdict("success", 1.0)

    def close(self):
        self.environment.open_now -= 1


def test_two_calls_at_once_share_the_places():
    world = Counting()
    harness = Harness.from_files({"harness.yaml": "api: 1\nenvironment: counting\n"})
    specs = [EpisodeSpec(task, 7) for task in world.tasks("train")]

    async def go():
        places = asyncio.Semaphore(world.together)
        model = ScriptedModel([Call("end", {})])
        rig = Rig(world, model, harness, None, datetime(2026, 1, 1, tzinfo=UTC), places)
        return await asyncio.gather(run_episodes(specs[:6], rig), run_episodes(specs[6:], rig))

    done = asyncio.run(go())
    assert [len(episodes) for episodes in done] == [6, 6]
    assert all(episode.is_success for episodes in done for episode in episodes)
    assert world.most == 2
    assert world.open_now == 0
