"""Cues about what comes when: open before use, one item a time, the treatment before the end."""

import re
from collections.abc import Sequence

from tasks.agent.simulated_reading import Order, affirmed, denied, order_of, step_order
from tasks.agent.simulated_world import Cue
from tasks.environments.household.things import APPLIANCES

_I = re.IGNORECASE

_DENIED_UNTIL = re.compile(
    r"\b(?:nothing|not|never|no|cannot|can't|don't|doesn't|won't|fails?|impossible|useless)\b"
    r"[^.;]*\b(?:until|unless|before|without)\b",
    _I,
)


def _order(passage: str, a: re.Pattern[str], b: re.Pattern[str]) -> Order | None:
    """As `order_of`; also for `A changes nothing until B`, where B comes first."""
    one, other = a.search(passage), b.search(passage)
    if one and other and one.start() != other.start():
        early, late = sorted((one, other), key=lambda match: match.start())
        if _DENIED_UNTIL.search(passage[early.end() : late.start()]):
            return "ba" if early is one else "ab"
    return order_of(passage, a, b)


_OPEN = re.compile(r"\bopen(?:s|ed|ing)?\b(?! (?:space|question|area))", _I)
_CLOSED = re.compile(r"\b(?:closed|shut)\b", _I)
_REACH_IN = re.compile(
    r"\b(?:tak(?:e|es|ing|en)|mov(?:e|es|ing|ed)|put(?:s|ting)?|plac(?:ing|ed)"
    r"|place (?:it|them|the|an?|your)|see|look(?:ing)? (?:in|into|inside)|reach\w*|search\w*"
    r"|insid\w*|content\w*|us(?:e|ed|ing)|anything)\b",
    _I,
)
_MUST = re.compile(r"\b(?:must|have to|has to|need\w*|always|first|requir\w+)\b", _I)
_OPEN_FAILS = re.compile(
    r"\b(?:when|whenever|if)\b[^,;]*\bopen\b[^,;]*\b(?:nothing|fails?|not|no)\b", _I
)
"""A case that is not that of a closed place."""


def read_closed(passage: str) -> list[Cue]:
    """Whether a closed place is opened before anything is taken out or put in."""
    if not affirmed(passage, _OPEN):
        is_refused = bool(_OPEN.search(passage)) and denied(passage, _OPEN)
        is_about = bool(_CLOSED.search(passage) or _REACH_IN.search(passage))
        order = _order(passage, _OPEN, _REACH_IN)
        if is_refused and is_about and order != "ab":
            return [Cue("closed_place", is_right=False)]
        return [Cue("closed_place", is_right=True)] if order == "ab" and is_refused else []
    order = _order(passage, _OPEN, _REACH_IN)
    if order is None:
        is_rule = bool(_CLOSED.search(passage) and _MUST.search(passage))
        return [Cue("closed_place", is_right=True)] if is_rule else []
    if order == "ba" and _OPEN_FAILS.search(passage):
        return []
    return [Cue("closed_place", is_right=order == "ab")]


_ONE = re.compile(
    r"\b(?:one|1|a single|single|only one|just one|at most one|exactly one)\s+"
    r"(?:item|object|thing|piece)s?\b"
    r"|\bone (?:at a time|by one|after (?:the other|another))\b"
    r"|\bhands? (?:is|are) (?:full|free|empty)\b"
    r"|\b(?:an? )?(?:free|empty) hands?\b",
    _I,
)
_MANY = re.compile(
    r"\b(?:both|two|several|many|multiple|all|more than one|a second|another|second)\b"
    r"(?: \w+){0,2}",
    _I,
)
_HOLD = re.compile(r"\b(?:hold\w*|carr(?:y|ies|ying)|tak(?:e|es|ing)|hands?|pick\w*|grab\w*)\b", _I)
_DOWN = re.compile(
    r"\b(?:mov(?:e|es|ed|ing)|put(?:ting)?(?: \w+){0,3} down|deliver\w*|drop\w*|unload\w*"
    r"|(?:put|bring|plac)\w*|set(?:ting)? (?:it |the \w+ )?down|let go)\b",
    _I,
)
_TAKE_MORE = re.compile(
    r"\btak(?:e|es|ing)\b(?:\W+\w+){0,3}?\W+(?:second|another|next|other|new|more)\b"
    r"|\b(?:second|next|other) (?:one|item|object|thing)\b|\banother (?:one|item|object|thing)\b"
    r"|[`\"']take\b",
    _I,
)


