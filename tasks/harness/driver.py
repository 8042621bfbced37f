"""The code that calls rules inside the sandbox."""

from collections.abc import Sequence
from typing import NamedTuple

from pydantic import TypeAdapter, ValidationError

from .values import RuleLayer

MAX_RESULT_CHARS = 64_000
MAX_ERROR_CHARS = 300
PAYLOADS = "__tr_payloads"
"""Name of the input that holds a list of payloads."""

# Everything the driver needs is bound before the rules' source runs, so that a rule file may
# use any name; the one result per call is turned into text inside the `try`, so that a result
# of a wrong type is the fault of that rule. A rule that changes what all of them are shown is
# found by comparing it, at the end, with the text it was read from.
PRELUDE = f"""\
import json as __tr_json, time as __tr_time
def __tr_run(layer, rules, kept, payloads, clock=None, loads=__tr_json.loads,
             dumps=__tr_json.dumps, size=len, text=str, kind=type, copy=dict,
             count=enumerate, Broken=BaseException):
    given = []
    for payload in payloads:
        data = loads(payload)
        kept_before = text(kept)
        out = []
        for i, p in count(data["points"]):
            for j, rule in count(rules):
                c = copy(data["base"])
                c["messages"] = data["messages"][:p["heard"]]
                c["history"] = data["history"][:p["past"]]
                c["admissible"] = p["admissible"]
                c["step"] = p["step"]
                c["remaining_steps"] = p["remaining_steps"]
                started = clock() if clock else 0
                try:
                    value = rule(p["action"] if layer == "actions" else c["history"], c)
                    if value is not None:
                        value = dumps(value)
                        if size(value) > {MAX_RESULT_CHARS}:
                            out.append([i, j, "large", ""])
                        else:
                            out.append([i, j, "result", value])
                except Broken as error:
                    said = kind(error).__name__ + ": " + text(error)
                    out.append([i, j, "error", said[:{MAX_ERROR_CHARS}]])
                if clock:
                    out.append([i, j, "spent", text(clock() - started)])
        given.append([kept_before == text(kept) and data == loads(payload), out])
    return given
"""
PRELUDE_LINES = PRELUDE.count("\n")


def feed_code(
    layer: RuleLayer,
    source: str,
    names: Sequence[str],
    *,
    kept: Sequence[str] = (),
    is_timed: bool = False,
) -> str:
    """Put prelude, rules and the call of all rules together.

    `kept` names the top-level lists and dicts of the source that no call may change. A timed
    feed also tells the seconds each call took.
    """
    rules, values = ", ".join(names), ", ".join(kept)
    clock = "__tr_time.process_time" if is_timed else "None"
    call = f"__tr_run({layer!r}, [{rules}], [{values}], {PAYLOADS}, {clock})"
    return f"{PRELUDE}{source}\n{call}\n"


class FeedResult(NamedTuple):
    """What the rules of a file did with one payload.

    Attributes:
        is_pure: whether no rule has changed what others are shown.
        rows: point, position of the rule, status and text of each rule that did something.
    """

    is_pure: bool
    rows: list[tuple[int, int, str, str]]


_FEED = TypeAdapter(list[FeedResult])


def read_feed(value: object, payloads: int) -> list[FeedResult] | None:
    """Check what a feed of so many payloads gave; null when the rules have tampered with it."""
    try:
        results = _FEED.validate_python(value)
    except ValidationError:
        return None
    return results if len(results) == payloads else None
