"""A small loop and a hand-written harness of four layers that drive the household."""

import asyncio
import json
import re
from collections import Counter
from dataclasses import dataclass, field, replace

import pytest

from schemas.fields import Split
from tasks.agent.protocols import Call, EpisodeContext, ModelReply, RawCall, Task
from tasks.agent.simulated_model import SimulatedModel, simulated_model
from tasks.environments.household import create
from tasks.environments.household.environment import Household

CONTRACT = """
## Commands

Bring an item somewhere with `move <item> to <place>` and get it with `take <item> from <place>`.
Things have numbers that belong to their names, as in `go to <place>`.

## Order

Open a closed place before you take something from it or move something into it.
Your hand holds one item: move it to its place before you take the next item.
"""
TREATMENTS = {"clean": "sink", "heat": "oven", "cool": "fridge"}
SKILLS = {
    f"{verb}-first": f"""
## Skill: {verb}-first

1. take the item from its place
2. {verb} it with the {place}
3. move it to its place
"""
    for verb, place in TREATMENTS.items()
}
DESCRIPTIONS = {
    f"{verb}-first": f"Steps to {verb} an item and then bring it to its place."
    for verb in TREATMENTS
}
WORDS = {"clean": "clean", "hot": "heat", "heat": "heat", "cold": "cool", "cool": "cool"}
VERBS = {"grab": "take", "get": "take", "put": "move", "place": "move", "drop": "move"}
LOAD_SKILL = {
    "type": "function",
    "function": {
        "name": "load_skill",
        "description": "Load the full text of one skill from the list of skills.",
        "parameters": {
            "type": "object",
            "properties": {"name": {"type": "string", "enum": sorted(SKILLS)}},
            "required": ["name"],
        },
    },
}


@dataclass(frozen=True)
class HandHarness:
    """Four layers written by hand; each can be switched off."""

    contract: str = CONTRACT
    has_skills: bool = True
    has_actions: bool = True
    has_regulation: bool = True
    is_on_demand: bool = False
    skill: str = ""

    def without(self, layer: str) -> "HandHarness":
        empty = {
            "contract": {"contract": ""},
            "skills": {"has_skills": False},
            "actions": {"has_actions": False},
            "regulation": {"has_regulation": False},
        }
        return replace(self, **empty[layer])

    def skill_for(self, task: Task) -> str:
        """Text of the one skill that fits the task."""
        if self.skill or not self.has_skills:
            return self.skill
        words = re.findall(r"[a-z]+", task.text.lower())
        verb = next((WORDS[word] for word in words if word in WORDS), "")
        return SKILLS.get(f"{verb}-first", "")


BARE = HandHarness("", has_skills=False, has_actions=False, has_regulation=False)


@dataclass
class Played:
    """One episode."""

    task: Task
    is_success: bool
    steps: int
    replies: list[ModelReply] = field(default_factory=list)
    observations: list[str] = field(default_factory=list)
    messages: list[dict] = field(default_factory=list)


def _rescue(text: str, admissible: tuple[str, ...]) -> str | None:
    """The one admissible command that stands in the text."""
    words = f" {' '.join(re.findall('[a-z0-9]+', text.lower()))} "
    found = [command for command in admissible if f" {command} " in words]
    return found[0] if len(found) == 1 else None


def _rewrite(said: str, admissible: tuple[str, ...]) -> str:
    """The one admissible command about the same things, when what was said is none."""
    words = re.findall(r"[a-z0-9]+", said)
    if said in admissible or not words:
        return said
    if words[:1] == ["pick"]:
        words = ["take", *words[2:]]
    verb = VERBS.get(words[0], "go" if words[0] in {"goto", "walk"} else words[0])
    small = {"the", "to", "from", "in", "on"}
    things = {word for word in words[1:] if word not in small}
    fits = [
        command
        for command in admissible
        if command.split()[0] == verb and things <= set(command.split()[1:])
    ]
    return fits[0] if len(fits) == 1 else said


