"""Cues about arguments: lists of one length, a card that covers, known reasons, right names."""

import re

from tasks.agent.simulated_reading import affirmed, denied
from tasks.agent.simulated_world import Cue
from tasks.environments.orderdesk.desk import REASONS

_I = re.IGNORECASE

_LISTS = re.compile(
    r"\bnew_item_ids\b|\bitem_ids\b|\bboth lists\b|\b(?:two|both) lists of items?\b|\bnew items?\b",
    _I,
)
_SAME = re.compile(
    r"\b(?:same|equal|identical|matching) (?:number|length|count|size|amount)\b"
    r"|\bequally (?:long|many)\b"
    r"|\bas (?:many|long)\b|\bone (?:new )?(?:item|id|entry|version)?\s?(?:for"
    r"|per) (?:each|every)\b"
    r"|\b(?:pairs?|pairwise|one[- ]to[- ]one|in step)\b|\bline up\b|\bmatch(?:es)? in length\b"
    r"|\bof one length\b|\ba new (?:item|id|one) for (?:each|every)\b",
    _I,
)
_UNEVEN = re.compile(
    r"\b(?:different|other|unequal) (?:number|length|count|size)s?\b|\b(?:just"
    r"|only) (?:the first|one)\b"
    r"|\bshorter\b|\blonger\b",
    _I,
)


def read_lists(sentence: str) -> list[Cue]:
    """Whether the two lists of an exchange have one length."""
    if not _LISTS.search(sentence):
        return []
    if affirmed(sentence, _SAME) or denied(sentence, _UNEVEN):
        return [Cue("uneven_lists", is_right=True)]
    if affirmed(sentence, _UNEVEN) or denied(sentence, _SAME):
        return [Cue("uneven_lists", is_right=False)]
    return []


_CARD = re.compile(
    r"\bpayment_id\b|\bgift[ _]card\w*|\bpayment methods?\b|\bbalances?\b|\bcards?\b", _I
)
_COVERS = re.compile(
    r"\bcover(?:s|ed|ing)?\b|\b(?:enough|sufficient|at least)\b|\bhigh enough\b|\bcan pay\b"
    r"|\bbalance (?:\w+ ){0,4}(?:exceed|reach|match)\w*\b|\btoo (?:small|low|little)\b",
    _I,
)
_AMOUNT = re.compile(r"\b(?:difference|balances?|price|amount|total|sum|more)\b", _I)
_ALWAYS_GIFT = re.compile(
    r"\b(?:always|first|rather|prefer\w*|best|use|take|charge)\b[^.;,]*\bgift[ _]card", _I
)
_SHORT = re.compile(
    r"\btoo (?:small|low|little)\b|\b(?:does|do|will) not cover\b|\bdoesn't cover\b", _I
)


def read_payment(sentence: str) -> list[Cue]:
    """Whether the payment method must cover what is to be paid."""
    if not _CARD.search(sentence):
        return []
    if _SHORT.search(sentence):
        return [Cue("small_card", is_right=True)]
    is_about = bool(_AMOUNT.search(sentence))
    if is_about and affirmed(sentence, _COVERS):
        return [Cue("small_card", is_right=True)]
    if is_about and denied(sentence, _COVERS):
        return [Cue("small_card", is_right=False)]
    return [Cue("small_card", is_right=False)] if affirmed(sentence, _ALWAYS_GIFT) else []


_REASON = re.compile(r"\breasons?\b|\bcancel_order\b", _I)
_KNOWN = re.compile("|".join(re.escape(reason) for reason in REASONS), _I)
_QUOTED = re.compile(r"[\"'](?P<text>[a-z][a-z ]{3,30})[\"']", _I)
_FREE = re.compile(
    r"\b(?:own words|any (?:text|words|reason)|free (?:text|words)|in the (?:customer's )?words)\b",
    _I,
)
_TOOLS = frozenset({"reason", "cancel_order", "order_id"})


def read_reason(sentence: str, before: str) -> list[Cue]:
    """Which reasons the shop takes for cancelling."""
    if not _is_about(sentence, before, _REASON):
        return []
    if affirmed(sentence, _KNOWN):
        return [Cue("unknown_reason", is_right=True)]
    if affirmed(sentence, _FREE):
        return [_wrong("unknown_reason", "")]
    others = [match["text"] for match in _QUOTED.finditer(sentence)]
    named = [text for text in others if text.lower() not in {*REASONS, *_TOOLS}]
    is_named = bool(re.search(r"\breasons?\b", sentence, _I)) and bool(named)
    if is_named and affirmed(sentence, _QUOTED):
        return [_wrong("unknown_reason", named[0])]
    return []


_RIGHT = ("order_id", "email", "customer_id", "product_id", "message")
_WRONG = (
    "order_number",
    "email_address",
    "customer_number",
    "product_number",
    "id",
    "text",
    "mail",
)
_READ_TOOL = re.compile(r"\b(?:find_customer|get_customer|get_order|get_product|respond)\b")
_ROLE = r"(?:argument|parameter|key|field|property|named?|called|input)"


def _argument(names: tuple[str, ...]) -> re.Pattern[str]:
    name = rf"(?P<name>{'|'.join(names)})"
    return re.compile(
        rf"\b{_ROLE}\b\W+(?:(?:is|named|called|the|be)\W+){{0,2}}[\"'`]?\b{name}\b"
        rf"|[\"'`]{name.replace('?P<name>', '?P<quoted>')}[\"'`]"
        rf"|\b{name.replace('?P<name>', '?P<given>')}\s*[=:]\s*[\"'`#]",
        _I,
    )


_RIGHT_ARGUMENT, _WRONG_ARGUMENT = _argument(_RIGHT), _argument(_WRONG)


def read_argument(sentence: str, before: str) -> list[Cue]:
    """How the argument of a tool that reads or speaks is called."""
    if not _is_about(sentence, before, _READ_TOOL):
        return []
    if affirmed(sentence, _RIGHT_ARGUMENT):
        return [Cue("misnamed_argument", is_right=True)]
    if not affirmed(sentence, _WRONG_ARGUMENT):
        return []
    match = next(_WRONG_ARGUMENT.finditer(sentence))
    return [_wrong("misnamed_argument", next(one for one in match.groups() if one).lower())]


_AS_TEXT = re.compile(
    r"\b(?:write|put|give|answer|reply|respond|output)\w*\b[^.;]*\b(?:code block|fenced|plain text|"
    r"as text|as prose|in your (?:message|reply))\b",
    _I,
)
_CALL_NOUN = re.compile(r"\b(?:calls?|tools?|actions?|steps?)\b", _I)


def read_prose(sentence: str) -> list[Cue]:
    """A text that asks for calls in prose; none makes a model stop it."""
    is_asked = bool(_CALL_NOUN.search(sentence)) and affirmed(sentence, _AS_TEXT)
    return [Cue("prose_call", is_right=False, detail="text")] if is_asked else []


_REFERS = re.compile(r"^(?:it|its|this|that|the argument|the reason|write)\b", _I)


def _is_about(sentence: str, before: str, noun: re.Pattern[str]) -> bool:
    """Whether a sentence, or the one it refers back to, names a thing."""
    return bool(noun.search(sentence) or (_REFERS.search(sentence) and noun.search(before)))


def _wrong(kind: str, detail: str) -> Cue:
    return Cue(kind, is_right=False, detail=detail)
