"""Cues about how a call is written: what a search can hold, how elements are called."""

import re

from tasks.agent.simulated_reading import affirmed, denied
from tasks.agent.simulated_world import Cue

_I = re.IGNORECASE

_SEARCH = re.compile(r"\bsearch(?:es|ed|ing)?\b|\bquer(?:y|ies)\b", _I)
_LOADED = re.compile(
    r"\bprices?\b|\bfeatures?\b|\bconstraints?\b|\bconditions?\b|\blimits?\b|\bdollars\b|\bbounds?\b"
    r"|\boptions?\b|\bcolou?rs?\b|\bsizes?\b|\battributes?\b|\bbudgets?\b|\bamounts?\b|\bnumbers?\b"
    r"|\b(?:under|below|less than)\b",
    _I,
)
_TITLE = re.compile(
    r"\btitles?\b|\b(?:just|only|nothing but|nothing except) (?:with |by |for |in "
    r"|of )?(?:the |its )?"
    r"(?:brand|name|kind|words? of|product|type|article)\b|\bkind of (?:thing|product"
    r"|article|goods)\b"
    r"|\b(?:product|article) names?\b",
    _I,
)
_ONLY = re.compile(
    r"\b(?:only|just|alone|nothing but|solely|matches|looks? (?:at|in|through)|finds? by|compares?"
    r"|goes by|covers)\b",
    _I,
)
_FAILS = re.compile(
    r"\b(?:finds?|found|brings?|brought|gives?|gave|returns?|returned) (?:nothing"
    r"|no (?:results?|products?))\b"
    r"|\bbelongs? (?:not|elsewhere)\b|\bdoes not belong\b|\bdo not belong\b"
    r"|\bnot searchable\b|\bempty\b"
    r"|\b(?:cannot|can't|can not) be searched\b|\bunsearchable\b|\bout of\b",
    _I,
)
_INSERT = re.compile(
    r"\b(?:put|write|add|include|give|name|state|mention|type|enter|append|search for"
    r"|search with|use"
    r"|search by|query with|query by)\b",
    _I,
)


def read_search(sentence: str, before: str) -> list[Cue]:
    """Whether searches hold anything but words of titles."""
    if not (_SEARCH.search(sentence) or (_REFERS.search(sentence) and _SEARCH.search(before))):
        return []
    has_loaded = bool(_LOADED.search(sentence))
    if has_loaded and (_FAILS.search(sentence) or denied(sentence, _LOADED)):
        return [Cue("loaded_search", is_right=True)]
    if affirmed(sentence, _TITLE) and (_ONLY.search(sentence) or not has_loaded):
        is_told = bool(_ONLY.search(sentence) or _INSERT.search(sentence))
        return [Cue("loaded_search", is_right=True)] if is_told else []
    if has_loaded and affirmed(sentence, _LOADED) and _INSERT.search(sentence):
        return [Cue("loaded_search", is_right=False, detail="loaded")]
    return []


_REFERS = re.compile(r"^(?:it|its|this|that|they|these|such)\b", _I)

_QUOTE = r"[`\"'(\[]"
_RIGHT = re.compile(
    rf"{_QUOTE}(?:open item|open\b(?= [\u2026<])|choose (?:colour|size|length|option"
    rf"|\u2026|<)|choose\b(?=[`\"'])"
    rf"|buy now|open\b(?=[`\"']))",
    _I,
)
_WRONG = re.compile(
    rf"{_QUOTE}(?P<verb>view|select|show|pick|set|purchase|order|checkout)\b"
    rf"(?![`\"']? (?:is|are) (?:unknown|wrong|invalid|no))",
    _I,
)


_INSTEAD = re.compile(r"\b(?:instead of|rather than) [`\"'(\[][^`\"')\]]*[`\"')\]]", _I)


def read_elements(sentence: str) -> list[Cue]:
    """How elements of a page are called."""
    sentence = _INSTEAD.sub(" ", sentence)
    if affirmed(sentence, _WRONG):
        match = next(_WRONG.finditer(sentence))
        return [Cue("misnamed_element", is_right=False, detail=match["verb"].lower())]
    return [Cue("misnamed_element", is_right=True)] if affirmed(sentence, _RIGHT) else []


_AS_TEXT = re.compile(
    r"\b(?:write|put|give|answer|reply|respond|output|say)\w*\b[^.;]*\b(?:code block|fenced|"
    r"plain text|as text|as prose|in your (?:message|reply))\b",
    _I,
)
_CALL_NOUN = re.compile(r"\b(?:calls?|commands?|actions?|steps?|tools?)\b", _I)


def read_prose(sentence: str) -> list[Cue]:
    """A text that asks for calls in prose; none makes a model stop it."""
    is_asked = bool(_CALL_NOUN.search(sentence)) and affirmed(sentence, _AS_TEXT)
    return [Cue("prose_call", is_right=False, detail="text")] if is_asked else []
