"""AgentBench runs: `runs.jsonl` and `error.jsonl` of an agent on a task (formats.md 2.3).

Which agent and which task it was stands in the path alone: `<agent>/<task>/runs.jsonl`. An index
that was tried again is one run, its last line; a failed try that a finished one followed is
superseded, also across the two files. Turns with which every run of a file begins are the
task's worked example, not the agent's.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tasks.importers.agentbench_actions import RULES, with_written_calls
from tasks.importers.agentbench_verdict import judge
from tasks.importers.chat import read_chat_message
from tasks.importers.container import Element, Outline, every, lines
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import (
    Drafted,
    DraftEpisode,
    DraftMessage,
    Redacts,
    Refusal,
    Source,
    Superseded,
)
from tasks.importers.elements import conversation_key, first_text, read_element
from tasks.importers.names import clean_name
from tasks.importers.reading import (
    JsonObject,
    Unreadable,
    as_content,
    as_list,
    as_name,
    as_object,
    drop_nulls,
    require_object,
)

RUNS = "runs.jsonl"
ERRORS = "error.jsonl"
_LOST = ("arguments_raw", "seed", "tokens", "tools")
_TASK = re.compile(
    r"^(?P<task>os|dbbench|db|alfworld|webshop|ws|kg|knowledgegraph|ltp|m2w|mind2web|cg|card_game"
    r"|medagentbench|avalon)(?:[-_](?P<set>std|dev|new|test|full|train))?(?:[-_](?P<rest>.+))?$",
    re.IGNORECASE,
)
_ALIASES = {"db": "dbbench", "ws": "webshop", "knowledgegraph": "kg", "mind2web": "m2w"}
_ALIASES |= {"card_game": "cg", "os_interaction": "os"}


@dataclass(frozen=True)
class RunPlace:
    """What the path of a file says of its runs."""

    agent: str
    task: str


def read_place(path: Path) -> RunPlace:
    """Agent and task by the two folders above a file, or by a folder that names both."""
    folder = path.absolute().parent
    found = _TASK.match(folder.name)
    if found is None:
        return RunPlace(folder.parent.name, clean_name(folder.name))
    word = found.group("task").lower()
    return RunPlace(found.group("rest") or folder.parent.name, _ALIASES.get(word, word))


@dataclass(frozen=True)
class _Survey:
    """What has to be known of all lines before one is read.

    Attributes:
        last: position of the last line of each index.
        prefix: turns with which all runs begin.
        finished: indices that the sibling `runs.jsonl` holds.
    """

    last: dict[str, int]
    prefix: int
    finished: frozenset[str]


def _history(line: JsonValue) -> list[JsonValue]:
    return as_list(as_object(as_object(line).get("output")).get("history"))


def _index_of(line: JsonValue) -> str | None:
    return as_name(as_object(line).get("index"))


def _survey(source: Source) -> _Survey:
    last: dict[str, int] = {}
    first: list[JsonValue] | None = None
    shared, others = 0, 0
    for element in every(source.path, source.outline):
        name = _index_of(element.value)
        if name is not None:
            last[name] = element.index
        history = _history(element.value)
        if not history:
            continue
        if first is None:
            first, shared = history, len(history)
        elif history != first:
            shared, others = _agreeing(first[:shared], history), others + 1
    prefix = _example_turns(first or [], shared) if others else 0
    return _Survey(last, prefix, _finished_beside(source.path))


def _agreeing(first: list[JsonValue], second: list[JsonValue]) -> int:
    pairs = zip(first, second, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))


def _example_turns(history: list[JsonValue], shared: int) -> int:
    """Turns up to the last shared one of the agent: what follows must be the task's own turn."""
    if shared >= len(history) or as_object(history[shared]).get("role") != "user":
        return 0
    spoken = [at for at in range(shared) if as_object(history[at]).get("role") == "agent"]
    return spoken[-1] + 1 if spoken else 0


def _finished_beside(path: Path) -> frozenset[str]:
    beside = path.parent / RUNS
    if path.name != ERRORS or not beside.is_file():
        return frozenset()
    named = (_index_of(element.value) for element in lines(beside))
    return frozenset(name for name in named if name is not None)


def _read_messages(history: list[JsonValue], survey: _Survey) -> tuple[DraftMessage, ...]:
    turns = [item for item in history if not _is_reward(item)]
    return tuple(
        replace(read_chat_message(drop_nulls(item), at), copied=at < survey.prefix)
        for at, item in enumerate(turns)
    )


def _is_reward(item: JsonValue) -> bool:
    """The newer controller keeps rewards among the turns."""
    members = as_object(item)
    return "reward" in members and "role" not in members


def _read_run(element: Element, source: Source, survey: _Survey) -> DraftEpisode | Superseded:
    line = require_object(element.value, "the line")
    name = _index_of(line)
    is_retried = name is not None and survey.last.get(name) != element.index
    if is_retried or name in survey.finished:
        return Superseded(element.index, element.place)
    place = read_place(source.path)
    if "output" not in line and "error" not in line:
        message = "it holds neither `output` nor `error`"
        raise Unreadable(message)
    messages = with_written_calls(_read_messages(_history(line), survey), place.task)
    if not messages and not line.get("error"):
        message = "it holds neither turns nor an error"
        raise Unreadable(message)
    return _episode(element, line, source, place, messages)


def _episode(
    element: Element,
    line: JsonObject,
    source: Source,
    place: RunPlace,
    messages: tuple[DraftMessage, ...],
) -> DraftEpisode:
    name = _index_of(line)
    is_called = any(message.calls for message in messages) and place.task not in RULES
    task_text = first_text(messages, "user") or ""
    key = conversation_key(name, messages)
    return DraftEpisode(
        index=element.index,
        place=element.place,
        environment=f"agentbench_{place.task}",
        family=place.task,
        native_task=name,
        task_text=task_text,
        task_definition=[place.task, name],
        identity=key if messages else [key, source.name, as_content(line.get("error"))],
        verdict=judge(line, place.task),
        messages=messages,
        model=source.options.model or place.agent or "unknown",
        system_text=first_text(messages, "system"),
        task_prompt=task_text or None,
        lost=_LOST if messages else (*_LOST, "messages"),
        raw=line,
        replaced=element.replaced,
        native_id=name,
        dialect="calls" if is_called else "text",
    )


def _has_marks(value: JsonValue) -> bool:
    line = as_object(value)
    output = as_object(line.get("output"))
    is_run = "index" in line and ("output" in line or "error" in line) and "time" in line
    return is_run or ("index" in line and "history" in output and "status" in output)


class AgentBenchReader:
    """Reads AgentBench's lines of runs and of errors."""

    name = "agentbench"
    describes = "AgentBench runs (`runs.jsonl`, `error.jsonl` below agent and task)"
    spreads: tuple[str, ...] = ()

    def recognises(self, outline: Outline) -> bool:
        """A line with `index`, `output` and `time`."""
        return _has_marks(outline.members) or any(map(_has_marks, outline.samples))

    def read(self, source: Source, redactor: Redacts) -> Iterator[Drafted]:
        """Yield runs and refusals; earlier tries of an index are superseded."""
        survey = _survey(source)
        for element in every(source.path, source.outline):
            yield self._read(element, source, survey, redactor)

    def _read(
        self, element: Element, source: Source, survey: _Survey, redactor: Redacts
    ) -> DraftEpisode | Superseded | Refusal:
        return read_element(element, redactor, lambda e: _read_run(e, source, survey))
