"""A small loop and hand-written harnesses of four layers that drive the embedded worlds.

What is a world's own - its contract, its skills, what its rules read - stands in `<world>/hand.py`.
"""

import asyncio
import importlib.util
import json
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType

import pytest

import tasks
from schemas.fields import Split
from tasks.agent.protocols import Call, EpisodeContext, ModelReply, RawCall, Task
from tasks.agent.simulated_faults import SimulatedEvent
from tasks.agent.simulated_model import SimulatedModel, simulated_model
from tasks.environments.registry import EMBEDDED, resolve_environment


@dataclass(frozen=True)
class HandHarness:
    """Four layers written by hand; each can be switched off.

    `skill` is given whatever the task is, `nudge` stands behind the task.
    """

    contract: str = ""
    has_skills: bool = False
    has_actions: bool = False
    has_regulation: bool = False
    is_on_demand: bool = False
    skill: str = ""
    nudge: str = ""

    def without(self, layer: str) -> "HandHarness":
        empty = {
            "contract": {"contract": ""},
            "skills": {"has_skills": False},
            "actions": {"has_actions": False},
            "regulation": {"has_regulation": False},
        }
        return replace(self, **empty[layer])


BARE = HandHarness()


@dataclass
class Played:
    """One episode."""

    task: Task
    is_success: bool
    steps: int
    replies: list[ModelReply] = field(default_factory=list)
    observations: list[str] = field(default_factory=list)
    messages: list[dict] = field(default_factory=list)

    @property
    def loads(self) -> int:
        """How often a skill was loaded."""
        return sum(call.name == "load_skill" for reply in self.replies for call in reply.calls)


class Loop:
    """Condition, ask, realize, execute, regulate; as the rollout does, but ten times smaller."""

    def __init__(self, environment, hand: ModuleType, harness: HandHarness) -> None:
        self.environment = environment
        self.hand = hand
        self.harness = harness

    async def play(self, task: Task, model: SimulatedModel, seed: int) -> Played:
        environment = self.environment
        world = environment.start(task, seed)
        talk = model.open(EpisodeContext(environment, task, world, seed, 0))
        messages, tools = self.open(task, world.opening)
        played = Played(task, False, 0, messages=messages)
        history: list[str] = []
        for step in range(environment.step_budget):
            reply = await talk.reply(messages, tools)
            observation, is_done = self._turn(task, world, reply, history)
            messages += _messages(reply, observation)
            played.replies.append(reply)
            played.observations.append(observation)
            played.steps = step + 1
            if is_done:
                break
        played.is_success = world.verdict().outcome == "success"
        return played

    def open(self, task: Task, opening: str) -> tuple[list[dict], list[dict]]:
        """First messages and tools."""
        harness, hand = self.harness, self.hand
        system = [self.environment.system_prompt, harness.contract]
        user = [task.text, opening, harness.nudge]
        tools = [tool.as_openai() for tool in self.environment.tools]
        if harness.is_on_demand:
            lines = [f"- {name}: {text}" for name, text in sorted(hand.DESCRIPTIONS.items())]
            system.append("\n".join(["## Skills", "", *lines]))
            tools.append(_load_tool(hand))
        else:
            user.append(self._skill_for(task))
        parts = {"system": system, "user": user}
        texts = {role: "\n\n".join(part for part in texts if part) for role, texts in parts.items()}
        return [{"role": role, "content": text} for role, text in texts.items()], tools

    def _skill_for(self, task: Task) -> str:
        if self.harness.skill or not self.harness.has_skills:
            return self.harness.skill
        return self.hand.SKILLS.get(self.hand.choose_skill(task), "")

    def _turn(self, task, world, reply, history) -> tuple[str, bool]:
        raw = reply.calls[0] if reply.calls else None
        if raw is not None and raw.name == "load_skill":
            return self.hand.SKILLS[json.loads(raw.arguments)["name"]], False
        if self.harness.has_actions:
            raw = self.hand.realize(task, world, raw, reply.text, history)
        if isinstance(raw, str):
            return raw, False
        if raw is None:
            known = ", ".join(tool.name for tool in self.environment.tools)
            text = f"No tool call was found. Reply with a call of: {known}."
            history.append("")
            return text + self._hint(world, history, ""), False
        result = world.act(Call(raw.name, json.loads(raw.arguments)))
        history.append(f"{raw.name} {raw.arguments}")
        return result.observation + self._hint(world, history, result.observation), result.done

    def _hint(self, world, history: list[str], observation: str) -> str:
        if not self.harness.has_regulation:
            return ""
        hint = self.hand.hint(world, history, observation)
        return f"\n\n{hint}" if hint else ""


