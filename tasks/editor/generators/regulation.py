"""Regulation rules: hints that name what was repeated, what is missing and what is left."""

from typing import Any

from tasks.editor.facts import Facts
from tasks.editor.generators.draft import Draft, Target
from tasks.editor.protocol_facts import (
    Precursor,
    constant_final,
    final_example,
    find_precursors,
)
from tasks.editor.rule_text import Rule, render_rule
from tasks.editor.ruleset import hint

MIN_FIRES = 2


def repeat_hint(facts: Facts, target: Target) -> list[Draft]:  # noqa: ARG001
    """Propose a hint after the same call brought the same result; fewest repeats that are safe."""
    for times in (2, 3, 4, 5, 6):
        drafts = _checked(
            facts,
            hint.rule_hint_repeat,
            {"times": times},
            "Say that the same call keeps bringing the same result",
            "The same call with the same result is repeated.",
        )
        if drafts:
            return drafts
    return []


def stall_hint(facts: Facts, target: Target) -> list[Draft]:  # noqa: ARG001
    """Propose a hint after a streak of errors or idle observations."""
    for window, most in ((3, 2), (4, 3), (5, 4), (6, 5), (8, 7)):
        parameters = {
            "window": window,
            "most": most,
            "non_progress": tuple(facts.brief.non_progress),
        }
        drafts = _checked(
            facts,
            hint.rule_hint_stall,
            parameters,
            "Say that the last calls changed nothing",
            "Calls fail or change nothing several times in a row.",
        )
        if drafts:
            return drafts
    return []


def unvisited_hint(facts: Facts, target: Target) -> list[Draft]:  # noqa: ARG001
    """Propose naming an untried command to an agent that goes to and fro; shortest safe window."""
    if facts.command_slot is None:
        return []
    for window in (4, 6, 8):
        drafts = _checked(
            facts,
            hint.rule_hint_unvisited,
            {"window": window, "argument": facts.command_slot[1]},
            "Name a command that was not tried yet",
            "The agent goes to and fro between a few commands.",
        )
        if drafts:
            return drafts
    return []


def next_tool_hint(facts: Facts, target: Target) -> list[Draft]:
    """Propose naming the final call when something else comes instead of it."""
    return [
        draft
        for before in _precursors(facts, target)
        for draft in _checked(
            facts,
            hint.rule_hint_next_tool,
            {
                "after": before.words,
                "tool": before.tool,
                "next_tool": facts.final_tool or "",
                "argument": before.argument,
                "example": final_example(facts, before),
            },
            f"Name `{facts.final_tool}` as the call that is due",
            f"{before.tool} is not followed by {facts.final_tool}, which every success calls next.",
        )
    ]


def next_tool_force(facts: Facts, target: Target) -> list[Draft]:
    """Propose making the final call where successes always make it with the same arguments."""
    return [
        draft
        for before in _precursors(facts, target)
        if (constant := constant_final(facts, before)) is not None
        for draft in _checked(
            facts,
            hint.rule_force_next_tool,
            {
                "after": before.words,
                "tool": before.tool,
                "argument": before.argument,
                "next_tool": facts.final_tool or "",
                "arguments": constant,
            },
            f"Call `{facts.final_tool}` for an agent that only talks after the work is done",
            f"{before.tool} has run, but {facts.final_tool} is never called.",
        )
    ]


def _precursors(facts: Facts, target: Target) -> list[Precursor]:
    ids = target.run_ids
    found = [one for one in find_precursors(facts) if set(one.stranded) & ids]
    found.sort(key=lambda one: (-len(set(one.stranded) & ids), one.tool, one.argument))
    return found[:1]


def budget_hint(facts: Facts, target: Target) -> list[Draft]:  # noqa: ARG001
    """Propose a warning when few steps are left and the final call is missing."""
    final = facts.final_tool
    if final is None:
        return []
    return _checked(
        facts,
        hint.rule_hint_budget,
        {"left": 3, "next_tool": final, "example": final_example(facts)},
        f"Warn when few steps are left without `{final}`",
        f"The budget runs out before `{final}` is called.",
    )


def _checked(
    facts: Facts, rule: Rule, parameters: dict[str, Any], title: str, cause: str
) -> list[Draft]:
    probe = facts.probe(rule, parameters, "result")
    if len(probe.tasks) < MIN_FIRES or probe.is_false_fire:
        return []
    passed = f"{len(probe.passed_runs)} of {len(facts.successes)}"
    reason = f"{cause} Seen in {len(probe.acts)} failed runs."
    return [
        Draft(
            layer="regulation",
            name=rule.__name__,
            body=render_rule(rule, reason, parameters),
            kind="force_rule" if rule is hint.rule_force_next_tool else "hint_rule",
            title=title,
            root_cause=cause,
            why_safe=f"Fires in {passed} stored successes.",
            watch="Hints that distract an agent which is on its way.",
            risks=probe.tasks_at_risk,
            acts=probe.acts,
        )
    ]
