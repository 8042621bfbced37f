"""A world in which looking before writing decides, and agents whose habits are known."""

import asyncio
import hashlib
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from schemas.episode import Episode
from schemas.fields import Outcome, Termination
from schemas.ids import make_id
from schemas.trajectories import StepRow, ToolCallRow, TrajectoryRow
from tasks.agent.episode_spec import Rig
from tasks.agent.protocols import (
    ActResult,
    Call,
    EpisodeContext,
    ModelReply,
    RawCall,
    Task,
    ToolSpec,
    Verdict,
)
from tasks.agent.rollout import run_episodes
from tasks.benefit.parameters import Parameters
from tasks.benefit.world import BenefitWorld
from tasks.harness import Harness

NOW = datetime(2030, 1, 1, tzinfo=UTC)
NOTHING = {"type": "object", "properties": {}}
SKILL = """---
name: look-first
description: Steps for a ledger entry.
trigger: [ledger]
checkpoints:
- {text: Look before you write., tool: look}
- {text: Write the entry., tool: write}
- Think about it.
---
Look, then write.
"""


@dataclass
class LedgerWorld:
    """Success needs a look before the write, and the end."""

    looked: bool = False
    is_right: bool = False
    is_over: bool = False
    opening: str = ""

    def act(self, call: Call) -> ActResult:
        if call.tool == "look":
            self.looked = True
        if call.tool == "write":
            self.is_right = self.looked
        self.is_over = call.tool == "hand_in"
        return ActResult(f"{call.tool} done", done=self.is_over)

    def admissible(self) -> None:
        return None

    def snapshot(self) -> bytes:
        return json.dumps([self.looked, self.is_right, self.is_over]).encode()

    def restore(self, state: bytes) -> None:
        self.looked, self.is_right, self.is_over = json.loads(state)

    def verdict(self) -> Verdict:
        passed = self.is_right and self.is_over
        return Verdict("success" if passed else "failure", float(passed))


class Ledger:
    name = "ledger"
    fingerprint = "ledger-1"
    tools = tuple(ToolSpec(name, f"To {name}.", NOTHING) for name in ("look", "write", "hand_in"))
    system_prompt = "You keep a ledger."
    step_budget = 8
    terminal_tools = frozenset({"hand_in"})
    non_progress = ()
    is_forkable = True

    def tasks(self, split):
        return tuple(
            Task(f"ledger/{family}/{split}{number}", self.name, family, split, text)
            for number in range(100)
            for family, text in (("books", f"Make ledger entry {number}."), ("other", "Walk."))
        )

    def start(self, task, seed):
        return LedgerWorld()


@dataclass(frozen=True)
class Habits:
    """A model that calls, follows and knows better by chance, each with its own luck.

    Attributes:
        calls: chance to load a skill that is on offer.
        heeds: chance to load it once it is named.
        follows: chance to look when it has the skill.
        alone: chance to look without it.
    """

    name: str = "habits"
    calls: float = 0.0
    heeds: float = 0.0
    follows: float = 0.0
    alone: float = 0.0
    is_deterministic: bool = True
    is_simulated: bool = True

    @property
    def fingerprint(self) -> str:
        return repr(self)

    def open(self, context):
        return _Talk(self, context)


@dataclass
class _Talk:
    habits: Habits
    context: EpisodeContext
    last: str = ""
    _drawn: dict = field(default_factory=dict)

    def draw(self, kind: str) -> float:
        repeat = 0 if self.habits.is_deterministic else self.context.repeat
        key = f"{self.context.task.task_id}|{repeat}|{kind}".encode()
        return int.from_bytes(hashlib.sha256(key).digest()[:7], "big") / 2**56

    async def reply(self, messages, tools):
        written = [
            call["function"]["name"]
            for message in messages
            for call in message.get("tool_calls") or []
        ]
        texts = " ".join(str(message.get("content")) for message in messages[1:])
        names = [tool["function"]["name"] for tool in tools]
        has_skill = "load_skill" in written or "Look, then write." in texts
        if "load_skill" in names and not has_skill:
            chance = self.habits.heeds if "look-first" in texts else 0.0
            if self.draw("call") < max(self.habits.calls, chance):
                return _call("load_skill", {"name": "look-first"})
        chance = self.habits.follows if has_skill else self.habits.alone
        if "look" not in written and "write" not in written and self.draw("look") < chance:
            return _call("look", {})
        return _call("hand_in" if "write" in written else "write", {})


