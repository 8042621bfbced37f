"""Calls that models get wrong must be answered with an error, not with a crash."""

from collections.abc import Iterator

from schemas.errors import EnvironmentFault
from tasks.agent.protocols import Call, ToolSpec
from tasks.environments.conformance.inspection import Inspection, TimeIsOver, fault_text

LONG = 100_000
MOST_TOOLS = 8


def inspect_hardness(inspection: Inspection) -> None:
    """Make wrong calls, each in a world of its own."""
    broken: dict[str, list[str]] = {}
    tried = 0
    try:
        for name, call in _wrong_calls(inspection.environment.tools[:MOST_TOOLS]):
            tried += 1
            if why := _breaks(inspection, call):
                broken.setdefault(why, []).append(name)
    except TimeIsOver:
        pass
    for why, names in broken.items():
        more = f" and {len(names) - 1} more wrong calls" if len(names) > 1 else ""
        hint = "answer with a text and is_error, so that the agent can mend its call"
        inspection.find("error", f"{names[0]}{more}: a fault of the world: {why}", hint)
    answered = tried - sum(map(len, broken.values()))
    value = "no" if broken else "yes" if tried else "unknown"
    inspection.grade("wrong_calls", value, f"{answered} of {tried} answered")


def _wrong_calls(tools: tuple[ToolSpec, ...]) -> Iterator[tuple[str, Call]]:
    yield "a tool that is not there", Call("no_such_tool", {})
    for tool in tools:
        named = list(tool.parameters.get("properties") or {"argument": {}})
        yield f"{tool.name} without arguments", Call(tool.name, {})
        yield (
            f"{tool.name} with values of wrong types",
            Call(tool.name, {name: {"wrong": [None, 1.5]} for name in named}),
        )
        yield (
            f"{tool.name} with a very long text",
            Call(tool.name, dict.fromkeys(named, "x" * LONG)),
        )


def _breaks(inspection: Inspection, call: Call) -> str:
    """What broke; empty when the world only said no, or did something."""
    if not inspection.tasks:
        return ""
    try:
        with inspection.world(inspection.tasks[0]) as world:
            world.act(call)
            world.snapshot()
            world.verdict()
    except EnvironmentFault as error:
        return fault_text(error)
    return ""
