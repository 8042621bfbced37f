"""Signs of a call or an answer that the model wrote as text instead of calling a tool.

Text alone is never a sign. What counts: a known tool name used like a call, JSON that names a
known tool or carries exactly its arguments, SQL at the start of a line where a tool takes SQL, a
command of the environment, an answer pattern where a tool takes the answer. A quoted example of
a call is not an intended one.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tasks.agent.commands import NEAR, plain_command, similarity, verb_of
from tasks.annotator.canonical import TEXT_CAP
from tasks.annotator.profile import EnvironmentProfile

_JSON_CAP = 20_000
_MOST_OBJECTS = 40
_FENCE_LINE = re.compile(r"^[ \t]{0,12}```([A-Za-z0-9_+-]{0,20})[^\n`]{0,40}$", re.M)
_SQL_LINE = re.compile(
    r"^[ \t>*`-]{0,8}(?:(?:sql|query|statement|action)\s?:[ \t]{0,4})?`{0,3}"
    r"(select\s.{0,2000}?\bfrom\b|insert\s+into\b|update\s.{1,200}?\bset\b|delete\s+from\b|"
    r"with\s+\w{1,64}\s+as\s*\(|create\s+table\b|alter\s+table\b|drop\s+table\b)",
    re.I | re.M | re.S,
)
_SQL_WORD = re.compile(r"select|insert|update|delete|with|create|alter|drop", re.I)
_ANSWER = re.compile(
    r"\b(?:final answer|the answer|my answer|answer)\b[ \t*_\"']{0,4}(?::|=|\bis\b|\bare\b)", re.I
)
_EXAMPLE = re.compile(r"example|e\.g\.|for instance|such as|like this|looks like|format|documented")
_NAME_KEYS = ("name", "tool", "tool_name", "function", "action", "recipient_name")
_ARGUMENT_KEYS = ("arguments", "args", "parameters", "input", "action_input", "kwargs")
_SQL_LANGUAGES = frozenset({"", "sql", "sqlite", "mysql", "postgresql"})
PAYLOAD_FORMS = frozenset({"sql", "fenced_sql", "fenced_shell", "code"})
"""Forms that show what was to be run without naming the tool."""
_SHELL_LANGUAGES = frozenset({"bash", "sh", "shell", "console", "zsh"})
_REACT = re.compile(
    r"^[ \t*]{0,4}(?:action|tool|call|function)[ \t*]{0,4}:[ \t*`]{0,4}(\w{1,80})", re.I | re.M
)


@dataclass(frozen=True)
class Intended:
    """A call or answer found in text.

    Attributes:
        form: how it was written, such as `fenced_json`, `sql`, `function`, `answer`.
        tool: tool it was meant for; None when several could be.
        text: the words that show it.
    """

    kind: str
    form: str
    tool: str | None
    text: str
    argument: str | None = None


@dataclass(frozen=True)
class Block:
    """A fenced part of a text."""

    language: str
    body: str
    start: int


def blocks_of(text: str) -> list[Block]:
    """Fenced parts of a text, in order; an unclosed fence runs to the end."""
    marks = list(islice(_FENCE_LINE.finditer(text), 2 * _MOST_OBJECTS))
    found: list[Block] = []
    for first, second in zip(marks[::2], [*marks[1::2], None], strict=False):
        end = second.start() if second else len(text)
        body = text[first.end() : end].strip()
        found.append(Block(first.group(1).lower(), body, first.start()))
    return found


def _is_example(text: str, start: int) -> bool:
    """Whether what stands at `start` is quoted or announced as an example."""
    before = text[max(0, start - 160) : start]
    line = before[before.rfind("\n") + 1 :]
    if line.lstrip().startswith(">"):
        return True
    tail = before.rstrip().lower()
    sentence = re.split(r"[.!?]\s|\n\s*\n", tail)[-1]
    return _EXAMPLE.search(sentence) is not None


def _objects(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """JSON objects in a text; bounded in number and length."""
    decoder = json.JSONDecoder()
    position, tried = text.find("{"), 0
    while position >= 0 and tried < _MOST_OBJECTS:
        tried += 1
        end = position + 1
        try:
            value, length = decoder.raw_decode(text[position : position + _JSON_CAP])
            end = position + length
            if isinstance(value, dict):
                yield position, value
        except (ValueError, RecursionError):
            pass
        position = text.find("{", end)


def _named_tool(value: dict[str, Any], profile: EnvironmentProfile) -> str | None:
    names = profile.tool_names
    for key in _NAME_KEYS:
        found = value.get(key)
        if isinstance(found, dict):
            found = found.get("name")
        if isinstance(found, str) and found.removeprefix("functions.") in names:
            return found.removeprefix("functions.")
    for key in value:
        if key in names and isinstance(value[key], dict | list):
            return key
    return None


def _fitting_tool(value: dict[str, Any], profile: EnvironmentProfile) -> str | None:
    """The only tool whose arguments the object carries, all required ones among them."""
    fitting: list[str] = []
    for name in sorted(profile.tool_names):
        schema = profile.parameters(name) or {}
        properties, required = schema.get("properties") or {}, schema.get("required") or []
        if value and set(value) <= set(properties) and required and set(required) <= set(value):
            fitting.append(name)
    return fitting[0] if len(fitting) == 1 else None


def _json_call(text: str, profile: EnvironmentProfile) -> Intended | None:
    fences = [(block.start, block.start + len(block.body) + 30) for block in blocks_of(text)]
    for start, value in _objects(text):
        tool = _named_tool(value, profile) or _fitting_tool(value, profile)
        if tool is None or _is_example(text, _fence_start(start, fences)):
            continue
        is_fenced = any(low <= start <= high for low, high in fences)
        return Intended("call_in_text", "fenced_json" if is_fenced else "json", tool, text[start:])
    return None


def _fence_start(start: int, fences: list[tuple[int, int]]) -> int:
    return next((low for low, high in fences if low <= start <= high), start)


def _function_call(text: str, profile: EnvironmentProfile) -> Intended | None:
    best: tuple[int, str, str] | None = None
    for name in sorted(profile.tool_names):
        for opening, form in (("(", "function"), ("[", "bracket")):
            start = text.find(name + opening)
            is_word = start >= 0 and not (start and (text[start - 1].isalnum()))
            if is_word and not _is_example(text, start) and (best is None or start < best[0]):
                best = (start, name, form)
    if best is None:
        return None
    return Intended("call_in_text", best[2], best[1], text[best[0] :])


def _react_call(text: str, profile: EnvironmentProfile) -> Intended | None:
    for match in _REACT.finditer(text):
        if match.group(1) in profile.tool_names and not _is_example(text, match.start()):
            return Intended("call_in_text", "react", match.group(1), text[match.start() :])
    return None


def _sql(text: str, profile: EnvironmentProfile) -> Intended | None:
    tools = sorted(profile.sql_arguments)
    if not tools:
        return None
    tool = tools[0] if len(tools) == 1 else None
    for block in blocks_of(text):
        is_sql = _SQL_WORD.match(block.body) is not None and block.language in _SQL_LANGUAGES
        if is_sql and not _is_example(text, block.start):
            return Intended("call_in_text", "fenced_sql", tool, block.body)
    match = _SQL_LINE.search(text)
    if match and not _is_example(text, match.start()):
        return Intended("call_in_text", "sql", tool, text[match.start() :])
    return None


def _shell(text: str, profile: EnvironmentProfile) -> Intended | None:
    tools = [
        name
        for name in sorted(profile.tool_names)
        if {"command", "cmd", "script", "code", "keystrokes"}
        & set((profile.parameters(name) or {}).get("properties") or {})
    ]
    for block in blocks_of(text):
        if tools and block.language in _SHELL_LANGUAGES and not _is_example(text, block.start):
            tool = tools[0] if len(tools) == 1 else None
            return Intended("call_in_text", "fenced_shell", tool, block.body)
    return None


def _command(
    text: str, profile: EnvironmentProfile, admissible: tuple[str, ...] | None
) -> Intended | None:
    if not admissible or len(profile.command_arguments) != 1:
        return None
    tool, argument = next(iter(profile.command_arguments.items()))
    commands = {plain_command(command) for command in admissible}
    verbs = {command.split(" ")[0] for command in commands if command}
    for line in text.splitlines()[:200]:
        said = plain_command(_LABEL.sub("", line[:400]))
        if said in commands:
            return Intended("command_in_text", "line", tool, line, argument)
        longest = max((c for c in commands if len(c) > 4 and c in said), key=len, default=None)
        if longest is not None and " " in longest:
            return Intended("command_in_text", "sentence", tool, line, argument)
        if said.split(" ")[0] in verbs and _is_near(said, commands):
            return Intended("command_in_text", "near_line", tool, line, argument)
    return None


def _is_near(said: str, commands: Iterable[str]) -> bool:
    """Whether a line reads like a command of its verb, and not like a sentence."""
    same = [one for one in commands if verb_of(one) == verb_of(said)]
    return any(similarity(said, one) >= NEAR for one in same)


def answer_tools(profile: EnvironmentProfile) -> list[str]:
    """Terminal tools that take an answer; handing over is none."""
    return [
        name
        for name in sorted(profile.terminal_tools - profile.handover_tools)
        if ((profile.parameters(name) or {}).get("properties") or {}) or not profile.tools
    ]


def _answer(text: str, profile: EnvironmentProfile) -> Intended | None:
    tools = answer_tools(profile)
    match = _ANSWER.search(text)
    if not tools or match is None:
        return None
    tool = tools[0] if len(tools) == 1 else None
    return Intended("answer_in_text", "answer", tool, text[match.start() :])


_LABEL = re.compile(r"^\W{0,4}(?:action|command|act)\W{0,3}:", re.I)
_BRACES = re.compile(r"<(?:tool_call|function_call|function|invoke)\b", re.I)


def _tagged(text: str, profile: EnvironmentProfile) -> Intended | None:
    match = _BRACES.search(text)
    if match is None or _is_example(text, match.start()):
        return None
    after = text[match.start() : match.start() + 400]
    named = [name for name in sorted(profile.tool_names) if name in after]
    return Intended("call_in_text", "tag", named[0] if named else None, after)


def find_intended(
    text: str, profile: EnvironmentProfile, admissible: tuple[str, ...] | None = None
) -> Intended | None:
    """Find a call or answer the text shows; None when it shows none."""
    text = text[:TEXT_CAP]
    if not text.strip():
        return None
    for find in (_tagged, _json_call, _function_call, _react_call, _sql, _shell):
        found = find(text, profile)
        if found is not None:
            return found
    return _command(text, profile, admissible) or _answer(text, profile) or _speech(text, profile)


def _speech(text: str, profile: EnvironmentProfile) -> Intended | None:
    """What is said where users hear only what a tool tells them."""
    if len(profile.talk_tools) != 1:
        return None
    tool = next(iter(profile.talk_tools))
    names = list((profile.parameters(tool) or {}).get("properties") or {})
    argument = names[0] if len(names) == 1 else None
    return Intended("speech_in_text", "speech", tool, text, argument)
