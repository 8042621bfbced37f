"""A small loop and a hand-written harness of four layers that drive the desk in these tests."""

import asyncio
import json
import re
from collections import Counter
from dataclasses import dataclass, field, replace

import pytest

from schemas.fields import Split
from tasks.agent.protocols import Call, EpisodeContext, ModelReply, RawCall, Task
from tasks.agent.simulated_faults import SimulatedEvent
from tasks.agent.simulated_model import SimulatedModel, simulated_model
from tasks.environments.sqldesk import create
from tasks.environments.sqldesk.environment import SqlDesk

CONTRACT = """
## Answers

Pass `answers` to `commit_final_answer` as a list of strings, for example `answers=["42"]`.
Give only the bare values, never a sentence.

## Statements

Send one SQL statement per `execute_sql` call. Put column names that contain spaces in double
quotes, as in `SELECT "Unit Price" FROM stock`.

## Order

After an INSERT or UPDATE you must still call `commit_final_answer`.
"""
SKILL = """
## Skill: look-up-stored-values

1. `execute_sql`: SELECT DISTINCT of the column that the task describes in words.
2. `execute_sql`: INSERT or UPDATE with the value as it is stored.
3. `commit_final_answer`.
"""


SKILL_NAME = "look-up-stored-values"
SKILL_DESCRIPTION = "Steps for an insert or update that describes a stored code in words."
LOAD_SKILL = {
    "type": "function",
    "function": {
        "name": "load_skill",
        "description": "Load the full text of one skill from the list of skills.",
        "parameters": {
            "type": "object",
            "properties": {"name": {"type": "string", "enum": [SKILL_NAME]}},
            "required": ["name"],
        },
    },
}


@dataclass(frozen=True)
class HandHarness:
    """Four layers written by hand; each can be switched off."""

    contract: str = CONTRACT
    skill: str = SKILL
    has_actions: bool = True
    has_regulation: bool = True
    is_on_demand: bool = False
    nudge: str = ""

    def without(self, layer: str) -> "HandHarness":
        empty = {
            "contract": {"contract": ""},
            "skills": {"skill": ""},
            "actions": {"has_actions": False},
            "regulation": {"has_regulation": False},
        }
        return replace(self, **empty[layer])


BARE = HandHarness("", "", has_actions=False, has_regulation=False)


@dataclass
class Played:
    """One episode."""

    task: Task
    is_success: bool
    steps: int
    replies: list[ModelReply] = field(default_factory=list)
    observations: list[str] = field(default_factory=list)
    messages: list[dict] = field(default_factory=list)


def _rescue(text: str) -> RawCall | None:
    """Find a call in prose: by tool name, JSON, SQL or a final answer line."""
    if match := re.search(r'\{"name": "(\w+)", "arguments": (\{.*\})\}', text, re.S):
        return RawCall(match[1], match[2])
    if match := re.search(
        r"(execute_sql|commit_final_answer)\W+(?:with|Action Input:)?\s*(\{.*\})", text, re.S
    ):
        return RawCall(match[1], match[2])
    if match := re.search(r"(execute_sql|commit_final_answer)\((?:(\w+)=)?(.*)\)", text, re.S):
        key = "query" if match[1] == "execute_sql" else "answers"
        return RawCall(match[1], f'{{"{key}": {match[3]}}}')
    if match := re.search(r"Final answer: (\[.*\])", text):
        return RawCall("commit_final_answer", f'{{"answers": {match[1]}}}')
    if match := re.search(r"```sql\n(.*?)\n```", text, re.S):
        return RawCall("execute_sql", json.dumps({"query": match[1]}))
    if re.match(r"(SELECT|INSERT|UPDATE) ", text):
        return RawCall("execute_sql", json.dumps({"query": text}))
    return None


def _rewrite(raw: RawCall, task: Task) -> RawCall:
    """Quote known names, rename a sole unknown argument, make a list of a sole value."""
    arguments = json.loads(raw.arguments)
    name = raw.name if raw.name == "commit_final_answer" else "execute_sql"
    key = "answers" if name == "commit_final_answer" else "query"
    if len(arguments) == 1:
        arguments = {key: next(iter(arguments.values()))}
    value = arguments.get(key)
    if key == "answers" and isinstance(value, str):
        arguments = {key: json.loads(value) if value.startswith("[") else [value]}
    if key == "answers" and isinstance(value, list):
        arguments = {key: [str(item) for item in value]}
    if key == "query" and isinstance(value, str):
        for column in sorted(_columns(task), key=len, reverse=True):
            value = re.sub(rf'(?<!["\w]){re.escape(column)}(?!["\w])', f'"{column}"', value)
        arguments = {key: value}
    return RawCall(name, json.dumps(arguments))


