"""The customer: scripted, tells what is asked, agrees to what was wanted, ends the talk.

What a message is after is read from its words, so that any agent can speak freely: a proposal, a
question for facts, a refusal, or news. A fact that was told before is told again with `As I said`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tasks.environments.orderdesk.families import Wish

_I = re.IGNORECASE
AGAIN = "As I said"
_ORDER_ID = re.compile(r"#W\d+")
_ASKS = re.compile(r"\?|\b(?:please|kindly) (?:tell|give|provide|share|send|confirm|let)\b", _I)
_FACT = re.compile(
    r"\b(?:which|what|who|why|how|tell me|give me|let me know|provide|share|e-?mail|reason)\b", _I
)
_AGREEING = re.compile(
    r"\b(?:shall|should|may|confirm\w*|proceed|go ahead|agree\w*|okay|ok|all right|correct|right"
    r"|do you want|would you like|yes|happy with|go on)\b",
    _I,
)
_CHANGE = re.compile(r"\b(?:cancel|return|exchang|refund|chang|swap|replac)\w*\b", _I)
_REFUSES = re.compile(
    r"\b(?:cannot|can't|can not|could not|couldn't|unable|not able|not possible|impossible"
    r"|not allowed|not permitted|won't|will not|declin\w*|refus\w*|no longer possible|too late"
    r"|unfortunately)\b",
    _I,
)
_NEWS = re.compile(
    r"\b(?:done|cancelled|canceled|returned|exchanged|requested|changed|completed?|processed"
    r"|has been|have been|is now|all set|TR\d+)\b",
    _I,
)
_FACTS: dict[str, re.Pattern[str]] = {
    "email": re.compile(r"\be-?mail|\bidentif\w*|\bverif\w*|\byour (?:name|account)\b", _I),
    "order": re.compile(r"\border\b", _I),
    "details": re.compile(
        r"\bitems?\b|\bversions?\b|\bdetails?\b|\blike\b|\binstead\b|\bexchange\b|\breturn\b"
        r"|\bproducts?\b|\bhelp\b|\bwant\b|\bneed\b",
        _I,
    ),
    "reason": re.compile(r"\breason\b|\bwhy\b", _I),
    "payment": re.compile(r"\bpa(?:y|id)\w*|\bcards?\b|\brefund\w*|\bmethod\b", _I),
}

Act = Literal["told", "agreed", "declined", "waiting", "accepted", "thanked"]


@dataclass(frozen=True)
class Answer:
    """What the customer says, what it means, and the facts told by now."""

    text: str
    act: Act
    told: tuple[str, ...]

    @property
    def is_over(self) -> bool:
        """Whether the customer ends the talk."""
        return self.act in ("accepted", "thanked")


def answer(wish: Wish, own_orders: tuple[str, ...], told: tuple[str, ...], said: str) -> Answer:
    """The customer's answer to a message, when some facts were told before."""
    message = said[:4000]
    if _ASKS.search(message):
        if _is_proposal(message):
            return _agree(own_orders, told, message)
        return _tell(wish, told, message)
    if _REFUSES.search(message):
        return Answer("I see. Then I leave it at that. Goodbye.", "accepted", told)
    if _NEWS.search(message):
        return Answer("Thank you. Goodbye.", "thanked", told)
    return Answer(f"{AGAIN}, {_lowered(wish.details)}", "waiting", told)


def _is_proposal(message: str) -> bool:
    if not _AGREEING.search(message):
        return False
    if _ORDER_ID.search(message):
        return True
    return bool(_CHANGE.search(message)) and not _FACT.search(message)


def _agree(own_orders: tuple[str, ...], told: tuple[str, ...], message: str) -> Answer:
    named = set(_ORDER_ID.findall(message))
    if named - set(own_orders):
        return Answer("No, that order is not mine.", "declined", told)
    if "agreed" in told:
        return Answer(f"{AGAIN}: yes, go ahead.", "agreed", told)
    return Answer("Yes, go ahead.", "agreed", (*told, "agreed"))


def _tell(wish: Wish, told: tuple[str, ...], message: str) -> Answer:
    """Tell the facts asked for; where none is named, what is wanted."""
    asked = [name for name, pattern in _FACTS.items() if pattern.search(message)]
    fresh = [name for name in asked or ["details"] if name not in told]
    if not fresh:
        again = " ".join(_facts(wish, asked or ["details"]))
        return Answer(f"{AGAIN}: {again}", "told", told)
    return Answer(" ".join(_facts(wish, fresh)), "told", (*told, *fresh))


def _facts(wish: Wish, names: list[str]) -> Iterator[str]:
    for name in names:
        fact = str(getattr(wish, name))
        yield f"My email is {fact}." if name == "email" else fact


def _lowered(text: str) -> str:
    return text if text.startswith("I ") else text[:1].lower() + text[1:]
