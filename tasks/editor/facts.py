"""What tools, successes and errors of a brief show; every generator starts from here."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tasks.agent.protocols import JsonObject
from tasks.editor.probe import Probe, Stage, ask_runs
from tasks.editor.protocols import Brief
from tasks.editor.reading import Move, Run, read_run
from tasks.editor.rule_text import Rule
from tasks.editor.story import Story, read_story

MIN_SUCCESSES = 3
"""Fewer successes than this prove no regularity."""


@dataclass(frozen=True)
class ToolFact:
    """A tool as its schema describes it, or as successful calls show it."""

    name: str
    properties: dict[str, JsonObject]
    required: tuple[str, ...]

    @property
    def sole_argument(self) -> str | None:
        """The only argument a call needs; null when there are several or none."""
        needed = self.required or tuple(self.properties)
        return needed[0] if len(needed) == 1 else None

    def kind(self, argument: str) -> str:
        """JSON type of an argument; empty when the schema does not say."""
        found = self.properties.get(argument, {}).get("type")
        return found if isinstance(found, str) else ""

    @property
    def text_argument(self) -> str | None:
        """The only argument, when it is a text."""
        sole = self.sole_argument
        return sole if sole and self.kind(sole) == "string" else None


@dataclass(frozen=True)
class Facts:
    """The mined view of a brief; runs are sorted by id so that equal briefs give equal edits."""

    brief: Brief
    tools: dict[str, ToolFact]
    runs: tuple[Run, ...]
    _stories: dict[str, Story] = field(default_factory=dict[str, Story], compare=False, repr=False)
    _probes: dict[str, Probe] = field(default_factory=dict[str, Probe], compare=False, repr=False)

    def probe(self, rule: Rule, parameters: Mapping[str, Any], stage: Stage) -> Probe:
        """Where a rule would act in the runs; asked once, however many targets it answers."""
        key = f"{rule.__name__} {stage} {sorted(parameters.items())!r}"
        if key not in self._probes:
            self._probes[key] = ask_runs(rule, parameters, stage, self.runs, self._story)
        return self._probes[key]

    def _story(self, run: Run) -> Story:
        if run.run_id not in self._stories:
            story = read_story(run.episode, self.brief.harness, self.brief.tools)
            self._stories[run.run_id] = story
        return self._stories[run.run_id]

    @cached_property
    def by_id(self) -> dict[str, Run]:
        """Runs by trajectory id."""
        return {run.run_id: run for run in self.runs}

    @cached_property
    def successes(self) -> tuple[Run, ...]:
        """Runs that the checker passed."""
        return tuple(run for run in self.runs if run.episode.is_success)

    @cached_property
    def failures(self) -> tuple[Run, ...]:
        """Runs that the checker failed."""
        return tuple(run for run in self.runs if run.episode.is_failure)

    @cached_property
    def final_tool(self) -> str | None:
        """The tool that every success calls last and that is not simply the only tool."""
        last = Counter(run.good_calls[-1].tool for run in self.successes if run.good_calls)
        total = sum(last.values())
        if total < MIN_SUCCESSES or len(self.tools) < 2:
            return None
        tool, count = min(last.items(), key=lambda item: (-item[1], item[0]))
        return tool if count >= 0.95 * total and self._is_rare_elsewhere(tool) else None

    def _is_rare_elsewhere(self, tool: str) -> bool:
        uses = [sum(move.tool == tool for move in run.calls) for run in self.successes]
        return sum(count <= 2 for count in uses) >= 0.8 * len(uses)

    @cached_property
    def command_slot(self) -> tuple[str, str] | None:
        """Tool and argument that take an admissible command; null in worlds without a list.

        Before any command has worked it is the only text argument that is declared, if there is
        one only.
        """
        slots: Counter[tuple[str, str]] = Counter()
        for run in self.runs:
            for move in run.good_calls:
                for argument, value in (move.arguments or {}).items():
                    if isinstance(value, str) and value in (move.admissible or ()):
                        slots[move.tool, argument] += 1
        if not slots:
            return self._declared_slot if self._is_offered else None
        return min(slots, key=lambda slot: (-slots[slot], slot))

    @cached_property
    def _declared_slot(self) -> tuple[str, str] | None:
        declared = [(tool.name, tool.text_argument) for tool in self.tools.values()]
        found = [(name, argument) for name, argument in declared if argument]
        return found[0] if len(found) == len(declared) == 1 else None

    @property
    def _is_offered(self) -> bool:
        return any(move.admissible for run in self.runs for move in run.moves)

    @cached_property
    def talk_slot(self) -> tuple[str, str] | None:
        """The one tool that speaks to a user, and the argument that takes the words."""
        talks = [self.tools[name] for name in self.brief.talk_tools if name in self.tools]
        slots = [(tool.name, tool.text_argument) for tool in talks if tool.text_argument]
        return slots[0] if len(slots) == 1 else None

    @cached_property
    def statement_slots(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """Text arguments that hold statements, with the words successful ones begin with.

        Speech to a user is no statement.
        """
        firsts: dict[tuple[str, str], Counter[str]] = {}
        for run in self.successes:
            for move in run.good_calls:
                if move.tool in self.brief.talk_tools:
                    continue
                argument = self.tools[move.tool].text_argument if move.tool in self.tools else None
                value = (move.arguments or {}).get(argument or "")
                if isinstance(value, str) and len(value.split()) > 1:
                    slot = firsts.setdefault((move.tool, argument or ""), Counter())
                    slot[value.split()[0]] += 1
        return {slot: starts for slot, words in firsts.items() if (starts := _starts(words))}

    def successes_of(self, family: str | None) -> tuple[Run, ...]:
        """Successes of one family, or of all."""
        return tuple(run for run in self.successes if family in (None, run.family))

    def errors(self, tool: str = "") -> list[Move]:
        """Failed calls, of one tool or of all."""
        return [
            move
            for run in self.runs
            for move in run.calls
            if move.is_error and tool in ("", move.tool, move.asked_tool)
        ]


def _starts(words: Counter[str]) -> tuple[str, ...]:
    total = sum(words.values())
    common = [word for word, count in words.items() if count >= max(2, 0.02 * total)]
    covered = sum(words[word] for word in common)
    is_language = len(common) <= 12 and covered >= 0.9 * total
    return tuple(sorted(common)) if is_language else ()


def mine(brief: Brief) -> Facts:
    """Read a brief's episodes and tools."""
    runs = sorted(
        (read_run(episode, brief.non_progress) for episode in brief.episodes),
        key=lambda run: run.run_id,
    )
    tools = {fact.name: fact for fact in map(_tool_fact, brief.tools) if fact}
    return Facts(brief, tools or _observed_tools(runs), tuple(runs))


