"""A counter world, and agent programs written in a line or two."""

import asyncio
import json
import os
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tasks.agent.builtin_models import ScriptedModel
from tasks.agent.episode_spec import EpisodeSpec, Rig
from tasks.agent.own_agent import read_agent
from tasks.agent.protocols import ActResult, Call, Task, ToolSpec, Verdict
from tasks.agent.rollout import run_episodes
from tasks.harness import Harness, Sandbox

NOW = datetime(2030, 1, 1, tzinfo=UTC)
NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
PLAIN = str(Path(__file__).with_name("plain_agent.py"))


@dataclass
class Counter:
    count: int = 0
    is_over: bool = False
    opening: str = ""

    def act(self, call):
        match call:
            case Call("add", {"n": int(n)}):
                self.count += n
                return ActResult(f"The counter stands at {self.count}.")
            case Call("hand_in", _):
                self.is_over = True
                return ActResult("Handed in.", done=True)
            case _:
                return ActResult("n must be an integer.", is_error=True, error_kind="schema")

    def admissible(self):
        return None

    def snapshot(self):
        return f"[{self.count},{str(self.is_over).lower()}]".encode()

    def restore(self, state):
        self.count, self.is_over = json.loads(state)

    def verdict(self):
        passed = self.is_over and self.count == 3
        return Verdict("success" if passed else "failure", float(passed), {})


@dataclass
class CounterEnvironment:
    name: str = "counter"
    fingerprint: str = "counter-1"
    tools: tuple[ToolSpec, ...] = (
        ToolSpec("add", "Add n to the counter.", NUMBER),
        ToolSpec("hand_in", "Hand in the counter.", {"type": "object", "properties": {}}),
    )
    system_prompt: str = "You count."
    step_budget: int = 6
    terminal_tools: frozenset[str] = frozenset({"hand_in"})
    non_progress: tuple[str, ...] = ()
    started: list[Counter] = field(default_factory=list)

    def tasks(self, split):
        return (Task("counter/small/1", "counter", "small", split, "Count to 3."),)

    def start(self, task, seed):
        self.started.append(Counter())
        return self.started[-1]


@pytest.fixture
def play(tmp_path):
    """Play one episode with an agent program; gives it, and the model with what it was asked."""

    def run(
        turns,
        program: str = PLAIN,
        *,
        interpreter: str = sys.executable,
        timeout_s: float = 60.0,
        times: int = 1,
        **layers: Any,
    ):
        model = ScriptedModel(turns)
        word = program
        if "\n" in program:
            path = tmp_path / "agent.py"
            path.write_text(program)
            word = str(path)
        agent = read_agent(
            f"command:{interpreter} {word}",
            model,
            environ=os.environ,
            folder=tmp_path,
            timeout_s=timeout_s,
        )
        files = {"harness.yaml": "api: 1\nenvironment: counter\n"}
        files |= {f"{name}.py": text for name, text in layers.items()}

        async def main():
            async with Sandbox(workers=1) as sandbox:
                environment = CounterEnvironment()
                rig = Rig(environment, agent, Harness.from_files(files), sandbox, NOW)
                task = environment.tasks("train")[0]
                specs = [EpisodeSpec(task, seed) for seed in range(times)]
                return await run_episodes(specs, rig)

        return asyncio.run(main()), model

    return run
