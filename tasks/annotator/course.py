"""The writes of a run beside those of the oracle: which match, which are wrong, which are missing.

An executed write matches an expected one when it carries all expected values; further keys and
the order of lists make no difference.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tasks.annotator.gold import ExpectedCall
from tasks.annotator.hits import View
from tasks.annotator.timeline import CallView, Turn


@dataclass(frozen=True)
class Deviation:
    """An executed write that the oracle does not have.

    Attributes:
        twin: the expected write of the same tool that it stands in for; None when there is none.
        differing: arguments whose values differ from the twin's.
    """

    turn: Turn
    call: CallView
    twin: ExpectedCall | None
    differing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Course:
    """Comparison of one run with its oracle; empty without known expected calls."""

    deviations: tuple[Deviation, ...] = ()
    missing: tuple[ExpectedCall, ...] = ()
    unmade_reads: tuple[ExpectedCall, ...] = ()


def covers(given: Any, expected: Any, depth: int = 0) -> bool:
    """Whether a given value holds everything that is expected."""
    if depth > 20:
        return False
    if isinstance(expected, dict):
        if not isinstance(given, dict):
            return False
        return all(k in given and covers(given[k], v, depth + 1) for k, v in expected.items())
    if isinstance(expected, list):
        if not isinstance(given, list) or len(given) != len(expected):
            return False
        return all(any(covers(g, e, depth + 1) for g in given) for e in expected)
    if isinstance(expected, str) or isinstance(given, str):
        return str(given).strip().casefold() == str(expected).strip().casefold()
    return given == expected


def matches(call: CallView, expected: ExpectedCall) -> bool:
    """Whether an executed call is the expected one."""
    return call.run_tool == expected.tool and covers(call.run_arguments, expected.arguments)


def _differing(call: CallView, expected: ExpectedCall) -> tuple[str, ...]:
    names = sorted(set(call.run_arguments) | set(expected.arguments))
    return tuple(
        name
        for name in names
        if name in expected.arguments
        and not covers(call.run_arguments.get(name), expected.arguments[name])
    )


def _is_same_thing(call: CallView, expected: ExpectedCall) -> bool:
    """Whether both are about the same record: no identifier they share differs, payment aside."""
    return not any(
        name.endswith("_id") and "pay" not in name and name in _differing(call, expected)
        for name in expected.arguments
    )


def executed_writes(view: View) -> list[tuple[Turn, CallView]]:
    """Writes that were carried out, in order."""
    return [
        (turn, call)
        for turn, call in view.timeline.calls()
        if call.ran and view.profile.is_write(call.run_tool)
    ]


def compare(view: View) -> Course:
    """Compare the executed writes with the oracle's."""
    return view.once("course", lambda: _compare(view))


def _compare(view: View) -> Course:
    if not view.gold.is_known:
        return Course()
    expected = [call for call in view.gold.calls if not call.is_users]
    writes = [call for call in expected if view.profile.is_write(call.tool)]
    matched: set[int] = set()
    strays: list[tuple[Turn, CallView]] = []
    for turn, call in executed_writes(view):
        found = [index for index, write in enumerate(writes) if matches(call, write)]
        matched.update(found)
        if not found:
            strays.append((turn, call))
    missing = [write for index, write in enumerate(writes) if index not in matched]
    ran = [call for _, call in view.timeline.calls() if call.ran]
    reads = tuple(
        call
        for call in expected
        if call.tool in view.profile.read_tools and not any(matches(one, call) for one in ran)
    )
    return Course(tuple(_deviations(strays, missing)), tuple(missing), reads)


def _deviations(
    strays: list[tuple[Turn, CallView]], missing: list[ExpectedCall]
) -> Iterator[Deviation]:
    """Pair strays with missing writes; each missing write is stood in for only once."""
    free = list(missing)
    for turn, call in strays:
        twins = [w for w in free if w.tool == call.run_tool and _is_same_thing(call, w)]
        if not twins:
            yield Deviation(turn, call, None)
            continue
        twin = min(twins, key=lambda write: len(_differing(call, write)))
        free.remove(twin)
        yield Deviation(turn, call, twin, _differing(call, twin))