def _load_tool(hand: ModuleType) -> dict:
    names = {"type": "string", "enum": sorted(hand.SKILLS)}
    parameters = {"type": "object", "properties": {"name": names}, "required": ["name"]}
    text = "Load the full text of one skill from the list of skills."
    function = {"name": "load_skill", "description": text, "parameters": parameters}
    return {"type": "function", "function": function}


def _messages(reply: ModelReply, observation: str) -> list[dict]:
    said: dict = {"role": "assistant", "content": reply.text}
    if not reply.calls:
        return [said, {"role": "user", "content": observation}]
    call: RawCall = reply.calls[0]
    function = {"name": call.name, "arguments": call.arguments}
    said["tool_calls"] = [{"id": call.call_id, "type": "function", "function": function}]
    return [said, {"role": "tool", "tool_call_id": call.call_id, "content": observation}]


class Stage:
    """Plays many tasks of a world and counts; every episode is played once."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.environment = resolve_environment(name)
        self.hand = _load_hand(name)
        self.folder = Path(tasks.__path__[0]) / "environments" / name
        self.bare = BARE
        self.full = HandHarness(self.hand.CONTRACT, True, True, True)
        self._known: dict[tuple, list[Played]] = {}
        self._events: dict[tuple, list[SimulatedEvent]] = {}

    def loop(self, harness: HandHarness) -> Loop:
        """The loop under a harness."""
        return Loop(self.environment, self.hand, harness)

    def play(
        self,
        word: str,
        split: Split,
        harness: HandHarness = BARE,
        *,
        seed: int = 7,
        families: tuple[str, ...] = (),
    ) -> list[Played]:
        key = (word, split, harness, seed, families)
        if key not in self._known:
            events: list[SimulatedEvent] = []
            model = simulated_model(word, lambda luck, turn, event: events.append(event))
            loop = self.loop(harness)
            tasks = self.environment.tasks(split)
            chosen = [task for task in tasks if not families or task.family in families]

            async def run() -> list[Played]:
                return [await loop.play(task, model, seed) for task in chosen]

            self._known[key] = asyncio.run(run())
            self._events[key] = events
        return self._known[key]

    def rate(self, word: str, split: Split, harness: HandHarness = BARE, **more) -> float:
        """Share of episodes that pass."""
        played = self.play(word, split, harness, **more)
        return sum(item.is_success for item in played) / len(played)

    def rates(self, word: str, split: Split, harness: HandHarness = BARE) -> dict[str, float]:
        """Share that passes by family."""
        total: Counter[str] = Counter()
        wins: Counter[str] = Counter()
        for item in self.play(word, split, harness):
            total[item.task.family] += 1
            wins[item.task.family] += item.is_success
        return {family: wins[family] / total[family] for family in total}

    def causes(
        self, kind: str, word: str, split: Split, harness: HandHarness = BARE, **more
    ) -> Counter[str]:
        """How often a fault struck or not, by cause."""
        more = {"seed": 7, "families": ()} | more
        self.play(word, split, harness, **more)
        events = self._events[(word, split, harness, more["seed"], more["families"])]
        return Counter(event.cause for event in events if event.kind == kind)


def _load_hand(name: str) -> ModuleType:
    path = Path(__file__).parent / name / "hand.py"
    spec = importlib.util.spec_from_file_location(f"hand_of_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    hand = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hand)
    return hand


@pytest.fixture(scope="session")
def stages() -> dict[str, Stage]:
    """The stage of each embedded world."""
    return {name: Stage(name) for name in EMBEDDED}


@pytest.fixture(params=sorted(EMBEDDED))
def stage(request, stages) -> Stage:
    """Each embedded world in turn."""
    return stages[request.param]