class Loop:
    """Condition, ask, realize, execute, regulate; as the rollout does, but ten times smaller."""

    def __init__(self, environment: Household, harness: HandHarness) -> None:
        self.environment = environment
        self.harness = harness

    async def play(self, task: Task, model: SimulatedModel, seed: int) -> Played:
        environment = self.environment
        world = environment.start(task, seed)
        talk = model.open(EpisodeContext(environment, task, world, seed, 0))
        messages, tools = self._open(task, world.opening)
        played = Played(task, False, 0, messages=messages)
        history: list[str] = []
        for step in range(environment.step_budget):
            reply = await talk.reply(messages, tools)
            observation, is_done = self._turn(world, reply, history)
            messages += _messages(reply, observation)
            played.replies.append(reply)
            played.observations.append(observation)
            played.steps = step + 1
            if is_done:
                break
        played.is_success = world.verdict().outcome == "success"
        return played

    def _open(self, task: Task, opening: str) -> tuple[list[dict], list[dict]]:
        harness = self.harness
        system = [self.environment.system_prompt, harness.contract]
        user = [task.text, opening]
        tools = [tool.as_openai() for tool in self.environment.tools]
        if harness.is_on_demand:
            lines = [f"- {name}: {text}" for name, text in sorted(DESCRIPTIONS.items())]
            system.append("\n".join(["## Skills", "", *lines]))
            tools.append(LOAD_SKILL)
        else:
            user.append(harness.skill_for(task))
        parts = {"system": system, "user": user}
        texts = {role: "\n\n".join(part for part in texts if part) for role, texts in parts.items()}
        return [{"role": role, "content": text} for role, text in texts.items()], tools

    def _turn(self, world, reply, history) -> tuple[str, bool]:
        raw = reply.calls[0] if reply.calls else None
        if raw is not None and raw.name == "load_skill":
            return SKILLS[json.loads(raw.arguments)["name"]], False
        command = json.loads(raw.arguments)["action"] if raw else None
        if self.harness.has_actions:
            command = self._realize(world, command, reply)
        if command is None:
            history.append("")
            text = "No tool call was found. Reply with a call of: take_action."
            return text + self._hint(world, history, text), False
        result = world.act(Call("take_action", {"action": command}))
        history.append(command)
        return result.observation + self._hint(world, history, result.observation), result.done

    def _realize(self, world, command: str | None, reply: ModelReply) -> str | None:
        admissible = world.admissible()
        if command is None:
            return _rescue(reply.text, admissible)
        return _rewrite(command, admissible)

    def _hint(self, world, history: list[str], observation: str) -> str:
        if not self.harness.has_regulation:
            return ""
        if len(history) > 1 and history[-1] and history[-1] == history[-2]:
            return "\n\nHint: the same command was given before; try another action."
        last = history[-4:]
        if len(last) == 4 and len(set(last)) <= 2 and all(c.startswith("go to ") for c in last):
            fresh = [c for c in world.admissible() if c.startswith("go to ") and c not in history]
            return f"\n\nHint: not visited yet: `{fresh[0]}`." if fresh else ""
        return ""


def _messages(reply: ModelReply, observation: str) -> list[dict]:
    said: dict = {"role": "assistant", "content": reply.text}
    if not reply.calls:
        return [said, {"role": "user", "content": observation}]
    call: RawCall = reply.calls[0]
    function = {"name": call.name, "arguments": call.arguments}
    said["tool_calls"] = [{"id": call.call_id, "type": "function", "function": function}]
    return [said, {"role": "tool", "tool_call_id": call.call_id, "content": observation}]


class Home:
    """Plays many tasks and counts."""

    def __init__(self) -> None:
        self.environment = create()
        self._known: dict = {}
        self._events: dict = {}

    def play(
        self,
        word: str,
        split: Split,
        harness: HandHarness = BARE,
        *,
        seed: int = 7,
        recorder=None,
        families: tuple[str, ...] = (),
    ) -> list[Played]:
        key = (word, split, harness, seed, families)
        if key not in self._known or recorder is not None:
            model = simulated_model(word, recorder)
            loop = Loop(self.environment, harness)
            tasks = self.environment.tasks(split)
            chosen = [task for task in tasks if not families or task.family in families]

            async def run() -> list[Played]:
                return [await loop.play(task, model, seed) for task in chosen]

            self._known[key] = asyncio.run(run())
        return self._known[key]

    def rate(self, word: str, split: Split, harness: HandHarness = BARE, **options) -> float:
        """Share of episodes that pass."""
        played = self.play(word, split, harness, **options)
        return sum(item.is_success for item in played) / len(played)

    def rates(self, word: str, split: Split, harness: HandHarness = BARE) -> dict[str, float]:
        """Share that passes by family."""
        total: Counter[str] = Counter()
        wins: Counter[str] = Counter()
        for item in self.play(word, split, harness):
            total[item.task.family] += 1
            wins[item.task.family] += item.is_success
        return {family: wins[family] / total[family] for family in total}

    def causes(self, kind: str, word: str, split: Split, harness: HandHarness = BARE, **options):
        """How often a fault struck or did not, by cause."""
        key = (word, split, harness, tuple(sorted(options.items())))
        if key not in self._events:
            seen: Counter[tuple[str, str]] = Counter()

            def record(luck, turn, event):
                seen[event.kind, event.cause] += 1

            self.play(word, split, harness, recorder=record, **options)
            self._events[key] = seen
        return Counter({c: n for (k, c), n in self._events[key].items() if k == kind})


@pytest.fixture(scope="session")
def home() -> Home:
    """All played episodes of a session, each once."""
    return Home()


@pytest.fixture(scope="session")
def bare_harness() -> HandHarness:
    """No layer at all."""
    return BARE


@pytest.fixture(scope="session")
def full_harness() -> HandHarness:
    """All four layers."""
    return HandHarness()
