"""Regulation rules: hints that name what was repeated, what is missing and what is left."""

from typing import Any

from tasks.editor.facts import Facts
from tasks.editor.generators.draft import Draft, Target
from tasks.editor.probe import Probe, probe_rule
from tasks.editor.protocol_facts import Precursor, final_example, find_precursors
from tasks.editor.rule_text import Rule, render_rule
from tasks.editor.ruleset import hint

MAX_FALSE_FIRE = 0.05
MIN_FIRES = 2


def repeat_hint(facts: Facts, target: Target) -> list[Draft]:
    """Propose a hint after the same call brought the same result; fewest repeats that are safe."""
    for times in (2, 3, 4):
        drafts = _checked(
            facts,
            target,
            hint.rule_hint_repeat,
            {"times": times},
            "Say that the same call keeps bringing the same result",
            "The same call with the same result is repeated.",
        )
        if drafts:
            return drafts
    return []


def stall_hint(facts: Facts, target: Target) -> list[Draft]:
    """Propose a hint after a streak of errors or idle observations."""
    for window, most in ((3, 2), (4, 3), (5, 4)):
        parameters = {
            "window": window,
            "most": most,
            "non_progress": tuple(facts.brief.non_progress),
        }
        drafts = _checked(
            facts,
            target,
            hint.rule_hint_stall,
            parameters,
            "Say that the last calls changed nothing",
            "Calls fail or change nothing several times in a row.",
        )
        if drafts:
            return drafts
    return []


def unvisited_hint(facts: Facts, target: Target) -> list[Draft]:
    """Propose naming an untried command to an agent that goes to and fro."""
    if facts.command_slot is None:
        return []
    for window in (6, 8):
        drafts = _checked(
            facts,
            target,
            hint.rule_hint_unvisited,
            {"window": window, "argument": facts.command_slot[1]},
            "Name a command that was not tried yet",
            "The agent goes to and fro between a few commands.",
        )
        if drafts:
            return drafts
    return []


def next_tool_hint(facts: Facts, target: Target) -> list[Draft]:
    """Propose naming the final call right after the call that successes follow with it."""
    ids = {run.run_id for run in target.runs}
    found = [one for one in find_precursors(facts) if set(one.stranded) & ids]
    found.sort(key=lambda one: (-len(set(one.stranded) & ids), one.tool, one.argument))
    return [draft for one in found[:1] for draft in _next_hint(facts, target, one)]


def _next_hint(facts: Facts, target: Target, before: Precursor) -> list[Draft]:
    parameters = {
        "after": before.words,
        "tool": before.tool,
        "next_tool": facts.final_tool or "",
        "argument": before.argument,
        "example": final_example(facts, before),
    }
    cause = f"{before.tool} is not followed by {facts.final_tool}, which every success calls next."
    title = f"Name `{facts.final_tool}` as the call that is due"
    return _checked(facts, target, hint.rule_hint_next_tool, parameters, title, cause)


def budget_hint(facts: Facts, target: Target) -> list[Draft]:
    """Propose a warning when few steps are left and the final call is missing."""
    final = facts.final_tool
    if final is None:
        return []
    return _checked(
        facts,
        target,
        hint.rule_hint_budget,
        {"left": 3, "next_tool": final, "example": final_example(facts)},
        f"Warn when few steps are left without `{final}`",
        f"The budget runs out before `{final}` is called.",
    )


def _checked(
    facts: Facts, target: Target, rule: Rule, parameters: dict[str, Any], title: str, cause: str
) -> list[Draft]:
    probe = probe_rule(facts, rule, parameters, "result", [*target.runs, *facts.successes])
    if len(probe.failed_runs) < MIN_FIRES or _false_fire(facts, probe) > MAX_FALSE_FIRE:
        return []
    reason = f"{cause} Seen in {len(probe.failed_runs)} failed runs."
    return [
        Draft(
            layer="regulation",
            name=rule.__name__,
            body=render_rule(rule, reason, parameters),
            kind="hint_rule",
            title=title,
            root_cause=cause,
            why_safe="A hint names facts of the episode; it changes no call.",
            watch="Hints that distract an agent which is on its way.",
            risks=probe.tasks_at_risk,
            fixes=tuple(sorted({fire.run.task_id for fire in probe.failures})),
        )
    ]


def _false_fire(facts: Facts, probe: Probe) -> float:
    return len(probe.passed_runs) / len(facts.successes) if facts.successes else 0.0
