"""Action rules that bring a call into the one form its tool accepts."""

from typing import Any

from tasks.agent.commands import CLEAR, NEAR
from tasks.editor.facts import Facts
from tasks.editor.generators.draft import Draft, Target
from tasks.editor.rule_text import Rule, render_rule
from tasks.editor.ruleset import rewrite
from tasks.editor.text_facts import closest, quoted_names, verb_aliases

MIN_FIRES = 2


def match_schema_rule(facts: Facts, target: Target) -> list[Draft]:  # noqa: ARG001
    """Propose argument canonicalisation by schema where it would have changed a failed call."""
    return _checked(
        facts,
        rewrite.rule_match_schema,
        {},
        "Argument names and types do not match the schema; only the form changes, never the value.",
        "Bring arguments into the form of the tool's schema",
    )


def known_tool_rule(facts: Facts, target: Target) -> list[Draft]:  # noqa: ARG001
    """Propose names for tools that do not exist but can mean only one that does."""
    wrong = {
        move.asked_tool
        for run in facts.failures
        for move in run.calls
        if move.asked_tool not in facts.tools
    }
    aliases = {name: near for name in sorted(wrong) if (near := closest(name, facts.tools))}
    return _checked(
        facts,
        rewrite.rule_known_tool,
        {"aliases": dict(list(aliases.items())[:8])},
        "Calls name a tool that does not exist and can mean only one that does.",
        "Give a call of an unknown tool the tool it means",
    )


def quote_names_rule(facts: Facts, target: Target) -> list[Draft]:
    """Propose quoting of names of several words in statements."""
    drafts: list[Draft] = []
    for tool, argument in facts.statement_slots:
        quote, _ = quoted_names(facts, tool, argument)
        if not quote and target.kind != "sql_error":
            continue
        drafts += _checked(
            facts,
            rewrite.rule_quote_names,
            {"tool": tool, "argument": argument, "quote": quote or '""'},
            f"Statements of {tool} leave names of several words bare; quotes make them one name.",
            f"Quote names of several words in `{argument}` of `{tool}`",
        )
    return drafts


def nearest_command_rule(facts: Facts, target: Target) -> list[Draft]:  # noqa: ARG001
    """Propose turning a near miss into the one admissible command it can mean."""
    if facts.command_slot is None:
        return []
    tool, argument = facts.command_slot
    return _checked(
        facts,
        rewrite.rule_nearest_command,
        {
            "tool": tool,
            "argument": argument,
            "verbs": verb_aliases(facts),
            "near": (NEAR, CLEAR),
        },
        "Commands miss the admissible form by a word; only one clear nearest command is taken.",
        "Turn a near miss into the admissible command it means",
    )


def _checked(
    facts: Facts, rule: Rule, parameters: dict[str, Any], cause: str, title: str
) -> list[Draft]:
    """Keep a rewrite that reaches failed calls and leaves every working call as it is."""
    probe = facts.probe(rule, parameters, "call")
    reached = {fire.run.run_id for fire in probe.failures if fire.recorded.is_error}
    if len(reached) < MIN_FIRES or probe.is_false_fire:
        return []
    if any(not fire.recorded.is_error and fire.effect == "change" for fire in probe.failures):
        return []
    return [
        Draft(
            layer="actions",
            name=rule.__name__,
            body=render_rule(rule, f"{cause} Seen in {len(reached)} failed runs.", parameters),
            kind="rewrite_rule",
            title=title,
            root_cause=cause,
            why_safe="Changed no call that worked in the stored runs; ambiguous calls stay.",
            watch="A call that is right although it differs from the usual form.",
            risks=probe.tasks_at_risk,
            acts=probe.acts,
        )
    ]
