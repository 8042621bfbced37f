"""Order and endings that successes have in common: what must come before, what must follow."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from tasks.agent.protocols import JsonObject
from tasks.editor.facts import MIN_SUCCESSES, Facts
from tasks.editor.reading import Move, Run

MAX_EXAMPLE = 80
"""Longest JSON text that is shown as an example."""


@dataclass(frozen=True)
class Order:
    """`tool` is called in successes only after one of `required` has succeeded."""

    tool: str
    required: tuple[str, ...]
    support: int
    violations: tuple[str, ...]
    """Failed runs that called the tool too early."""


@dataclass(frozen=True)
class Precursor:
    """A call after which successes call the final tool next.

    Attributes:
        argument: statement argument of the tool; empty when the tool alone decides.
        words: first words of the statement, in upper case.
        stranded: failed runs in which the final tool never came after it.
    """

    tool: str
    argument: str
    words: tuple[str, ...]
    stranded: tuple[str, ...]


def find_orders(facts: Facts) -> list[Order]:
    """Find tools that every success calls only after another tool has succeeded."""
    names = sorted({move.tool for run in facts.successes for move in run.calls})
    return [order for tool in names if (order := _order_of(facts, tool))]


def _order_of(facts: Facts, tool: str) -> Order | None:
    befores = [_before(run, tool) for run in facts.successes if _first(run, tool) is not None]
    if len(befores) < MIN_SUCCESSES:
        return None
    common = set.intersection(*befores) - {tool}
    if not common:
        return None
    violations = tuple(
        run.run_id
        for run in facts.failures
        if _first(run, tool) is not None and not common & _before(run, tool)
    )
    return Order(tool, tuple(sorted(common)), len(befores), violations)


def _first(run: Run, tool: str) -> int | None:
    return next((i for i, move in enumerate(run.calls) if move.tool == tool), None)


def _before(run: Run, tool: str) -> set[str]:
    end = _first(run, tool)
    return {move.tool for move in run.calls[:end] if not move.is_error}


def find_precursors(facts: Facts) -> list[Precursor]:
    """Find calls that successes always follow with the final tool and failures do not."""
    final = facts.final_tool
    if final is None:
        return []
    following: dict[tuple[str, str, str], Counter[bool]] = {}
    for run in facts.successes:
        for move, after in _pairs(run):
            if move.tool != final and not move.is_error:
                slot = following.setdefault(_kind(facts, move), Counter())
                slot[after is not None and after.tool == final] += 1
    sure = [
        kind
        for kind, counts in following.items()
        if counts[True] >= MIN_SUCCESSES and counts[True] >= 0.9 * sum(counts.values())
    ]
    return _grouped(facts, sorted(sure), final)


def _grouped(facts: Facts, kinds: list[tuple[str, str, str]], final: str) -> list[Precursor]:
    words: dict[tuple[str, str], list[str]] = {}
    for tool, argument, word in kinds:
        words.setdefault((tool, argument), []).append(word)
    found: list[Precursor] = []
    for (tool, argument), starts in words.items():
        wanted = {(tool, argument, word) for word in starts}
        stranded = tuple(
            run.run_id for run in facts.failures if _strands(facts, run, wanted, final)
        )
        found.append(Precursor(tool, argument, tuple(word for word in starts if word), stranded))
    return found


def _strands(facts: Facts, run: Run, kinds: set[tuple[str, str, str]], final: str) -> bool:
    done = [i for i, move in enumerate(run.good_calls) if _kind(facts, move) in kinds]
    return bool(done) and all(move.tool != final for move in run.good_calls[done[0] :])


def _pairs(run: Run) -> Iterator[tuple[Move, Move | None]]:
    """Calls with the next other call; a repeated call is followed by what ends the repetition."""
    for place, move in enumerate(run.calls):
        yield move, next((one for one in run.calls[place + 1 :] if one.key != move.key), None)


def _kind(facts: Facts, move: Move) -> tuple[str, str, str]:
    """Tool, statement argument and the statement's first word in upper case."""
    for tool, argument in facts.statement_slots:
        value = (move.arguments or {}).get(argument)
        if tool == move.tool and isinstance(value, str) and value.split():
            return tool, argument, value.split()[0].upper()
    return move.tool, "", ""


def constant_final(facts: Facts, kinds: Precursor | None = None) -> JsonObject | None:
    """Arguments that nearly all successes give the final tool (after a precursor), if constant."""
    seen: Counter[str] = Counter()
    for run in facts.successes:
        last = run.good_calls[-1] if run.good_calls else None
        if last and last.tool == facts.final_tool and _has(facts, run, kinds):
            seen[json.dumps(last.arguments, sort_keys=True)] += 1
    total = sum(seen.values())
    if total < MIN_SUCCESSES:
        return None
    text, count = min(seen.items(), key=lambda item: (-item[1], item[0]))
    is_constant = count >= 0.9 * total and len(text) <= MAX_EXAMPLE
    return json.loads(text) if is_constant else None


def final_example(facts: Facts, kinds: Precursor | None = None) -> str:
    """Example arguments of the final tool; a constant of all successes, else placeholders."""
    final = facts.final_tool
    if final is None or final not in facts.tools:
        return ""
    constant = constant_final(facts, kinds)
    if constant is not None:
        return json.dumps(constant, sort_keys=True)
    tool = facts.tools[final]
    keys = tool.required or tuple(tool.properties)
    return json.dumps({key: placeholder(tool.kind(key)) for key in keys})


def _has(facts: Facts, run: Run, kinds: Precursor | None) -> bool:
    if kinds is None:
        return True
    wanted = {(kinds.tool, kinds.argument, word) for word in kinds.words or ("",)}
    return len(run.good_calls) > 1 and _kind(facts, run.good_calls[-2]) in wanted


def placeholder(kind: str) -> object:
    """A value of a JSON type that nobody mistakes for a real one."""
    values: dict[str, object] = {
        "array": ["first value", "second value"],
        "integer": 1,
        "number": 1.5,
        "boolean": True,
        "object": {},
    }
    return values.get(kind, "value")
