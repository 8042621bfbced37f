"""One worked example of a call, for models that write their calls as text."""

from collections import Counter

from tasks.agent.protocols import JsonObject
from tasks.agent.text_mode import written_call
from tasks.editor.facts import Facts, ToolFact
from tasks.editor.generators.draft import Draft, Target
from tasks.editor.generators.shapes import example_value

SECTION = "Form of a call"


def call_example(facts: Facts, target: Target) -> list[Draft]:
    """Show a whole reply that is a call, where runs hold turns without one.

    Tool and arguments come from what the world declares: a command that it offers, values that
    the schema allows, else placeholders. Models with native calls are shown nothing.
    """
    missed = {
        run.run_id: move.step_index
        for run in target.runs
        for move in reversed(run.moves)
        if not move.is_call
    }
    tool = _shown_tool(facts)
    if not facts.brief.calls_as_text or tool is None or not missed:
        return []
    example = written_call(tool.name, _arguments(facts, tool))
    lines = [
        "Only a call does anything: a reply in words is not carried out.",
        f"A call is one JSON object and the whole reply, such as this one of `{tool.name}`:",
    ]
    body = "\n".join(f"- {line}" for line in lines) + f"\n\n{example}"
    return [
        Draft(
            layer="contract",
            name=SECTION,
            body=body,
            kind="call_example",
            title="Show one whole reply that is a call",
            root_cause=f"{len(missed)} failed runs hold turns in words that call nothing.",
            why_safe="Repeats the declared form of a call with a declared tool.",
            watch="A model that copies the example instead of acting.",
            acts=missed,
        )
    ]


def _shown_tool(facts: Facts) -> ToolFact | None:
    """The tool that worked most often; before any did, the first that is declared."""
    worked = Counter(
        move.tool for run in facts.runs for move in run.good_calls if move.tool in facts.tools
    )
    if not worked:
        return next(iter(facts.tools.values()), None)
    return facts.tools[min(worked, key=lambda name: (-worked[name], name))]


def _arguments(facts: Facts, tool: ToolFact) -> JsonObject:
    keys = tool.required or tuple(tool.properties)
    shown: JsonObject = {key: example_value(tool, key) for key in keys}
    if facts.command_slot and facts.command_slot[0] == tool.name and (said := _offered(facts)):
        shown[facts.command_slot[1]] = said
    return shown


def _offered(facts: Facts) -> str | None:
    """The command that the world offered in most runs."""
    offers = Counter(
        command
        for run in facts.runs
        for command in {one for move in run.moves for one in move.admissible or ()}
    )
    return min(offers, key=lambda one: (-offers[one], one)) if offers else None
