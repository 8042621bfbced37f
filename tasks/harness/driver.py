"""The code that calls rules inside the sandbox."""

from pydantic import TypeAdapter, ValidationError

from .values import RuleLayer

MAX_RESULT_CHARS = 64_000
MAX_ERROR_CHARS = 300

# Everything the driver needs is bound before the rules' source runs, so that a rule file may
# use any name; the one result per call is turned into text inside the `try`, so that a result
# of a wrong type is the fault of that rule. A rule that changes what all of them are shown is
# found by comparing it, at the end, with the text it was read from.
PRELUDE = f"""\
import json as __tr_json
def __tr_run(layer, rules, payload, loads=__tr_json.loads, dumps=__tr_json.dumps, size=len,
             text=str, kind=type, copy=dict, count=enumerate, Broken=BaseException):
    data = loads(payload)
    out = []
    for i, p in count(data["points"]):
        for j, rule in count(rules):
            c = copy(data["base"])
            c["history"] = data["history"][:p["past"]]
            c["admissible"] = p["admissible"]
            c["step"] = p["step"]
            c["remaining_steps"] = p["remaining_steps"]
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
    return [data == loads(payload), out]
"""
PRELUDE_LINES = PRELUDE.count("\n")


def feed_code(layer: RuleLayer, source: str, names: list[str]) -> str:
    """Put prelude, rules and the call of all rules together."""
    listed = ", ".join(names)
    return f"{PRELUDE}{source}\n__tr_run({layer!r}, [{listed}], __tr_payload)\n"


_FEED = TypeAdapter(tuple[bool, list[tuple[int, int, str, str]]])


def read_feed(value: object) -> tuple[bool, list[tuple[int, int, str, str]]] | None:
    """Check what a feed gave back; null when the rules have tampered with it."""
    try:
        return _FEED.validate_python(value)
    except ValidationError:
        return None
