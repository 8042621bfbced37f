"""Contract sentences about the form of arguments, names and commands."""

import json
from collections.abc import Iterator, Mapping
from statistics import median

from tasks.editor.facts import Facts, ToolFact, json_type
from tasks.editor.generators.draft import Draft, Target
from tasks.editor.protocol_facts import placeholder
from tasks.editor.reading import Move
from tasks.editor.text_facts import command_forms, quoted_names, verb_aliases

MAX_NAMES = 6
MAX_FORMS = 14
MAX_CHOICES = 12
SHAPE_KINDS = frozenset(
    {"argument_missing", "argument_unknown", "argument_type", "argument_value", "answer_shape"}
)
"""Trigger signatures that are about the shape of arguments in themselves."""
BARE_WORDS = 4
"""Answers of at most this many words are bare values."""


def argument_sentence(facts: Facts, target: Target) -> list[Draft]:
    """State name and type of every argument of the tool in question, with a JSON example.

    Only where calls do not fit the schema, or where the pattern itself is about shapes.
    """
    names = [name for name in _tools_in_question(facts, target) if facts.tools[name].properties]
    drafts: list[Draft] = []
    for tool in [facts.tools[name] for name in names[:2]]:
        misfits = [run for run in target.runs if any(_misfits(tool, move) for move in run.calls)]
        if misfits or target.kind in SHAPE_KINDS or (target.patterns and not target.kind):
            acts = {run.run_id: 0 for run in misfits} or None
            drafts.append(_argument_draft(facts, tool, acts))
    return drafts


def _misfits(tool: ToolFact, move: Move) -> bool:
    """Whether a call of the tool was refused with arguments that its schema does not take."""
    given = move.asked
    if not move.is_error or move.asked_tool != tool.name or given is None:
        return False
    if not set(tool.required) <= set(given) <= set(tool.properties):
        return True
    if any(
        choices and given[key] not in choices for key in given for choices in [_choices(tool, key)]
    ):
        return True
    kinds = {key: tool.kind(key) for key in given}
    return any(kind and not _is_of(given[key], kind) for key, kind in kinds.items())


def _is_of(value: object, kind: str) -> bool:
    found = json_type(value)
    return found == kind or (kind == "number" and found == "integer")


def _tools_in_question(facts: Facts, target: Target) -> list[str]:
    named = [name for name in target.texts("tool") if name in facts.tools]
    if named:
        return named
    failing = {move.tool for run in target.runs for move in run.calls if move.is_error}
    used = sorted(failing & set(facts.tools))
    return used or [name for name in [facts.final_tool or ""] if name in facts.tools]


def _argument_draft(facts: Facts, tool: ToolFact, acts: Mapping[str, int] | None) -> Draft:
    keys = tool.required or tuple(tool.properties)
    parts = [f"`{key}` ({_type_words(tool, key)})" for key in keys]
    example = json.dumps({key: example_value(tool, key) for key in keys})
    lines = [f"`{tool.name}` takes {', '.join(parts)}: {example}."]
    for key in keys:
        lines += _value_lines(facts, tool, key)
    return Draft(
        layer="contract",
        name=f"Arguments of {tool.name}",
        body="\n".join(f"- {line}" for line in lines),
        kind="shape_sentence",
        title=f"State the arguments of `{tool.name}` with an example",
        root_cause=f"Calls of `{tool.name}` carry arguments of the wrong shape.",
        why_safe="Repeats the tool's own schema and the shape of every stored success.",
        watch="Answers that need another shape than the stored successes.",
        acts=acts,
        about={"tool": tool.name},
    )


def _choices(tool: ToolFact, key: str) -> list[object]:
    """The only values that the schema allows; empty when it allows any."""
    found = tool.properties.get(key, {}).get("enum")
    return found[:MAX_CHOICES] if isinstance(found, list) else []


