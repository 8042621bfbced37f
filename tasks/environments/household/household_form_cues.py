"""Cues about how a command is written: its verb, its words, its numbers, never as prose."""

import re

from tasks.agent.simulated_reading import affirmed, denied
from tasks.agent.simulated_world import Cue

_I = re.IGNORECASE
_SLOT = (
    r"(?:\[[^\[\]]{1,40}\]|\u2026|\.\.\.|[A-Z]\b|it\b|them\b"
    r"|(?:the |an? |your |one |each |its |that )?(?:[a-z]+ ){0,2}[a-z]+(?: (?:\d+|n|N|x|X))?)"
)
_QUOTE = r"[`\"'(\[]"
_KNOWN = r"(?![`\"']? (?:is|are) (?:unknown|wrong|invalid|no))"
_MOVE = re.compile(
    rf"\bmove\b[`\"']? (?!on\b|along\b|back\b){_SLOT}[`\"']? to\b|{_QUOTE}move\b", _I
)
_TAKE = re.compile(rf"\btake\b[`\"']? {_SLOT}[`\"']? from\b|{_QUOTE}take\b(?!_)", _I)
_VERB_WORD = re.compile(r"\b(?:verb|command|word)\b", _I)
_MOVE_WORDS, _TAKE_WORDS = "put|place|drop", "grab|get|pick"
_OTHER_MOVE = re.compile(
    rf"{_QUOTE}(?P<verb>{_MOVE_WORDS})\b{_KNOWN}"
    rf"|\b(?:verb|command|word) (?P<named>{_MOVE_WORDS})\b",
    _I,
)
_OTHER_TAKE = re.compile(
    rf"{_QUOTE}(?P<verb>{_TAKE_WORDS})\b{_KNOWN}"
    rf"|\b(?:verb|command|word) (?P<named>{_TAKE_WORDS})\b",
    _I,
)


def read_verbs(sentence: str) -> list[Cue]:
    """Which verb brings an item somewhere, and which takes it."""
    cues = _verb(sentence, "wrong_move", _MOVE, _OTHER_MOVE)
    return cues + _verb(sentence, "wrong_take", _TAKE, _OTHER_TAKE)


def _verb(sentence: str, kind: str, right: re.Pattern[str], wrong: re.Pattern[str]) -> list[Cue]:
    if affirmed(sentence, wrong):
        match = next(wrong.finditer(sentence))
        detail = (match["verb"] or match["named"]).lower()
        return [Cue(kind, is_right=False, detail=detail)]
    return [Cue(kind, is_right=True)] if affirmed(sentence, right) else []


_NUMBER = re.compile(r"\bnumber\b(?! of \w+s\b)|\bnumber(?:s|ed)\b|\bdigits?\b|\bindex\b", _I)
_NAME = re.compile(
    r"\b(?:names?|things?|items?|objects?|places?|receptacles?|commands?|actions?)\b", _I
)
_GO = re.compile(rf"{_QUOTE}go to (?:{_SLOT})", _I)
_OTHER_GO = re.compile(rf"{_QUOTE}(?:goto|walk to|go)(?! to)\b", _I)


def read_exactness(sentence: str) -> list[Cue]:
    """Whether commands carry the numbers of things and the exact words."""
    is_about = bool(_NUMBER.search(sentence) and _NAME.search(sentence))
    if is_about and denied(sentence, _NUMBER):
        return [Cue("loose_command", is_right=False, detail="number")]
    if affirmed(sentence, _OTHER_GO):
        return [Cue("loose_command", is_right=False, detail="goto")]
    is_right = (is_about and affirmed(sentence, _NUMBER)) or affirmed(sentence, _GO)
    return [Cue("loose_command", is_right=True)] if is_right else []


_AS_TEXT = re.compile(
    r"\b(?:write|put|give|answer|reply|respond|output|say)\w*\b[^.;]*\b(?:code block|fenced|"
    r"plain text|as text|as prose|in your (?:message|reply))\b",
    _I,
)
_CALL_NOUN = re.compile(r"\b(?:calls?|commands?|actions?|steps?|tools?)\b", _I)


def read_prose(sentence: str) -> list[Cue]:
    """A text that asks for commands in prose; none makes a model stop it."""
    is_asked = bool(_CALL_NOUN.search(sentence)) and affirmed(sentence, _AS_TEXT)
    return [Cue("prose_call", is_right=False, detail="text")] if is_asked else []