def read_second(passage: str) -> list[Cue]:
    """Whether what is in the hand is put down before a second item is taken."""
    if not _HOLD.search(passage):
        return []
    if affirmed(passage, _ONE):
        return [Cue("second_item", is_right=True)]
    order = _order(passage, _DOWN, _TAKE_MORE)
    if order == "ab":
        return [Cue("second_item", is_right=True)]
    many = [match for match in _MANY.finditer(passage) if _HOLD.search(passage)]
    if not many:
        return []
    if denied(passage, _MANY):
        return [Cue("second_item", is_right=True)]
    is_asked = bool(_TOGETHER.search(passage)) or order == "ba"
    return [Cue("second_item", is_right=False)] if is_asked else []


_TOGETHER = re.compile(
    r"\b(?:both|two|several|many|all|multiple)\b(?: \w+){0,3} (?:together|at once|in one go"
    r"|at the same time|before)\b|\b(?:can|may|should|must) (?:hold|carry|take) (?:both|two|several"
    r"|many|all|multiple|more than one)\b",
    _I,
)

_BRING = re.compile(
    r"\b(?:mov(?:e|es|ed|ing)|put(?:s|ting)?|plac(?:ed|ing)|place (?:it|them|the|an?|your)"
    r"|bring(?:s|ing)?|brought|deliver\w*|drop\w*|set(?:ting)? (?:it |the \w+ )?down)\b",
    _I,
)
_STEM = {"clean": "clean", "heat": "heat", "cool": "cool"}
_TREATMENT = {
    verb: re.compile(
        rf"\b{_STEM[verb]}(?:s|ed|ing)?\b[^.;]{{0,60}}\b{place}\b"
        rf"|\b{place}\b[^.;]{{0,60}}\b{_STEM[verb]}(?:s|ed|ing)?\b",
        _I,
    )
    for verb, place in APPLIANCES.items()
    if verb
}
_ELSEWHERE = {
    verb: re.compile(
        rf"\b{_STEM[verb]}(?:s|ed|ing)? [^.;,]{{0,40}}\b(?:with|in|at|using)\b[^.;,]{{0,12}}\b"
        rf"(?P<place>{'|'.join(sorted(set(APPLIANCES.values()) - {place}))})\b",
        _I,
    )
    for verb, place in APPLIANCES.items()
    if verb
}
_ANY = {
    verb: re.compile(
        rf"\b{_STEM[verb]}(?:s|ed|ing)\b|\b{_STEM[verb]} (?:it|the|an?|before|them)\b", _I
    )
    for verb in _STEM
}


def read_treatments(passage: str) -> list[Cue]:
    """Whether an item is cleaned, heated or cooled, and where, before it is brought away."""
    return [cue for verb in _STEM for cue in _treatment(passage, verb)]


def _treatment(passage: str, verb: str) -> list[Cue]:
    kind = f"skipped_{verb}"
    elsewhere = _ELSEWHERE[verb].search(passage)
    if elsewhere and affirmed(passage, _ELSEWHERE[verb]):
        return [Cue(kind, is_right=False, detail=elsewhere["place"].lower())]
    named = _TREATMENT[verb]
    if not named.search(passage):
        is_off = denied(passage, _ANY[verb]) and _order(passage, _ANY[verb], _BRING) != "ab"
        return [Cue(kind, is_right=False)] if is_off else []
    order = _order(passage, named, _BRING)
    if order is None:
        return [Cue(kind, is_right=False)] if denied(passage, named) else []
    return [Cue(kind, is_right=order == "ab")]


def read_steps(items: Sequence[str]) -> list[Cue]:
    """What the order of a list of steps says."""
    cues: list[Cue] = []
    for verb in _STEM:
        order = step_order(items, _TREATMENT[verb], _BRING)
        if order is not None:
            cues.append(Cue(f"skipped_{verb}", is_right=order == "ab"))
    order = step_order(items, _OPEN, _REACH_IN)
    if order == "ab":
        cues.append(Cue("closed_place", is_right=True))
    return cues