def _tool_fact(entry: JsonObject) -> ToolFact | None:
    function = entry.get("function")
    inner = function if isinstance(function, dict) else entry
    name, parameters = inner.get("name"), inner.get("parameters")
    schema = parameters if isinstance(parameters, dict) else {}
    properties = schema.get("properties")
    required = schema.get("required")
    if not isinstance(name, str) or not re.fullmatch(r"[\w.:-]{1,80}", name):
        return None
    known = properties if isinstance(properties, dict) else {}
    return ToolFact(
        name=name,
        properties={key: value for key, value in known.items() if isinstance(value, dict)},
        required=tuple(str(key) for key in required) if isinstance(required, list) else (),
    )


def _observed_tools(runs: Sequence[Run]) -> dict[str, ToolFact]:
    """Infer tools from calls that worked; an argument given every time counts as required."""
    given: dict[str, list[JsonObject]] = {}
    for run in runs:
        for move in run.good_calls:
            given.setdefault(move.tool, []).append(move.arguments or {})
    return {name: _observed_tool(name, calls) for name, calls in sorted(given.items())}


def _observed_tool(name: str, calls: Sequence[JsonObject]) -> ToolFact:
    keys = sorted({key for call in calls for key in call})
    properties: dict[str, JsonObject] = {}
    for key in keys:
        kinds = {json_type(call[key]) for call in calls if key in call}
        properties[key] = {"type": next(iter(kinds))} if len(kinds) == 1 else {}
    required = tuple(key for key in keys if all(key in call for call in calls))
    return ToolFact(name, properties, required)


def json_type(value: object) -> str:
    """JSON Schema type of a value."""
    if isinstance(value, bool):
        return "boolean"
    names = {str: "string", int: "integer", float: "number", list: "array", dict: "object"}
    return names.get(type(value), "null")
