"""All cues of a text for the simulated models: which facts about this household it names.

A fact is the form of a command, an order of steps, the one hand, or a place to go to. What the
household itself says in a result is no cue: it is part of the fault rates.
"""

import re

from tasks.environments.embedded.cues import CueTable, alone, own_voice
from tasks.environments.household import household_form_cues as form
from tasks.environments.household import household_hint_cues as hint
from tasks.environments.household import household_order_cues as order

OWN_VOICE = (
    r"Nothing happens\.|You (?:walk to|stand at|stand in|now hold|hold) the .*"
    r"|Your hands are empty\.|(?:In|On) it (?:you see|is nothing).*"
    r"|The [a-z]+ \d+ (?:is|shines) (?:now )?.*|The task is (?:done|over)\."
)
_SLOT = re.compile(r"<[^<>\n]{1,40}>|\{[^{}\n]{1,40}\}")
"""Placeholders; the words in them name nothing."""
_UNTRIED = re.compile(r"\bnot (?:yet )?(?:tried|used|visited|searched)(?: yet)?\s*:", re.IGNORECASE)
"""A label that offers what follows; its `not` denies nothing."""


def _prepare(text: str) -> str:
    return _UNTRIED.sub("Untried:", _SLOT.sub("\u2026", text))


CUES = CueTable(
    own=own_voice(OWN_VOICE),
    in_sentence=(alone(form.read_verbs), alone(form.read_exactness), alone(form.read_prose)),
    in_recent=(hint.read_hint,),
    in_passage=(order.read_closed, order.read_second, order.read_treatments),
    in_steps=order.read_steps,
    prepare=_prepare,
)