def example_value(tool: ToolFact, key: str) -> object:
    """A value that the schema allows and that nobody mistakes for a real one."""
    choices = _choices(tool, key)
    return choices[0] if choices else placeholder(tool.kind(key))


def _type_words(tool: ToolFact, key: str) -> str:
    schema = tool.properties.get(key, {})
    if choices := _choices(tool, key):
        return f"one of {', '.join(json.dumps(one, ensure_ascii=False) for one in choices)}"
    items = schema.get("items")
    kind = tool.kind(key) or "value"
    if kind == "array":
        inner = items.get("type") if isinstance(items, dict) else None
        return f"list of {inner}s" if isinstance(inner, str) else "list"
    return kind


def _value_lines(facts: Facts, tool: ToolFact, key: str) -> Iterator[str]:
    """Say how values look in successes, where failures look otherwise."""
    good = list(_texts(facts, tool.name, key))
    if tool.kind(key) == "array":
        yield f"Write `{key}` as a JSON list, also for one value: one item for each value."
    if tool.kind(key) in {"array", "string"} and len(good) > BARE_WORDS:
        words = [len(text.split()) for text in good]
        if median(words) <= BARE_WORDS and tool.name == facts.final_tool:
            yield (
                f"Each item of `{key}` is the bare value exactly as the data has it,"
                ' such as "42", never a sentence such as "The answer is 42."'
            )


def _texts(facts: Facts, tool: str, key: str) -> Iterator[str]:
    for run in facts.successes:
        for move in run.good_calls:
            if move.tool == tool:
                value = (move.arguments or {}).get(key)
                items = value if isinstance(value, list) else [value]
                yield from (str(one) for one in items if json_type(one) in {"string", "integer"})


def quoting_sentence(facts: Facts, target: Target) -> list[Draft]:  # noqa: ARG001
    """State how names of several words are quoted, with names that successes quoted."""
    drafts: list[Draft] = []
    for tool, argument in facts.statement_slots:
        quote, names = quoted_names(facts, tool, argument)
        if not names:
            continue
        shown = [quote[0] + name + quote[1] for name in names[:MAX_NAMES]]
        how = {'""': "double quotes", "``": "backticks", "[]": "square brackets"}[quote]
        lines = [
            f"In `{argument}` of `{tool}` put names with a space in {how}: {', '.join(shown)}.",
            f"Without the quotes the statement fails: write {shown[0]}, not {names[0]}.",
        ]
        drafts.append(
            Draft(
                layer="contract",
                name="Names with spaces",
                body="\n".join(f"- {line}" for line in lines),
                kind="quoting_sentence",
                title="State how names with spaces are quoted",
                root_cause="Statements leave names of several words without quotes.",
                why_safe="Every stored success quotes these names this way.",
                watch="Names that need no quotes.",
            )
        )
    return drafts


def command_sentence(facts: Facts, target: Target) -> list[Draft]:  # noqa: ARG001
    """State the admissible forms of commands and the verbs that do not exist."""
    forms = command_forms(facts) if facts.command_slot else []
    if facts.command_slot is None or not forms:
        return []
    tool, argument = facts.command_slot
    shown = ", ".join(f"`{form}`" for form in forms[:MAX_FORMS])
    lines = [f"`{argument}` of `{tool}` takes exactly one of these forms: {shown}."]
    for wrong, right in list(verb_aliases(facts).items())[:4]:
        form = next((form for form in forms if form.split()[0] == right), right)
        lines.append(f"There is no `{wrong}`: write `{form}`.")
    lines.append("Use the names with their numbers, as the observation gives them.")
    return [
        Draft(
            layer="contract",
            name="Command forms",
            body="\n".join(f"- {line}" for line in lines),
            kind="command_sentence",
            title="State the admissible command forms",
            root_cause="Commands do not have an admissible form, so nothing happens.",
            why_safe="The forms are those the environment itself offers.",
            watch="Commands that were never offered in train.",
        )
    ]
