"""Action rules that read a call the model wrote as text."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tasks.editor.facts import Facts
from tasks.editor.generators.draft import Draft, Target
from tasks.editor.probe import Probe
from tasks.editor.rule_text import Rule, render_rule
from tasks.editor.ruleset import rescue
from tasks.harness import Call

MIN_FIRES = 2
MOSTLY = 0.9
"""Share of readings that must be executable calls."""


@dataclass(frozen=True)
class Form:
    """A way of writing a call as text, with the rule that reads it."""

    rule: Rule
    parameters: dict[str, Any]
    what: str


def rescue_rules(facts: Facts, target: Target) -> list[Draft]:  # noqa: ARG001
    """Propose a rule for every written form that the pattern's runs really contain."""
    drafts: list[tuple[int, str, Draft]] = []
    for form in _forms(facts):
        probe = facts.probe(form.rule, form.parameters, "text")
        valid = [fire for fire in probe.failures if _is_valid(facts, fire.call)]
        if len({fire.run.task_id for fire in valid}) < MIN_FIRES:
            continue
        if len(valid) < MOSTLY * len(probe.failures):
            continue
        if probe.is_false_fire:
            continue
        draft = _draft(form, probe)
        drafts.append((-len(probe.acts), draft.name, draft))
    return [draft for _, _, draft in sorted(drafts, key=lambda item: item[:2])]


def _forms(facts: Facts) -> Iterator[Form]:
    yield Form(rescue.rule_rescue_json, {}, "a JSON object")
    yield Form(rescue.rule_rescue_invocation, {}, "tool(arguments) or tool[arguments]")
    yield Form(rescue.rule_rescue_action_lines, {}, "Action and Action Input lines")
    slots = facts.statement_slots
    if len(slots) == 1:
        (tool, argument), starts = next(iter(slots.items()))
        values = {"tool": tool, "argument": argument, "starts": starts}
        yield Form(rescue.rule_rescue_block, values, "a bare or fenced statement")
    if facts.command_slot:
        tool, argument = facts.command_slot
        values = {"tool": tool, "argument": argument}
        yield Form(rescue.rule_rescue_command, values, "an admissible command in the text")
    if facts.talk_slot:
        tool, argument = facts.talk_slot
        yield Form(rescue.rule_rescue_speech, {"tool": tool, "argument": argument}, "plain speech")
    final = facts.tools.get(facts.final_tool or "")
    if final and final.sole_argument and final.kind(final.sole_argument) in {"array", "string"}:
        is_list = final.kind(final.sole_argument) == "array"
        values = {"tool": final.name, "argument": final.sole_argument, "is_list": is_list}
        yield Form(rescue.rule_rescue_answer, values, "a final answer said in the text")


def _is_valid(facts: Facts, call: Call | None) -> bool:
    tool = facts.tools.get(call.tool) if call else None
    if call is None or tool is None:
        return False
    return set(tool.required) <= set(call.arguments) <= set(tool.properties)


def _draft(form: Form, probe: Probe) -> Draft:
    reason = (
        f"Models write calls as {form.what} instead of calling; seen in {len(probe.acts)}"
        " failed runs. Only an unambiguous call is read."
    )
    return Draft(
        layer="actions",
        name=form.rule.__name__,
        body=render_rule(form.rule, reason, form.parameters),
        kind="rescue_rule",
        title=f"Read a call written as {form.what}",
        root_cause=f"The intended call stands in the text as {form.what} and is never executed.",
        why_safe="Runs only when a turn holds no call; two different readings give none.",
        watch="A quoted example that is not meant as a call.",
        risks=probe.tasks_at_risk,
        acts=probe.acts,
    )