def _columns(task: Task) -> list[str]:
    listed = re.search(r"columns:? ([^.\n)]*)", task.text)
    return [name.strip() for name in listed[1].split(",") if " " in name.strip()] if listed else []


class Loop:
    """Condition, ask, realize, execute, regulate; as the rollout does, but ten times smaller."""

    def __init__(self, environment: SqlDesk, harness: HandHarness) -> None:
        self.environment = environment
        self.harness = harness

    async def play(self, task: Task, model: SimulatedModel, seed: int, repeat: int = 0) -> Played:
        environment = self.environment
        world = environment.start(task, seed)
        talk = model.open(EpisodeContext(environment, task, world, seed, repeat))
        messages, tools = self._open(task)
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

    def _open(self, task: Task) -> tuple[list[dict], list[dict]]:
        harness = self.harness
        system = [self.environment.system_prompt, harness.contract]
        user = [task.text, harness.nudge]
        tools = [tool.as_openai() for tool in self.environment.tools]
        if harness.is_on_demand:
            system.append(f"## Skills\n\n- {SKILL_NAME}: {SKILL_DESCRIPTION}")
            tools.append(LOAD_SKILL)
        else:
            user.append(harness.skill)
        parts = {"system": system, "user": user}
        texts = {role: "\n\n".join(part for part in texts if part) for role, texts in parts.items()}
        return [{"role": role, "content": text} for role, text in texts.items()], tools

    def _turn(self, task, world, reply, history) -> tuple[str, bool]:
        raw = reply.calls[0] if reply.calls else None
        if raw is None and self.harness.has_actions:
            raw = _rescue(reply.text)
        if raw is not None and raw.name == "load_skill":
            return self.harness.skill, False
        if raw is None:
            known = ", ".join(tool.name for tool in self.environment.tools)
            hint = self._hint(world, reply.text, history, "")
            return f"No tool call was found. Reply with a call of: {known}." + hint, False
        if self.harness.has_actions:
            raw = _rewrite(raw, task)
            if raw.name == "commit_final_answer" and not any("execute_sql" in x for x in history):
                return "commit_final_answer needs an execute_sql call before it.", False
        result = world.act(Call(raw.name, json.loads(raw.arguments)))
        call = f"{raw.name} {raw.arguments}"
        hint = self._hint(world, call, history, result.observation)
        history.append(call)
        return result.observation + hint, result.done

    def _hint(self, world, call: str, history: list[str], observation: str) -> str:
        if not self.harness.has_regulation:
            return ""
        if call in history:
            return "\n\nThe same call was made before and gave the same result."
        if "affected" in observation or not observation:
            return "\n\nThe task is over only when commit_final_answer has been called."
        return ""


def _messages(reply: ModelReply, observation: str) -> list[dict]:
    said: dict = {"role": "assistant", "content": reply.text}
    if not reply.calls:
        return [said, {"role": "user", "content": observation}]
    call = reply.calls[0]
    function = {"name": call.name, "arguments": call.arguments}
    said["tool_calls"] = [{"id": call.call_id, "type": "function", "function": function}]
    return [said, {"role": "tool", "tool_call_id": call.call_id, "content": observation}]


class Desk:
    """Plays many tasks and counts."""

    def __init__(self) -> None:
        self.environment = create()
        self._known: dict[tuple, list[Played]] = {}
        self._events: dict[tuple, list[SimulatedEvent]] = {}

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
            loop = Loop(self.environment, harness)
            tasks = self.environment.tasks(split)
            tasks = [task for task in tasks if not families or task.family in families]

            async def run() -> list[Played]:
                return [await loop.play(task, model, seed) for task in tasks]

            self._known[key] = asyncio.run(run())
            self._events[key] = events
        return self._known[key]

    def causes(
        self, kind: str, word: str, split: Split, harness: HandHarness = BARE, **more
    ) -> Counter[str]:
        """How often a fault struck or not, by cause."""
        more = {"seed": 7, "families": ()} | more
        self.play(word, split, harness, **more)
        events = self._events[(word, split, harness, more["seed"], more["families"])]
        return Counter(event.cause for event in events if event.kind == kind)

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


@pytest.fixture(scope="session")
def desk() -> Desk:
    """All played episodes of a session, each once."""
    return Desk()


@pytest.fixture(scope="session")
def bare_harness() -> HandHarness:
    """No layer at all."""
    return BARE


@pytest.fixture(scope="session")
def full_harness() -> HandHarness:
    """All four layers."""
    return HandHarness()
