"""Checks a call against the tools of a world and words the refusal as an API would."""

from collections.abc import Callable, Sequence
from typing import Any

import jsonschema
from jsonschema.exceptions import ValidationError, best_match

from tasks.agent.protocols import ActResult, Call, ToolSpec

MAX_MESSAGE = 300

Check = Callable[[Call], ActResult | None]


def make_check(tools: Sequence[ToolSpec]) -> Check:
    """Build a check that gives the refusal of a call, or null when the call may run."""
    validators = {tool.name: jsonschema.Draft202012Validator(tool.parameters) for tool in tools}

    def check(call: Call) -> ActResult | None:
        validator = validators.get(call.tool)
        if validator is None:
            return _refuse(f"tool {_quoted(call.tool)} not found", "unknown_tool")
        try:
            error = best_match(validator.iter_errors(call.arguments))
        except RecursionError:
            return _refuse("arguments: nested too deeply", "schema")
        return None if error is None else _refuse(_describe(error), "schema")

    return check


def _describe(error: ValidationError) -> str:
    place = _place(error.absolute_path)
    if error.validator == "type" and not isinstance(error.instance, (list, dict)):
        message = f"{_quoted(error.instance)} is not of type {error.validator_value!r}"
    else:
        message = error.message
    return f"{place}: {message}" if place else message


def _place(path: Sequence[str | int]) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _quoted(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= MAX_MESSAGE // 2 else text[: MAX_MESSAGE // 2] + "…"


def _refuse(message: str, kind: str) -> ActResult:
    clean = message.encode("utf-8", "replace").decode()
    short = clean if len(clean) <= MAX_MESSAGE else clean[:MAX_MESSAGE] + "…"
    return ActResult(observation=short, is_error=True, error_kind=kind)
