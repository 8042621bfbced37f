"""What a rule may return, checked: kind, fields, types, sizes, known tools."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    JsonValue,
    StrictStr,
    StringConstraints,
    TypeAdapter,
    ValidationError,
)
from pydantic import Field as PydanticField

from .text import JsonObject, is_too_deep, parse_json, without_surrogates
from .values import Call, InterventionKind, RuleLayer

MAX_MESSAGE_CHARS = 4_000

_Message = Annotated[
    StrictStr, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_MESSAGE_CHARS)
]


class _Result(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _CallResult(_Result):
    kind: Literal["rescue", "rewrite", "force"]
    tool: StrictStr
    arguments: dict[str, JsonValue]
    reason: StrictStr = ""


class _MessageResult(_Result):
    kind: Literal["block", "hint"]
    message: _Message


class _StopResult(_Result):
    kind: Literal["stop"]
    message: StrictStr = ""


_ANY: TypeAdapter[_CallResult | _MessageResult | _StopResult] = TypeAdapter(
    Annotated[_CallResult | _MessageResult | _StopResult, PydanticField(discriminator="kind")]
)
_KINDS: dict[RuleLayer, tuple[InterventionKind, ...]] = {
    "actions": ("rescue", "rewrite", "block"),
    "regulation": ("hint", "force", "stop"),
}


@dataclass(frozen=True)
class Proposed:
    """A result that keeps its contract: what one rule wants."""

    rule: str
    kind: InterventionKind
    call: Call | None = None
    message: str = ""


class BadResultError(ValueError):
    """A result that breaks its contract; the message says how."""


def read_result(rule: str, text: str, *, layer: RuleLayer, tools: Collection[str]) -> Proposed:
    """Check one result. Without any known tools every tool name is taken as known.

    Raises:
        BadResultError: the result cannot be used.
    """
    value = _decode(text)
    kind = value.get("kind")
    if kind not in _KINDS[layer]:
        message = f"kind {kind!r} is none of {', '.join(_KINDS[layer])}"
        raise BadResultError(message[:200])
    try:
        read = _ANY.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        key = ".".join(str(part) for part in first["loc"][1:])
        raise BadResultError(f"{key}: {first['msg']}"[:200]) from None
    if not isinstance(read, _CallResult):
        return Proposed(rule, read.kind, message=without_surrogates(read.message))
    if tools and read.tool not in tools:
        message = f"tool {read.tool!r} is not known"
        raise BadResultError(message[:200])
    return Proposed(rule, read.kind, Call(read.tool, read.arguments), read.reason)


def _decode(text: str) -> JsonObject:
    try:
        value: JsonValue = parse_json(text)
    except (ValueError, RecursionError) as error:
        message = f"the result is no JSON: {error}"
        raise BadResultError(message[:200]) from None
    if not isinstance(value, dict):
        message = f"the result is {type(value).__name__}, expected an object or None"
        raise BadResultError(message)
    if is_too_deep(value):
        message = "the result is nested too deeply"
        raise BadResultError(message)
    return value
