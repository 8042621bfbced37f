"""Cues about what a world declares of itself: names of tools, arguments, order, the end.

A fact is the exact name of a tool, an argument with its type, which of two tools comes first, the
tool that ends a task. What just came in is read from the harness's hint on, as all before is the
world's own voice.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import cast

from tasks.agent.protocols import JsonObject, ToolSpec
from tasks.agent.simulated_reading import (
    affirmed,
    denied,
    order_of,
    passages,
    sentences,
    step_order,
    steps,
)
from tasks.agent.simulated_world import Cue, Source

MAX_CHARS = 40_000
HINT_MARK = "Hint:"
ALIAS, SHAPE, EARLY, AGAIN, IN_WORDS = "alias", "shape", "early", "again", "done_in_words"
_I = re.IGNORECASE
_TYPE = re.compile(
    r"\b(?:list|array|number|integer|numeric|string|text|boolean|object|json|true|false|type"
    r"|quot\w+|argument|parameter)s?\b",
    _I,
)
_SAME = re.compile(
    r"\b(?:same|identical)\s+(?:\w+\s+)?(?:calls?|actions?|arguments?|results?|observations?"
    r"|steps?|thing)\b|\brepeat\w*\b|\brepetition\b|\balready (?:been |has |was )?(?:made|run|ran"
    r"|called|done|tried|given|seen|executed)\b|\bloop\w*\b|\bno progress\b|\bidentical\b"
    r"|\b(?:different|other|another) (?:call|action|step|approach)\b|\bsomething else\b"
    r"|\bnothing (?:has )?changed\b|\bin circles\b",
    _I,
)
_ONCE_MORE = re.compile(
    r"^(?:hint: ?)?(?:please |now |just )?(?:repeat|retry|try again|(?:run|call|make|send|try) "
    r"(?:it|this|that|the (?:same )?(?:call|action|step)) (?:again|once more))\b",
    _I,
)
_END = re.compile(
    r"\b(?:end|ends|ending|finish\w*|last|clos\w+|complet\w+|conclud\w+|final\w*|done|always"
    r"|every task|each task|all tasks|required|must|still|due|next|now|over|until|unless)\b",
    _I,
)


def alias_of(tool: str) -> str:
    """The name under which a tool is called by who does not know it well."""
    head, *rest = [part for part in re.split(r"[_\W]+", tool) if part]
    return head + "".join(part.title() for part in rest) if rest else f"{head}_tool"


class DeclaredCues:
    """Reads texts for the tools of one world."""

    def __init__(
        self,
        tools: Sequence[ToolSpec],
        terminal_tools: frozenset[str],
        order: Sequence[tuple[str, str]],
    ) -> None:
        self._tools: Mapping[str, ToolSpec] = {tool.name: tool for tool in tools}
        self._terminal = sorted(terminal_tools & self._tools.keys())
        self._order = [(a, b) for a, b in order if {a, b} <= self._tools.keys()]

    @cached_property
    def _names(self) -> dict[str, re.Pattern[str]]:
        return {name: _word(name) for name in self._tools}

    @cached_property
    def _aliases(self) -> dict[str, str]:
        return {alias_of(name): name for name in self._tools if alias_of(name) not in self._tools}

    @cached_property
    def _any(self) -> re.Pattern[str]:
        known = sorted([*self._tools, *self._aliases], key=len, reverse=True)
        return re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, known))})(?!\w)")

    def read(self, text: str, source: Source) -> tuple[Cue, ...]:
        """Read the cues of a text in the order in which they stand."""
        text = text[:MAX_CHARS]
        if source == "recent":
            text = text[text.find(HINT_MARK) :] if HINT_MARK in text else ""
        cues: list[Cue] = []
        for sentence in sentences(text):
            cues += self._in_sentence(sentence)
            if source == "recent":
                cues += _again(sentence)
        for passage in passages(text) if self._order else ():
            cues += self._in_order(passage)
        return (*cues, *self._in_steps(steps(text)))

    def _in_sentence(self, sentence: str) -> Iterator[Cue]:
        for word in dict.fromkeys(self._any.findall(sentence)):
            if word in self._aliases:
                if affirmed(sentence, _word(word)):
                    yield Cue(f"{ALIAS}:{self._aliases[word]}", is_right=False, detail=word)
            elif affirmed(sentence, self._names[word]):
                yield Cue(f"{ALIAS}:{word}", is_right=True)
                if self._tells_shape(word, sentence):
                    yield Cue(f"{SHAPE}:{word}", is_right=True)
            if word in self._terminal:
                yield from self._at_end(word, sentence)

    def _tells_shape(self, tool: str, sentence: str) -> bool:
        names = cast("JsonObject", self._tools[tool].parameters.get("properties") or {})
        named = [name for name in names if _word(name).search(sentence)]
        return bool(named) and bool(_TYPE.search(sentence) or '"' in sentence)

    def _at_end(self, tool: str, sentence: str) -> Iterator[Cue]:
        pattern = self._names[tool]
        if denied(sentence, pattern):
            yield Cue(IN_WORDS, is_right=False, detail="skip")
        elif affirmed(sentence, pattern) and _END.search(sentence):
            yield Cue(IN_WORDS, is_right=True)

    def _in_order(self, passage: str) -> Iterator[Cue]:
        for before, after in self._order:
            order = order_of(passage, self._names[before], self._names[after])
            if order is not None:
                yield Cue(f"{EARLY}:{before}:{after}", is_right=order == "ab")

    def _in_steps(self, items: Sequence[str]) -> Iterator[Cue]:
        for before, after in self._order if items else ():
            order = step_order(items, self._names[before], self._names[after])
            if order is not None:
                yield Cue(f"{EARLY}:{before}:{after}", is_right=order == "ab")


def _again(sentence: str) -> list[Cue]:
    if _ONCE_MORE.search(sentence):
        return [Cue(AGAIN, is_right=False)]
    return [Cue(AGAIN, is_right=True)] if _SAME.search(sentence) else []


def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")
