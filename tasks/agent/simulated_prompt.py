"""Takes a prompt apart for a simulated model: which texts stand where, what has been loaded.

The environment's own words (system prompt, task, tool descriptions) are left out: whatever they
do to the model is already part of its fault rates.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from tasks.agent.protocols import Call, Environment, JsonObject, Task
from tasks.agent.simulated_world import Source

LOAD_TOOL = "load_skill"
CHARS_PER_TOKEN = 4
MAX_READ_CHARS = 60_000
_ENTRY = re.compile(
    r"^\s*[-*]\s*[`*]{0,2}([a-z0-9][a-z0-9-]{0,63})[`*]{0,2}\s*(?::|-|\u2013|\u2014)\s*(.+)$"
)

Message = Mapping[str, Any]


@dataclass(frozen=True)
class Shown:
    """What a model is shown.

    Attributes:
        texts: texts with where they stand, in the order they are read.
        turns: replies the model has given.
        tokens: estimate of the prompt's length.
        catalogue: skills that can be loaded, with their descriptions.
        loaded: skills that have been loaded.
        last_call: last call the model wrote, skills aside; null when there is none.
    """

    texts: tuple[tuple[Source, str], ...]
    turns: int
    tokens: int
    catalogue: tuple[tuple[str, str], ...] = ()
    loaded: frozenset[str] = frozenset()
    last_call: Call | None = None

    def newest(self) -> str:
        """What the model reads last: what came in since its last reply, or what opened the talk."""
        wanted = ("recent",) if self.turns else ("recent", "skill")
        return "\n".join(text for source, text in self.texts if source in wanted)


@dataclass(frozen=True)
class ToolsShown:
    """What the tool definitions of a prompt say; they rarely change, so they are read once.

    Attributes:
        texts: what is added to the environment's own descriptions, behind the tool's name.
        chars: length of all definitions.
        loadable: skills the load tool takes.
    """

    texts: tuple[str, ...]
    chars: int
    loadable: tuple[str, ...]


def read_tools(tools: Sequence[Message], environment: Environment) -> ToolsShown:
    """Read tool definitions."""
    return ToolsShown(
        texts=tuple(_tool_texts(tools, environment)),
        chars=sum(len(text) for tool in tools for text in _strings(tool)),
        loadable=tuple(name for tool in tools for name in _loadable(tool)),
    )


class PromptReader:
    """Sorts the texts of the prompts of one episode; a prompt that goes on is read from there."""

    def __init__(self, environment: Environment, task: Task, opening: str = "") -> None:
        self._own = environment.system_prompt
        self._given = (task.text, opening)
        self._read: list[Message] = []
        self._forget()

    def _forget(self) -> None:
        self._read.clear()
        self._turns = 0
        self._chars = 0
        self._system: list[str] = []
        self._user: list[tuple[Source, str]] = []
        self._skills: list[tuple[Source, str]] = []
        self._tail: list[tuple[Source, str]] = []
        self._loads: dict[str, str] = {}
        self._last: tuple[str, str] | None = None

    def read(self, messages: Sequence[Message], tools: ToolsShown) -> Shown:
        """What a model is shown by these messages and tools."""
        known = len(self._read)
        if list(messages[:known]) != self._read:
            self._forget()
            known = 0
        for message in messages[known:]:
            self._take(message)
            self._read.append(message)
        texts = [
            *_at("system", [text.replace(self._own, "", 1) for text in self._system]),
            *_at("tools", tools.texts),
            *self._user,
            *self._skills,
            *(self._tail if self._turns else ()),
        ]
        return Shown(
            texts=tuple((source, text[:MAX_READ_CHARS]) for source, text in texts if text.strip()),
            turns=self._turns,
            tokens=(self._chars + tools.chars) // CHARS_PER_TOKEN,
            catalogue=_catalogue(self._system, tools.loadable),
            loaded=frozenset(self._loads.values()),
            last_call=Call(self._last[0], _object(self._last[1])) if self._last else None,
        )

    def _take(self, message: Message) -> None:
        role, text = message.get("role"), _content(message)
        self._chars += len(text)
        if role == "assistant":
            self._turns += 1
            self._tail.clear()
            self._take_calls(message)
            return
        if role == "system":
            self._system.append(text)
        if role == "user" and not self._turns:
            self._user.append(("recent" if self._user else "skill", self._without_given(text)))
        if _answered(message) in self._loads:
            self._skills.append(("skill", text))
        else:
            self._tail.append(("recent", text))

    def _take_calls(self, message: Message) -> None:
        calls = _written(message)
        self._chars += sum(len(part) for call in calls for part in call)
        for identity, name, arguments in calls:
            if name == LOAD_TOOL and identity:
                self._loads[identity] = str(_object(arguments).get("name", ""))
        made = [(name, arguments) for _, name, arguments in calls if name != LOAD_TOOL]
        self._last = made[0] if made else self._last

    def _without_given(self, text: str) -> str:
        for given in self._given:
            text = text.replace(given, "", 1) if given else text
        return text


def _at(source: Source, texts: Iterable[str]) -> list[tuple[Source, str]]:
    return [(source, text) for text in texts]


def _content(message: Message) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = cast("list[Any]", content)
        return "\n".join(str(part["text"]) for part in parts if _has_text(part))
    return ""


def _has_text(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(cast("JsonObject", part).get("text"), str)


def _answered(message: Message) -> str:
    return str(message.get("tool_call_id") or "") if message.get("role") == "tool" else ""


def _written(message: Message) -> list[tuple[str, str, str]]:
    """Id, name and argument text of the calls of a message."""
    calls = cast("list[JsonObject]", message.get("tool_calls") or [])
    written: list[tuple[str, str, str]] = []
    for call in calls:
        function = cast("JsonObject", call.get("function") or {})
        arguments = str(function.get("arguments") or "")
        written.append((str(call.get("id") or ""), str(function.get("name") or ""), arguments))
    return written


def _object(text: str) -> JsonObject:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def _tool_texts(tools: Sequence[Message], environment: Environment) -> Iterable[str]:
    own = {text for tool in environment.tools for text in _descriptions(tool.as_openai())}
    for tool in tools:
        for text in _descriptions(tool):
            added = text
            for known in own:
                added = added.replace(known, "", 1) if added.startswith(known) else added
            if added.strip():
                name = cast("JsonObject", tool.get("function") or {}).get("name", "")
                yield f"{name}: {added.strip()}"


def _descriptions(value: Any) -> Iterable[str]:
    if isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _descriptions(item)
    if isinstance(value, Mapping):
        for key, item in cast("Mapping[str, Any]", value).items():
            if key == "description" and isinstance(item, str):
                yield item
            yield from _descriptions(item)


def _catalogue(system: Sequence[str], names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Skills that can be loaded, with the lines of the system message that describe them."""
    lines = [line for text in system for line in text.splitlines()] if names else []
    matches = [match for line in lines if (match := _ENTRY.match(line))]
    described = {match.group(1): match.group(2) for match in matches}
    return tuple((name, described.get(name, "")) for name in names)


def _loadable(tool: Message) -> list[str]:
    function = cast("JsonObject", tool.get("function") or {})
    if function.get("name") != LOAD_TOOL:
        return []
    parameters = cast("JsonObject", function.get("parameters") or {})
    properties = cast("JsonObject", parameters.get("properties") or {})
    schema = cast("JsonObject", properties.get("name") or {})
    return [str(name) for name in cast("list[Any]", schema.get("enum") or [])]


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _strings(item)
    elif isinstance(value, Mapping):
        for key, item in cast("Mapping[str, Any]", value).items():
            yield key
            yield from _strings(item)
