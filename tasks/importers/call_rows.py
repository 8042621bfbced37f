"""Paired calls and results to rows of `tool_calls`, arguments read strictly."""

from collections import Counter
from collections.abc import Sequence

from schemas.ids import canonical_json, make_id
from schemas.trajectories import ToolCallRow
from tasks.agent.arguments import ParsedArguments, parse_arguments
from tasks.importers.decoding import Undecodable, decode
from tasks.importers.draft import DraftCall, DraftMessage
from tasks.importers.pairing import Paired, pair_calls

ORPHAN_RESULT = "result_without_call"
ORPHAN_CALL = "call_without_result"
ORPHANS = frozenset({ORPHAN_RESULT, ORPHAN_CALL})
_NOTHING = DraftMessage(role="tool")


def _read_arguments(call: DraftCall) -> tuple[ParsedArguments, str | None]:
    """Parsed arguments and the raw text, where there is any."""
    if call.raw is not None or call.arguments is None:
        return parse_arguments(call.raw), call.raw
    if isinstance(call.arguments, dict):
        return ParsedArguments(call.arguments, canonical_json(call.arguments)), None
    text = canonical_json(call.arguments)
    return parse_arguments(text), text


def _say_error(call: DraftCall, parsed: ParsedArguments) -> str | None:
    """Why arguments cannot be used; the inside of a doubly encoded object is only pointed at."""
    if call.error or parsed.error_kind != "not_an_object":
        return call.error or parsed.error
    try:
        inner = decode(str(decode(call.raw or "").value)).value
    except Undecodable:
        return parsed.error
    is_object = isinstance(inner, dict)
    return f"{parsed.error}; it holds an object encoded twice" if is_object else parsed.error


def _orphan_row(result: DraftMessage, place: ToolCallRow) -> ToolCallRow:
    """A result without a call: kept under the name it gives, with nothing invented."""
    values = {
        "requestor": result.requestor or "assistant",
        "tool": result.result_name or "",
        "error_kind": ORPHAN_RESULT,
        "native_id": result.result_of,
    }
    return place.model_copy(update=values)


def _error_kind(paired: Paired, result: DraftMessage, parsed: ParsedArguments) -> str | None:
    if paired.result_at is not None:
        return result.error_kind
    return parsed.error_kind or ORPHAN_CALL


def _call_row(
    paired: Paired, call: DraftCall, result: DraftMessage, place: ToolCallRow
) -> ToolCallRow:
    parsed, raw = _read_arguments(call)
    executed = True if paired.result_at is not None else call.is_executed
    values = {
        "requestor": call.requestor,
        "tool": call.tool,
        "arguments_raw": raw,
        "arguments": parsed.canonical,
        "arguments_error": _say_error(call, parsed),
        "executed": executed,
        "executed_tool": call.tool if executed else None,
        "executed_arguments": parsed.canonical if executed else None,
        "error_kind": _error_kind(paired, result, parsed),
        "native_id": call.native_id,
    }
    return place.model_copy(update=values)


def make_call_rows(messages: Sequence[DraftMessage], trajectory_id: str) -> tuple[ToolCallRow, ...]:
    """Rows of all calls of an episode; orphans of both kinds are kept and flagged."""
    rows: list[ToolCallRow] = []
    made: Counter[int] = Counter()
    for paired in pair_calls(messages):
        ordinal = made[paired.message]
        made[paired.message] += 1
        result = _NOTHING if paired.result_at is None else messages[paired.result_at]
        place = ToolCallRow(
            tool_call_id=make_id("call", [trajectory_id, paired.message, ordinal]),
            trajectory_id=trajectory_id,
            step_index=paired.message,
            call_index=ordinal,
            tool="",
            result=result.text if result.result is None else result.result,
            is_error=result.is_error,
            result_step_index=paired.result_at,
        )
        if paired.call is None:
            rows.append(_orphan_row(result, place))
        else:
            rows.append(_call_row(paired, paired.call, result, place))
    return tuple(rows)
