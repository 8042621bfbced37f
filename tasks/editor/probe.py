"""Run a rule on the host over stored runs: where would it fire, and would it change successes?

The rules are our own functions of `ruleset/`, never text that a model wrote. The gate repeats
the check in the sandbox; here it keeps edits that would fail there from being proposed.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tasks.agent.protocols import JsonObject
from tasks.editor.facts import Facts
from tasks.editor.reading import MAX_TEXT, Move, Run
from tasks.editor.rule_text import Rule

Stage = Literal["text", "call", "result"]


@dataclass(frozen=True)
class Fire:
    """A rule fired at a move."""

    run: Run
    move: Move
    result: JsonObject


@dataclass(frozen=True)
class Probe:
    """Where a rule fires among failures and successes."""

    failures: tuple[Fire, ...]
    successes: tuple[Fire, ...]

    @property
    def failed_runs(self) -> set[str]:
        """Failed runs in which it fires."""
        return {fire.run.run_id for fire in self.failures}

    @property
    def passed_runs(self) -> set[str]:
        """Successful runs in which it fires."""
        return {fire.run.run_id for fire in self.successes}

    @property
    def tasks_at_risk(self) -> tuple[str, ...]:
        """Tasks whose passing runs it touches."""
        return tuple(sorted({fire.run.task_id for fire in self.successes}))


def probe_rule(
    facts: Facts,
    rule: Rule,
    parameters: Mapping[str, Any],
    stage: Stage,
    runs: Sequence[Run] | None = None,
) -> Probe:
    """Fire a rule at every move of its stage; `text` sees turns without a call."""
    failures: list[Fire] = []
    successes: list[Fire] = []
    for run in facts.runs if runs is None else runs:
        side = failures if run.episode.is_failure else successes
        if run.episode.is_failure or run.episode.is_success:
            side.extend(_fires(facts, rule, parameters, stage, run))
    return Probe(tuple(failures), tuple(successes))


def _fires(
    facts: Facts, rule: Rule, parameters: Mapping[str, Any], stage: Stage, run: Run
) -> list[Fire]:
    fires: list[Fire] = []
    history: list[JsonObject] = []
    for position, move in enumerate(run.moves):
        context = _context(facts, run, position, history)
        if stage != "result" and (stage == "call") == bool(move.asked_tool):
            result = _apply(rule, _action(move), context, parameters)
            fires.extend([Fire(run, move, result)] if result else [])
        history.append(_entry(move))
        if stage == "result":
            context["history"] = list(history)
            context["admissible"] = _next_commands(run, position)
            result = _apply(rule, list(history), context, parameters)
            fires.extend([Fire(run, move, result)] if result else [])
    return fires


def _context(
    facts: Facts,
    run: Run,
    position: int,
    history: Sequence[JsonObject],
) -> JsonObject:
    """What the runtime shows a rule: first messages, later words of the user, finished turns."""
    budget = run.episode.trajectory.budget
    admissible = run.moves[position].admissible
    return {
        "task_text": run.task_text,
        "tools": list(facts.brief.tools),
        "messages": _messages(facts, run, run.moves[position].step_index),
        "history": list(history),
        "admissible": list(admissible) if admissible is not None else None,
        "step": position,
        "remaining_steps": None if budget is None else max(0, budget - position),
    }


def _messages(facts: Facts, run: Run, step_index: int) -> list[JsonObject]:
    first = [
        {"role": "system", "content": facts.brief.system_prompt},
        {"role": "user", "content": run.task_text},
    ]
    heard = [
        {"role": "user", "content": (step.text or "")[:MAX_TEXT]}
        for step in run.episode.steps
        if step.role == "user" and step.step_index < step_index
    ]
    return [*first, *heard]


def _next_commands(run: Run, position: int) -> list[str] | None:
    following = run.moves[position + 1 : position + 2]
    offered = following[0].admissible if following else run.moves[position].admissible
    return None if offered is None else list(offered)


def _action(move: Move) -> JsonObject:
    return {
        "tool": move.asked_tool or None,
        "arguments": move.asked,
        "raw_text": move.text,
        "parse_error": None,
    }


def _entry(move: Move) -> JsonObject:
    return {
        "action": _action(move) | {"tool": move.tool or None, "arguments": move.arguments},
        "observation": move.observation,
        "is_error": move.is_error,
    }


def _apply(
    rule: Rule, subject: object, context: JsonObject, parameters: Mapping[str, Any]
) -> JsonObject | None:
    """A rule that stumbles over odd input counts as silent, as it does in the sandbox."""
    try:
        result = rule(subject, context, **parameters)
    except (TypeError, ValueError, KeyError, AttributeError, IndexError, RecursionError):
        return None
    return result if isinstance(result, dict) else None


def is_same_call(move: Move, result: Mapping[str, Any]) -> bool:
    """Tell whether a rewrite gives exactly the call that ran."""
    rewritten = json.dumps([result.get("tool"), result.get("arguments")], sort_keys=True)
    return rewritten == move.key
