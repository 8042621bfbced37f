"""What a tool asks of a call, as flat paths, and the hashes by which a change is noticed."""

from collections.abc import Iterator, Mapping
from typing import Any

from schemas.evidence import ParameterOutline, ToolSeal
from schemas.ids import canonical_json, sha256_hex
from schemas.text import clean_text
from tasks.toolset.definitions import ToolDefinition

MAX_DEPTH = 8
MAX_CHOICES = 50
MAX_PARAMETERS = 300


def seal(tool: ToolDefinition) -> ToolSeal:
    """The tool as it goes into an evidence card."""
    return ToolSeal(
        parameters_sha256=sha256_hex(canonical_json(tool.parameters)),
        description_sha256=sha256_hex(clean_text(tool.description).strip()),
        parameters=outline(tool.parameters),
    )


def outline(schema: Mapping[str, Any]) -> dict[str, ParameterOutline]:
    """Parameters by path, sorted; `a.b` is inside an object, `a[]` an item of a list.

    References inside the schema are followed. What lies deeper than eight levels, or beyond 300
    parameters, is left to the hash.
    """
    found: dict[str, ParameterOutline] = {}
    for path, parameter in _walk(schema, schema, "", MAX_DEPTH):
        if len(found) >= MAX_PARAMETERS:
            break
        found.setdefault(path, parameter)
    return dict(sorted(found.items()))


def _walk(
    schema: Mapping[str, Any], root: Mapping[str, Any], prefix: str, depth: int
) -> Iterator[tuple[str, ParameterOutline]]:
    if not depth:
        return
    required = _list(schema.get("required"))
    properties = schema.get("properties")
    for name, value in properties.items() if isinstance(properties, Mapping) else ():
        inner = _resolve(value, root)
        path = f"{prefix}{name}"
        yield path, _parameter(inner, is_required=name in required)
        yield from _walk(inner, root, f"{path}.", depth - 1)
        items = _resolve(inner.get("items"), root)
        if items:
            yield f"{path}[]", _parameter(items, is_required=False)
            yield from _walk(items, root, f"{path}[].", depth - 1)


def _resolve(schema: object, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema, or what it refers to in the same document."""
    for _ in range(MAX_DEPTH):
        if not isinstance(schema, Mapping):
            return {}
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return schema
        target: object = root
        for step in reference[2:].split("/"):
            target = target.get(step) if isinstance(target, Mapping) else None
        schema = target
    return {}


def _parameter(schema: Mapping[str, Any], *, is_required: bool) -> ParameterOutline:
    return ParameterOutline(
        types=tuple(sorted(_types(schema))), required=is_required, choices=_choices(schema)
    )


def _types(schema: Mapping[str, Any]) -> set[str]:
    declared = schema.get("type")
    named = {declared} if isinstance(declared, str) else {str(one) for one in _list(declared)}
    for key in ("anyOf", "oneOf"):
        for one in _list(schema.get(key)):
            named |= _types(one) if isinstance(one, Mapping) else set()
    return named


def _choices(schema: Mapping[str, Any]) -> tuple[str, ...] | None:
    values = schema.get("enum")
    if "const" in schema:
        values = [schema["const"]]
    if not isinstance(values, list) or len(values) > MAX_CHOICES:
        return None
    return tuple(sorted(canonical_json(value) for value in values))


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
