"""Tools from an OpenAPI 3 document: one for each operation, parameters and JSON body as schema."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import yaml

from schemas.errors import ConfigError
from schemas.text import clean_text
from tasks.agent.protocols import JsonObject, ToolSpec
from tasks.environments.declared.openapi_schema import Resolver

METHODS = ("get", "put", "post", "delete", "options", "head", "patch")
SAFE = frozenset({"get", "head", "options"})
MOST_BYTES = 32 * 1024 * 1024
DESCRIPTION = 1000
BODY = "body"
_NOT_A_NAME = re.compile(r"[^A-Za-z0-9_-]+")
_OWN_HEADERS = frozenset({"accept", "content-type", "authorization"})
"""Header parameters that a document may not describe, by the standard itself."""

Place = Literal["path", "query", "header", "body"]


@dataclass(frozen=True)
class Argument:
    """Where an argument of a tool goes in the request."""

    place: Place
    name: str
    is_joined: bool = False
    """Whether a list is sent as one value with commas."""


@dataclass(frozen=True)
class Operation:
    """A tool and the request it stands for."""

    tool: ToolSpec
    method: str
    path: str
    arguments: Mapping[str, Argument]
    is_body_whole: bool = False
    """Whether the argument `body` is the body, rather than a member of it."""

    @property
    def is_write(self) -> bool:
        """Whether its method may change something."""
        return self.method not in SAFE


@dataclass
class Document:
    """What was read: operations, the address it names, and operations that cannot be tools."""

    operations: tuple[Operation, ...]
    server: str = ""
    title: str = ""
    left_out: dict[str, str] = field(default_factory=dict[str, str])


def read_openapi(path: Path) -> Document:
    """Read a document in JSON or YAML.

    Raises:
        ConfigError: it cannot be read, is no OpenAPI 3, or has no operation.
    """
    raw = _load(path)
    if not str(raw.get("openapi", "")).startswith("3."):
        what = f"{path} is no OpenAPI 3 document"
        raise ConfigError(what, hint="`openapi` must be 3.x; convert older documents first")
    document = _Reader(raw, str(path)).read()
    if not document.operations:
        reasons = "; ".join(f"{name}: {why}" for name, why in document.left_out.items())
        what = f"{path} has no operation that can be a tool{f': {reasons}' if reasons else ''}"
        raise ConfigError(what, hint="it needs `paths` with JSON operations")
    return document


def _load(path: Path) -> JsonObject:
    try:
        if path.stat().st_size > MOST_BYTES:
            what = f"{path} is longer than {MOST_BYTES} bytes"
            raise ConfigError(what, hint="leave out what the world does not need")
        text = path.read_text(encoding="utf-8")
        value = json.loads(text) if text.lstrip().startswith("{") else yaml.safe_load(text)
    except OSError as error:
        what = f"{path} cannot be read: {error.strerror}"
        raise ConfigError(what, hint="name an OpenAPI 3 document") from error
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        what = f"{path} is neither JSON nor YAML: {' '.join(str(error).split())[:200]}"
        raise ConfigError(what, hint="name an OpenAPI 3 document") from None
    return value if isinstance(value, dict) else {}


class _Reader:
    def __init__(self, raw: JsonObject, name: str) -> None:
        self.raw, self.name = raw, name
        self.resolver = Resolver(raw, name)
        self.left_out: dict[str, str] = {}

    def read(self) -> Document:
        found: dict[str, Operation] = {}
        paths = self.raw.get("paths")
        for path, item in (paths if isinstance(paths, dict) else {}).items():
            members = self.resolver.follow(item)
            for method in METHODS:
                if isinstance(members.get(method), dict):
                    self._take(found, str(path), method, members)
        info, servers = self.raw.get("info"), self.raw.get("servers")
        first = servers[0] if isinstance(servers, list) and servers else {}
        return Document(
            tuple(found.values()),
            server=str(first.get("url", "")) if isinstance(first, dict) else "",
            title=str(info.get("title", "")) if isinstance(info, dict) else "",
            left_out=self.left_out,
        )

    def _take(
        self, found: dict[str, Operation], path: str, method: str, members: JsonObject
    ) -> None:
        raw: JsonObject = members[method]
        name = _name(raw.get("operationId") or f"{method}_{path}")
        if name in found:
            what = f"{self.name}: two operations are called {name!r}"
            raise ConfigError(what, hint="give each an `operationId` of its own")
        made = self._operation(name, path, method, members)
        if isinstance(made, str):
            self.left_out[name] = made
        else:
            found[name] = made

    def _operation(
        self, name: str, path: str, method: str, members: JsonObject
    ) -> "Operation | str":
        """The operation, or why it cannot be a tool."""
        raw: JsonObject = members[method]
        draft = _Draft()
        for one in _merged(self.resolver, members.get("parameters"), raw.get("parameters")):
            if why := self._add_parameter(draft, one):
                return why
        body = self.resolver.follow(raw.get("requestBody"))
        is_whole = False
        if body:
            schema = _json_schema_of(body)
            if schema is None:
                return "its body is not JSON"
            is_whole = _add_body(
                draft, self.resolver.plain(schema), is_required=body.get("required") is True
            )
        parts = (str(raw.get(key) or "").strip() for key in ("summary", "description"))
        said = clean_text("\n".join(part for part in parts if part))[:DESCRIPTION]
        tool = ToolSpec(name, said or f"{method.upper()} {path}", draft.schema)
        return Operation(tool, method, path, draft.arguments, is_whole)

    def _add_parameter(self, draft: "_Draft", one: JsonObject) -> str:
        place, name = one.get("in"), str(one.get("name", ""))
        if place == "header" and name.lower() in _OWN_HEADERS:
            return ""
        if place not in ("path", "query", "header"):
            return f"it needs the {place} {name!r}" if one.get("required") else ""
        schema = self.resolver.plain(one.get("schema") or _json_schema_of(one) or {})
        if one.get("description") and "description" not in schema:
            schema["description"] = clean_text(str(one["description"]))[:DESCRIPTION]
        argument = Argument(place, name, is_joined=one.get("explode") is False)
        draft.add(_name(name), argument, schema, is_required=bool(one.get("required")))
        return ""


_COMPOSED = frozenset({"allOf", "anyOf", "oneOf", "not"})


class _Draft:
    def __init__(self) -> None:
        self.arguments: dict[str, Argument] = {}
        self.properties: JsonObject = {}
        self.required: list[str] = []

    def add(self, name: str, argument: Argument, schema: JsonObject, *, is_required: bool) -> None:
        self.arguments[name] = argument
        self.properties[name] = schema
        if is_required:
            self.required.append(name)

    @property
    def schema(self) -> JsonObject:
        return {
            "type": "object",
            "properties": self.properties,
            "required": self.required,
            "additionalProperties": False,
        }


def _merged(resolver: Resolver, *lists: Any) -> list[JsonObject]:
    """Parameters of path and operation; those of the operation win."""
    found: dict[tuple[str, str], JsonObject] = {}
    for items in lists:
        for item in items if isinstance(items, list) else ():
            one = resolver.follow(item)
            found[str(one.get("in")), str(one.get("name"))] = one
    return list(found.values())


def _json_schema_of(holder: JsonObject) -> JsonObject | None:
    content = holder.get("content")
    for kind, media in (content if isinstance(content, dict) else {}).items():
        if "json" in str(kind) and isinstance(media, dict):
            schema = media.get("schema")
            return schema if isinstance(schema, dict) else {}
    return None


def _name(text: object) -> str:
    return _NOT_A_NAME.sub("_", str(text)).strip("_")[:64] or "operation"


def _add_body(draft: _Draft, schema: JsonObject, *, is_required: bool) -> bool:
    """Put the members of an object beside the parameters; anything else is the argument `body`.

    Gives whether it is. Members that would hide a parameter keep together as well.
    """
    members = schema.get("properties")
    if (
        not isinstance(members, dict)
        or _COMPOSED & schema.keys()
        or members.keys() & draft.arguments.keys()
        or not all(_name(name) == name for name in members)
    ):
        draft.add(BODY, Argument("body", BODY), schema, is_required=is_required)
        return True
    required = set(schema.get("required") or ()) if is_required else set[str]()
    for name, inner in members.items():
        draft.add(name, Argument("body", name), inner, is_required=name in required)
    return False
