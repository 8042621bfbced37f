"""The cue table of a world: which facts a text names, and what is only the world's own voice.

A fact is a tool, a form, an order of steps. What a world itself says in a result or an error is
no cue: it is part of the fault rates.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tasks.agent.simulated_reading import passages, sentences, steps
from tasks.agent.simulated_world import Cue, Source

MAX_CHARS = 40_000
Read = Callable[[str], list[Cue]]
ReadWithBefore = Callable[[str, str], list[Cue]]
"""Reads a sentence beside the one before it."""

COMMON_LINES = (
    r"(?:[\w.\[\]]+: )?.* is not of type .*|.* is a required property"
    r"|Additional properties are not allowed .*|tool .* not found"
    r"|.*: .* is too (?:long|short)|There is no tool .*|No tool call was found\..*"
)
"""What the loop and the check of arguments say in every world."""


def own_voice(lines: str) -> re.Pattern[str]:
    """Pattern of the lines a world says itself, besides those common to all."""
    return re.compile(rf"^(?:{lines}|{COMMON_LINES})$", re.DOTALL)


@dataclass(frozen=True)
class CueTable:
    """The readers of a world, in the order in which they read.

    Attributes:
        own: lines of the world's own voice, left out where a text has just come in.
        prepare: what is done to a text first.
        in_sentence: read each sentence.
        in_recent: read each sentence of a text that has just come in.
        in_passage: read sentences together with those that go on from them.
        in_steps: reads the items of a list of steps.
    """

    own: re.Pattern[str]
    in_sentence: tuple[ReadWithBefore, ...] = ()
    in_recent: tuple[Read, ...] = ()
    in_passage: tuple[Read, ...] = ()
    in_steps: Callable[[Sequence[str]], list[Cue]] = field(default=lambda _: [])
    prepare: Callable[[str], str] = field(default=lambda text: text)

    def read(self, text: str, source: Source) -> tuple[Cue, ...]:
        """Read the cues of a text in the order in which they stand."""
        text = text[:MAX_CHARS]
        if source == "recent":
            lines = text.splitlines()
            text = "\n".join(line for line in lines if not self.own.match(line.strip()))
        text = self.prepare(text)
        cues: list[Cue] = []
        before = ""
        for sentence in sentences(text):
            for read in self.in_sentence:
                cues += read(sentence, before)
            if source == "recent":
                for hear in self.in_recent:
                    cues += hear(sentence)
            before = sentence
        for passage in passages(text):
            for follow in self.in_passage:
                cues += follow(passage)
        return (*cues, *self.in_steps(steps(text)))


def alone(read: Read) -> ReadWithBefore:
    """A reader that does not look at the sentence before."""
    return lambda sentence, _: read(sentence)
