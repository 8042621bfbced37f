"""All cues of a text for the simulated models: which facts about this household it names.

A fact is the form of a command, an order of steps, the one hand, or a place to go to. What the
household itself says in a result is no cue: it is part of the fault rates.
"""

import re

from tasks.agent.simulated_reading import passages, sentences, steps
from tasks.agent.simulated_world import Cue, Source
from tasks.environments.household import household_form_cues as form
from tasks.environments.household import household_hint_cues as hint
from tasks.environments.household import household_order_cues as order

_OWN_LINE = re.compile(
    r"^(?:Nothing happens\.|You (?:walk to|stand at|stand in|now hold|hold) the .*"
    r"|Your hands are empty\.|(?:In|On) it (?:you see|is nothing).*"
    r"|The [a-z]+ \d+ (?:is|shines) (?:now )?.*|The task is (?:done|over)\."
    r"|[\w.\[\]]+: .* is not of type .*|.* is a required property"
    r"|Additional properties are not allowed .*|tool .* not found|[\w.]+: .* is too long"
    r"|There is no tool .*|No tool call was found\..*)$",
)
_SLOT = re.compile(r"<[^<>\n]{1,40}>|\{[^{}\n]{1,40}\}")
"""Placeholders; the words in them name nothing."""
_UNTRIED = re.compile(r"\bnot (?:yet )?(?:tried|used|visited|searched)(?: yet)?\s*:", re.IGNORECASE)
"""A label that offers what follows; its `not` denies nothing."""


def read_cues(text: str, source: Source) -> tuple[Cue, ...]:
    """Read the cues of a text in the order in which they stand."""
    if source == "recent":
        text = "\n".join(line for line in text.splitlines() if not _OWN_LINE.match(line.strip()))
    text = _UNTRIED.sub("Untried:", _SLOT.sub("\u2026", text))
    cues: list[Cue] = []
    for sentence in sentences(text):
        cues += form.read_verbs(sentence)
        cues += form.read_exactness(sentence)
        cues += form.read_prose(sentence)
        cues += hint.read_hint(sentence) if source == "recent" else []
    for passage in passages(text):
        cues += order.read_closed(passage)
        cues += order.read_second(passage)
        cues += order.read_treatments(passage)
    return (*cues, *order.read_steps(steps(text)))