def _call(name, arguments):
    return ModelReply(calls=(RawCall(name, json.dumps(arguments)),))


EXPERT = Habits("expert", calls=1.0, heeds=1.0, follows=1.0, alone=1.0)


@pytest.fixture
def habits():
    return Habits


@pytest.fixture
def expert():
    return EXPERT


@pytest.fixture
def ledger():
    return Ledger()


@pytest.fixture
def base_harness():
    return Harness.from_files({"harness.yaml": "api: 1\nenvironment: ledger\n"})


@pytest.fixture
def skilled(base_harness):
    return base_harness.put("skills", "look-first", SKILL)


@dataclass
class Runner:
    """Runs specs of one model, each once, and counts."""

    environment: Ledger
    model: Habits
    known: dict = field(default_factory=dict)
    purposes: list = field(default_factory=list)

    async def __call__(self, harness, specs, purpose):
        self.purposes.append(purpose)
        rig = Rig(self.environment, self.model, harness, None, NOW)
        return await run_episodes(list(specs), rig) if specs else []


@pytest.fixture
def world_of(ledger, expert):
    """A benefit world around two models."""

    def build(model, reference=expert, *, tasks=20, rerolls=1, **parameters):
        return BenefitWorld(
            seed=7,
            select=ledger.tasks("select")[:tasks],
            train=ledger.tasks("train")[:tasks],
            run=Runner(ledger, model),
            run_reference=Runner(ledger, reference) if reference else None,
            rerolls=range(rerolls),
            parameters=Parameters(**parameters),
        )

    return build


@pytest.fixture
def play(ledger):
    """Episodes of one model in a harness."""

    def run(model, harness, specs):
        rig = Rig(ledger, model, harness, None, NOW)
        return asyncio.run(run_episodes(specs, rig))

    return run


@pytest.fixture
def episode_of():
    """An episode by hand: tools by step, `!tool` for one that failed, `?tool` for one not run."""

    def build(*tools, outcome: Outcome = "failure", termination: Termination = "finished"):
        identity = make_id("traj", [tools, outcome, termination])
        trajectory = TrajectoryRow(
            trajectory_id=identity,
            environment="ledger",
            environment_fingerprint="f",
            family="books",
            task_id="ledger/books/1",
            split="train",
            model="habits",
            model_fingerprint="m",
            harness_id="harn_0123456789abcdef",
            seed=7,
            repeat=0,
            arm="run",
            origin="rollout",
            outcome=outcome,
            outcome_rule="checker",
            termination=termination,
            steps=len(tools),
            transcript_sha256="0",
            created_at=NOW,
        )
        steps = tuple(
            StepRow(trajectory_id=identity, step_index=i, role="assistant")
            for i in range(len(tools))
        )
        calls = tuple(_hand_made(identity, i, tool) for i, tool in enumerate(tools))
        return Episode(trajectory, steps, calls)

    return build


def _hand_made(identity, index, word):
    tool, is_run = word.lstrip("!?"), not word.startswith("?")
    return ToolCallRow(
        tool_call_id=make_id("call", [identity, index]),
        trajectory_id=identity,
        step_index=index,
        call_index=0,
        tool=tool,
        arguments_raw="{}",
        arguments="{}",
        executed=is_run,
        executed_tool=tool if is_run else None,
        executed_arguments="{}" if is_run else None,
        is_error=word.startswith("!"),
    )
