"""JSON Schemas of an OpenAPI document as plain JSON Schema: references put in, dialect undone."""

from collections.abc import Mapping
from typing import Any

from schemas.errors import ConfigError
from tasks.agent.protocols import JsonObject

MOST_DEPTH = 24
_ELSEWHERE = frozenset({"example", "externalDocs", "xml", "discriminator", "deprecated"})
"""Members that say nothing about which values are valid."""
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLE = ("items", "additionalProperties", "not")


class Resolver:
    """Follows the references of one document."""

    def __init__(self, document: JsonObject, name: str) -> None:
        self.document, self.name = document, name

    def follow(self, value: Any) -> JsonObject:
        """What a reference of a document stands for, references to references included.

        Raises:
            ConfigError: it leads out of the document or nowhere.
        """
        seen: set[str] = set()
        while isinstance(value, dict) and isinstance(value.get("$ref"), str):
            place: str = value["$ref"]
            if place in seen:
                return {}
            seen.add(place)
            value = self._at(place)
        return value if isinstance(value, dict) else {}

    def _at(self, place: str) -> object:
        if not place.startswith("#/"):
            what = f"{self.name}: the reference {place[:100]!r} leads out of the document"
            raise ConfigError(what, hint="put the referenced part into the document")
        found: object = self.document
        for part in place[2:].split("/"):
            key = part.replace("~1", "/").replace("~0", "~")
            found = found.get(key) if isinstance(found, Mapping) else None
        if found is None:
            what = f"{self.name}: the reference {place[:100]!r} leads nowhere"
            raise ConfigError(what, hint="mend the document")
        return found

    def plain(self, schema: Any, inside: tuple[str, ...] = ()) -> JsonObject:
        """A schema without references; one that holds itself stands for anything there."""
        if not isinstance(schema, dict) or len(inside) > MOST_DEPTH:
            return {}
        place = schema.get("$ref")
        if isinstance(place, str):
            if place in inside:
                return {}
            beside = {key: item for key, item in schema.items() if key != "$ref"}
            return self.plain({**self.follow(schema), **beside}, (*inside, place))
        kept = {key: item for key, item in schema.items() if key not in _ELSEWHERE}
        kept = {key: item for key, item in kept.items() if not key.startswith("x-")}
        return _without_dialect(self._inner(kept, (*inside, "")))

    def _inner(self, schema: JsonObject, inside: tuple[str, ...]) -> JsonObject:
        properties = schema.get("properties")
        if isinstance(properties, dict):
            schema["properties"] = {
                name: self.plain(item, inside)
                for name, item in properties.items()
                if not self.follow(item).get("readOnly")
            }
            schema = _only_known_required(schema, properties)
        for key in _LISTS:
            if isinstance(schema.get(key), list):
                schema[key] = [self.plain(item, inside) for item in schema[key]]
        for key in _SINGLE:
            if isinstance(schema.get(key), dict):
                schema[key] = self.plain(schema[key], inside)
        return schema


def _only_known_required(schema: JsonObject, before: Mapping[str, Any]) -> JsonObject:
    """A value that the service makes itself is no longer required of the agent."""
    required = schema.get("required")
    if not isinstance(required, list):
        return schema
    gone = before.keys() - schema["properties"].keys()
    return {**schema, "required": [name for name in required if name not in gone]}


def _without_dialect(schema: JsonObject) -> JsonObject:
    """What OpenAPI 3.0 writes otherwise than JSON Schema."""
    is_nullable = schema.pop("nullable", None) is True
    for bound, other in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(schema.get(bound), bool):
            is_open = schema.pop(bound)
            if is_open and other in schema:
                schema[bound] = schema.pop(other)
    if is_nullable and isinstance(schema.get("type"), str):
        schema["type"] = [schema["type"], "null"]
        if isinstance(schema.get("enum"), list) and None not in schema["enum"]:
            schema["enum"] = [*schema["enum"], None]
    return schema
