"""Calls for a task, and what came back to them."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from schemas.ids import canonical_json, sha256_hex
from tasks.agent.capabilities import HasExpert
from tasks.agent.protocols import Call, Environment, JsonObject, Task, ToolSpec, World

STEPS = 12
"""Calls of one episode at most."""
MOST_DEPTH = 8
IN_VERDICT = "in the verdict"
Chooser = Callable[[World, int], Call]


@dataclass(frozen=True)
class Seen:
    """What one call gave."""

    observation: str
    is_error: bool
    error_kind: str | None
    done: bool
    admissible: str
    state: str


@dataclass(frozen=True)
class Trace:
    """An episode: how it opened, what each call gave, and the verdict."""

    opening: str
    first_state: str
    steps: tuple[Seen, ...]
    verdict: str

    def as_json(self) -> JsonObject:
        """For another process."""
        return asdict(self)


def play(world: World, calls: Sequence[Call]) -> Trace:
    """Make the calls and keep all that can be seen."""
    opening, first = world.opening, _state(world)
    steps = tuple(_step(world, call) for call in calls)
    verdict = world.verdict()
    judged = [verdict.outcome, verdict.reward, verdict.parts]
    return Trace(opening, first, steps, canonical_json(judged))


def _step(world: World, call: Call) -> Seen:
    result = world.act(call)
    listed = canonical_json(world.admissible())
    return Seen(
        result.observation,
        result.is_error,
        result.error_kind,
        result.done,
        sha256_hex(listed),
        _state(world),
    )


def _state(world: World) -> str:
    return sha256_hex(world.snapshot().decode("utf-8", "surrogateescape"))


def difference(one: Trace, other: Trace) -> str:
    """Where two traces part, in words; empty when they are equal."""
    if (one.opening, one.first_state) != (other.opening, other.first_state):
        return "at the beginning"
    for number, (left, right) in enumerate(zip(one.steps, other.steps, strict=False), start=1):
        for name, value in asdict(left).items():
            if value != getattr(right, name):
                return f"in the {name} of call {number}"
    return "" if one.verdict == other.verdict else IN_VERDICT


def plan_calls(environment: Environment, task: Task, world: World, seed: int) -> list[Call]:
    """Make calls in a world until it ends, and give them: its policy's, else sampled ones."""
    choose = chooser(environment, task, seed)
    made: list[Call] = []
    for _ in range(min(STEPS, environment.step_budget)):
        made.append(choose(world, len(made)))
        if world.act(made[-1]).done:
            break
    return made


def chooser(environment: Environment, task: Task, seed: int) -> Chooser:
    """The policy of the environment, else calls that fit the schemas, the last tools last."""
    if isinstance(environment, HasExpert):
        expert = environment
        return lambda world, _number: expert.expert_call(task, world)
    rng = random.Random(f"{seed}:{task.task_id}")
    usual = [tool for tool in environment.tools if tool.name not in environment.terminal_tools]
    tools = usual or list(environment.tools)

    def sample(world: World, number: int) -> Call:
        tool = tools[number % len(tools)]
        return Call(tool.name, sample_arguments(tool, rng, world.admissible() or ()))

    return sample


def sample_arguments(
    tool: ToolSpec, rng: random.Random, commands: Sequence[str] = ()
) -> JsonObject:
    """Arguments that fit the schema of a tool as far as samples can; commands where it has some."""
    properties = tool.parameters.get("properties")
    named = properties if isinstance(properties, dict) else {}
    required = tool.parameters.get("required") or list(named)
    found = {name: _sample(named.get(name), rng, 0) for name in required}
    if commands and len(found) == 1:
        return {name: rng.choice(commands) for name in found}
    return found


def _sample(schema: Any, rng: random.Random, depth: int) -> Any:
    if not isinstance(schema, Mapping) or depth > MOST_DEPTH:
        return "a"
    for key in ("enum", "examples"):
        if isinstance(schema.get(key), list) and schema[key]:
            return rng.choice(schema[key])
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    for key in ("anyOf", "oneOf", "allOf"):
        if isinstance(schema.get(key), list) and schema[key]:
            return _sample(schema[key][0], rng, depth + 1)
    return _of_type(schema, rng, depth)


def _of_type(schema: Mapping[str, Any], rng: random.Random, depth: int) -> Any:
    kind = schema.get("type")
    match kind[0] if isinstance(kind, list) and kind else kind:
        case "integer" | "number":
            low = schema.get("minimum", schema.get("exclusiveMinimum", 0))
            return (low if isinstance(low, int | float) else 0) + rng.randint(1, 3)
        case "boolean":
            return rng.random() < 0.5
        case "null":
            return None
        case "array":
            return [_sample(schema.get("items"), rng, depth + 1)]
        case "object":
            inner = schema.get("properties")
            members = inner if isinstance(inner, dict) else {}
            needed = schema.get("required") or ()
            return {name: _sample(members.get(name), rng, depth + 1) for name in needed}
        case _:
            length = schema.get("minLength")
            return rng.choice("abc") * (length if isinstance(length, int) and length > 0 else 1)
