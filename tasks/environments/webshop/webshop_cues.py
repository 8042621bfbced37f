"""All cues of a text for the simulated models: which facts about this shop it names.

A fact is what a search can find by, what is chosen or checked before buying, how an element is
called, or a page that was not opened. What the shop itself says is no cue: it is part of the fault
rates.
"""

import re

from tasks.environments.embedded.cues import CueTable, alone, own_voice
from tasks.environments.embedded.hint_cues import offer_untried, read_repetition
from tasks.environments.webshop import webshop_form_cues as form
from tasks.environments.webshop import webshop_order_cues as order

OWN_VOICE = (
    r"No products were found for: .*|There is nothing like that to click on this page\."
    r"|There is no search field on this page\.|You are on the search page of the shop\."
    r"|Thank you for your purchase\.|The purchase is made\.|Results, page \d+:|\[open item \d+\] .*"
    r"|[\w -]+, item \d+, \$\d+|Features: .*|(?:Colour|Size|Length): \[.*|(?:\[[a-z ]+\] ?)+"
)
_SLOT = re.compile(r"<[^<>\n]{1,40}>|\{[^{}\n]{1,40}\}")
"""Placeholders; the words in them name nothing."""


def _prepare(text: str) -> str:
    return offer_untried(_SLOT.sub("\u2026", text))


CUES = CueTable(
    own=own_voice(OWN_VOICE),
    in_sentence=(form.read_search, alone(form.read_elements), alone(form.read_prose)),
    in_recent=(read_repetition, order.read_loop),
    in_passage=(order.read_options, order.read_check),
    in_steps=order.read_steps,
    prepare=_prepare,
)
