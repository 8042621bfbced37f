"""AR1 and AR2: the call stands only in the text, or cannot be carried out as it was written."""

import difflib
import re
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError

from tasks.annotator.canonical import mask
from tasks.annotator.hits import Hit, View, call_evidence, hit_at, quote, sign
from tasks.annotator.intended_call import PAYLOAD_FORMS, Intended, find_intended
from tasks.annotator.sql import error_class
from tasks.annotator.timeline import CallView, Turn

_COMPLAINT = re.compile(
    r"no (?:valid )?(?:tool|function|action) ?calls?\b|"
    r"(?:did not|didn't|does not) (?:contain|include|make|call)[^.\n]{0,40}"
    r"(?:tool|function|action|command)|no (?:valid )?(?:action|command) (?:was )?found|"
    r"could not (?:be )?parse|"
    r"must (?:call|use|contain|include)[^.\n]{0,40}(?:tool|function|action)",
    re.I,
)
_CODE = re.compile(r"```|`[^`\n]{2,300}`")
_UNKNOWN_TOOL = re.compile(
    r"unknown (?:action|tool|function)|(?:tool|function|action) [^\n]{0,80}?"
    r"(?:not found|does not exist|is not (?:available|defined|a valid))|"
    r"no such (?:tool|action)|invalid (?:tool|function) name",
    re.I,
)
_ARGUMENT_ERROR = re.compile(
    r"(?:missing|unexpected|required|invalid|unknown|extra)[^\n]{0,60}"
    r"(?:argument|parameter|property|field)|"
    r"(?:is|are) (?:a )?required|validation error|not valid json|invalid json|json ?decode|"
    r"(?:argument|parameter)s? [^\n]{0,60}(?:missing|invalid|must be)|"
    r"(?:must|should) be (?:a|an) (?:array|list|string|object|number|integer|boolean)",
    re.I,
)
_SCHEMA_KINDS = frozenset(
    {"schema", "arguments", "validation", "argument_type", "argument_missing"}
)
NOT_THE_CALLS_FAULT = frozenset({"blocked", "not_run", "no_call"})
_JSON_KINDS = frozenset({"arguments_not_json", "json", "parse", "not_an_object", "trailing_data"})


def call_in_text(view: View) -> list[Hit]:
    """AR1: a turn without a call whose text shows the call or the answer."""
    hits: list[Hit] = []
    turns = view.timeline.turns
    for turn in turns:
        if not turn.is_silent or turn.forced:
            continue
        found = find_intended(turn.text, view.profile, turn.admissible)
        following = turns[turn.index + 1].heard if turn.index + 1 < len(turns) else ""
        reply = turn.observation or following
        is_bare = found is None and not view.profile.is_tools_known
        if is_bare and _CODE.search(turn.text[:20_000]) and _COMPLAINT.search(reply[:4000]):
            found = Intended("call_in_text", "code", None, turn.text)
        if found is not None:
            hits.append(_text_hit(turn, found, reply))
    return hits


def _text_hit(turn: Turn, found: Intended, reply: str) -> Hit:
    style = "payload" if found.form in PAYLOAD_FORMS else "call"
    signature = sign(found.kind, style=style, tool=found.tool, argument=found.argument)
    evidence = {
        "step": turn.step_index,
        "form": found.form,
        "tool": found.tool,
        "text": quote(turn.text),
        "intended": quote(found.text),
        "reply": quote(reply),
    }
    return hit_at(turn, "call_in_text", "AR1", signature, evidence, intent=found.tool or "*")


def call_unreadable(view: View) -> list[Hit]:
    """AR2: a call that parser or schema refuse: unknown tool, JSON, missing argument, type."""
    hits: list[Hit] = []
    for turn, call in view.timeline.calls():
        if not call.failed or call.error_kind in NOT_THE_CALLS_FAULT:
            continue
        signature = refusal(view, turn, call)
        if signature is None:
            continue
        evidence = call_evidence(turn, call) | {"error": quote(call.arguments_error or call.result)}
        intent = "*" if signature["kind"] == "unknown_tool" else call.tool
        hits.append(hit_at(turn, "call_unreadable", "AR2", signature, evidence, intent=intent))
    return hits


def refusal(view: View, turn: Turn, call: CallView) -> dict[str, Any] | None:
    """Why the call could not be carried out; None when it failed for another reason."""
    if _is_unreadable(view, call):
        error = mask(call.arguments_error or call.result)
        return sign("arguments_unreadable", tool=call.tool or None, error=error)
    reply = call.result or turn.observation
    if _is_unknown_tool(view, call, reply):
        return sign("unknown_tool", tool=call.tool[:80], nearest=_nearest(view, call.tool))
    if call.tool in view.profile.sql_arguments and error_class(reply) not in (None, "other"):
        return None
    broken = _schema_violation(view, call)
    if broken is not None:
        return broken
    named = (call.error_kind or "") in _SCHEMA_KINDS or _ARGUMENT_ERROR.search(reply[:2000])
    if named and not view.profile.is_tools_known:
        return sign("call_rejected", tool=call.tool, error=mask(reply))
    return None


def _is_unreadable(view: View, call: CallView) -> bool:
    """Blank arguments are an empty object; they are a failure only where some are required."""
    if (call.raw or "").strip() in ("", "null", "{}") and call.arguments_error is None:
        return False
    is_text_broken = call.arguments is None and (
        call.arguments_error is not None or (call.error_kind or "") in _JSON_KINDS
    )
    is_known = not view.profile.is_tools_known or call.tool in view.profile.tool_names
    return is_text_broken and (is_known or not call.tool)


def _is_unknown_tool(view: View, call: CallView, reply: str) -> bool:
    if call.error_kind == "unknown_tool":
        return True
    if view.profile.is_tools_known:
        return call.tool not in view.profile.tool_names
    return _UNKNOWN_TOOL.search(reply[:2000]) is not None


def _nearest(view: View, tool: str) -> str | None:
    names = sorted(view.profile.tool_names)
    found = difflib.get_close_matches(tool[:80], names, n=1, cutoff=view.parameters.similarity)
    return found[0] if found else None


def _schema_violation(view: View, call: CallView) -> dict[str, Any] | None:
    schema = view.profile.parameters(call.tool)
    if not schema:
        return None
    try:
        errors = list(Draft202012Validator(schema).iter_errors(call.arguments or {}))
    except (SchemaError, RecursionError, ValueError, TypeError, re.error):
        return None
    if not errors:
        return None
    return _violation_signature(
        call.tool, min(errors, key=lambda e: list(map(str, e.path))), schema
    )


def _json_type(value: Any) -> str:
    names = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer"}
    return "null" if value is None else names.get(type(value), "number")


def _violation_signature(
    tool: str, error: ValidationError, schema: dict[str, Any]
) -> dict[str, Any]:
    argument = ".".join("[]" if isinstance(p, int) else str(p) for p in error.path) or None
    wanted: Any = error.validator_value
    instance: Any = error.instance
    if error.validator == "required":
        missing = next((str(name) for name in wanted if name not in instance), None)
        return sign("argument_missing", tool=tool, argument=missing)
    if error.validator == "additionalProperties":
        extra = sorted(set(map(str, instance)) - set(schema.get("properties") or {}))[:1]
        return sign("argument_unknown", tool=tool, argument=extra[0][:80] if extra else None)
    if error.validator == "type":
        expected = wanted if isinstance(wanted, str) else "|".join(sorted(map(str, wanted)))
        got = _json_type(instance)
        return sign("argument_type", tool=tool, argument=argument, expected=expected, got=got)
    return sign("argument_value", tool=tool, argument=argument, constraint=str(error.validator))
