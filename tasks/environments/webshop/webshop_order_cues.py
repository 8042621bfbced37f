"""Cues about what comes when: options and a look before buying, pages not opened yet."""

import re
from collections.abc import Sequence

from tasks.agent.simulated_reading import affirmed, denied, order_of, step_order
from tasks.agent.simulated_world import Cue

_I = re.IGNORECASE

_BUY = re.compile(r"\bbuy(?:s|ing)?\b|\bpurchas\w+\b|\bbought\b|\bcheckout\b", _I)
_OPTION = re.compile(
    r"\bchoos(?:e|es|ing) (?:\w+ ){0,3}?(?:options?|colou?r|size|length|\u2026)"
    r"|\boptions?\b|[`\"']choose\b"
    r"|\bcolou?r and size\b|\bchosen\b",
    _I,
)


def read_options(passage: str) -> list[Cue]:
    """Whether options are chosen before buying."""
    order = order_of(passage, _OPTION, _BUY)
    if order is not None:
        return [Cue("skipped_option", is_right=order == "ab")]
    if not (_BUY.search(passage) and _OPTION.search(passage)) or _EITHER_WAY.search(passage):
        return []
    if _UNTIL.search(passage):
        return [Cue("skipped_option", is_right=True)]
    return [Cue("skipped_option", is_right=False)] if denied(passage, _OPTION) else []


_UNTIL = re.compile(
    r"\b(?:not|never|no|don't)\b[^.;:]*\b(?:buy|purchas)\w*\b[^.;:]*"
    r"\b(?:until|unless|before|without)\b",
    _I,
)
_EITHER_WAY = re.compile(r"\bwhether\b|\bno difference\b|\bno matter\b", _I)

_CHECK = re.compile(
    r"\b(?:check|compar|verif|read|inspect|look at|match|confirm|examin|test)\w*\b[^.;]{0,40}"
    r"\b(?:page|features?|price|conditions?|constraints?|attributes?|candidates?|items?|products?"
    r"|requirements?|everything|what is wanted)\b"
    r"|\b(?:features?|price|conditions?|requirements?)\b[^.;]{0,30}\b(?:fits?|match\w*|checked|compared"
    r"|verified|holds?)\b"
    r"|\b(?:two|several|more|other|three|at least \w+) (?:\w+ )?(?:candidates?|items?"
    r"|products?|pages?)\b",
    _I,
)


def read_check(passage: str) -> list[Cue]:
    """Whether the page is checked against what is wanted before buying."""
    order = order_of(passage, _CHECK, _BUY)
    if order is not None:
        return [Cue("early_purchase", is_right=order == "ab")]
    if _RIGHT_AWAY.search(passage):
        is_denied = denied(passage, _RIGHT_AWAY)
        return [Cue("early_purchase", is_right=is_denied)]
    if not (_BUY.search(passage) and _CHECK.search(passage)) or _EITHER_WAY.search(passage):
        return []
    if _UNTIL.search(passage) or _ONLY_IF.search(passage):
        return [Cue("early_purchase", is_right=True)]
    return [Cue("early_purchase", is_right=False)] if denied(passage, _CHECK) else []


_RIGHT_AWAY = re.compile(
    r"\bbuy(?:ing)? (?:\w+ ){0,2}(?:first (?:item|result|product|one)|(?:item |result )?right away"
    r"|at once|immediately)\b",
    _I,
)
_ONLY_IF = re.compile(r"\bonly (?:if|when|once|after|what|an item|a product)\b", _I)


def read_steps(items: Sequence[str]) -> list[Cue]:
    """What the order of a list of steps says."""
    cues: list[Cue] = []
    for kind, before in (("skipped_option", _OPTION), ("early_purchase", _CHECK)):
        order = step_order(items, before, _BUY)
        if order is not None:
            cues.append(Cue(kind, is_right=order == "ab"))
    return cues


_NEW = re.compile(
    r"\b(?:not|never)(?: been)?(?: yet)? (?:tried|opened|seen|checked|looked at|visited|viewed)\b"
    r"|\b(?:unopened|untried|unseen|new|remaining|fresh)\b"
    r"|\b(?:another|different|other) (?:item|page|product|candidate|one|result)s?\b",
    _I,
)
_ITEM = re.compile(r"\bitem \d+\b|\b(?:items?|pages?|products?|candidates?|results?)\b", _I)
_FRO = re.compile(
    r"\bto and fro\b|\bback and forth\b|\bin circles\b|\balready (?:been )?(?:opened|seen"
    r"|looked at|"
    r"checked|visited)\b|\bbetween (?:the same )?(?:two|2|\d|a few|known)\b"
    r"|\b(?:opened|seen|visited) (?:\w+ ){0,3}(?:twice|before|already|\d times)\b"
    r"|\bsame (?:\w+ )?(?:pages?|items?|products?)\b",
    _I,
)
_BACK = re.compile(
    r"^(?:hint: ?)?(?:open|check|visit|look at) the (?:same|first|last|previous)\b"
    r"|\b(?:open|check|visit|look at) (?:\w+ ){1,4}(?:again|once more)\b"
    r"|\bkeep (?:opening|checking)\b",
    _I,
)


def read_loop(sentence: str) -> list[Cue]:
    """What a text that has just come in says about the pages to open next."""
    if affirmed(sentence, _BACK):
        return [Cue("search_loop", is_right=False, detail="back")]
    is_new = bool(_NEW.search(sentence) and _ITEM.search(sentence))
    return [Cue("search_loop", is_right=True)] if is_new or _FRO.search(sentence) else []
