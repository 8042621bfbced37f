"""Reads plain sentences for facts: what is affirmed or denied, and what comes before what.

No phrase of any rule or editor is known here; cues of a world are built from these answers.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Literal

Order = Literal["ab", "ba"]
MAX_SENTENCE = 500
MAX_MENTIONS = 8
MAX_LABEL_WORDS = 3

_STRAIGHT = str.maketrans(
    {"\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'", "\u00a0": " ", "*": None}
)
_ITEM = re.compile(r"^\s*(?:#+|[-+\u2022]|(?:step\s*)?\d{1,2}\s*[.):])\s*", re.IGNORECASE)
_NUMBER = re.compile(r"^\s*(?:step\s*)?\d{1,2}\s*[.):]", re.IGNORECASE)
_BULLET = re.compile(r"^\s*[-+\u2022]\s")
_END = re.compile(r"(?<=[.!?])[)\"'`]?\s+(?=[A-Z`\"'(\[\d])")
_SEQUEL = re.compile(
    r"^(?:and |only )?(?:then|next|after that|after this|afterwards|finally|now|last)\b",
    re.IGNORECASE,
)
_SHORT_FORMS = re.compile(r"\b(e\.g\.|i\.e\.|etc\.|vs\.)", re.IGNORECASE)
_PROCEDURE = re.compile(r"\b(?:steps?|procedure|order|workflow|sequence|plan|recipe)\b", re.I)

_NEGATOR = re.compile(
    r"\b(?:not|never|no|none|nothing|nobody|cannot|can't|don't|doesn't|didn't|isn't|aren't|wasn't|"
    r"won't|mustn't|shouldn't|needn't|without|avoid\w*|instead of|rather than|nor|neither|refrain|"
    r"forbid\w*|forbidden|forget\w*|omit\w*|skip\w*|miss\w*|fail\w* to|leave\w* out|lack\w*|"
    r"wrong|incorrect|bad|invalid|stop (?=\w+ing\b)|fails? (?:with|on|for|when))\b",
    re.IGNORECASE,
)
_LIFTS = re.compile(r"\b(?:until|unless|before)\b", re.IGNORECASE)
_CONSEQUENCE = re.compile(
    r"\b(?:fails?|failed|errors?|rejected|refused|wrong|invalid|incomplete|unfinished|breaks?|"
    r"lost|pointless|unnecessary|superfluous|optional|forbidden|is not|are not|isn't|aren't|"
    r"does not|do not|doesn't|don't|cannot|can't|won't|never|no need|nothing)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(?:before|until|unless|without)\b", re.IGNORECASE)
_VERB = (
    r"(?:use|call|wrap|write|put|pass|always|give|send|quote|enclose|run|make|keep|surround|"
    r"provide|supply|do|must|should|then)"
)
_LEFT_BOUNDARY = re.compile(rf"[;,]|\bbut\b|\band (?={_VERB}\b)", re.IGNORECASE)
_RIGHT_BOUNDARY = re.compile(rf"[;,.]|\bbut\b|\bor\b|\botherwise\b|\band (?={_VERB}\b)", re.I)

_BEFORE = re.compile(r"\b(?:before|prior to|ahead of|precedes?)\b", re.IGNORECASE)
_AFTER = re.compile(r"\b(?:after|once|as soon as|following|follows)\b", re.IGNORECASE)
_ONLY_WITH = re.compile(r"\b(?:without|until|unless)\b", re.IGNORECASE)
_NEEDS = re.compile(
    r"\b(?:requires?|(?<!you )(?<!we )needs?|depends on|presupposes|relies on)\b", re.IGNORECASE
)
_THEN = re.compile(
    r"\b(?:then|next|followed by|finally|afterwards|later)\b|->|=>|\u2192|\b\d[.)]", re.IGNORECASE
)
_FIRST = re.compile(r"\b(?:first|start\w*|begin\w*)\b", re.IGNORECASE)
_LATE_FIRST = re.compile(r"^\W*(?:\S+\W+){0,4}first\b", re.IGNORECASE)
_GOAL = re.compile(r"\b(?:to|for|when|if|whenever)\b", re.IGNORECASE)
_AT_FIRST = re.compile(r"\bfirst\W+(?:\w+\W+){0,3}$", re.IGNORECASE)
_REFUSED_TAIL = re.compile(
    r"^[^,;.]*\b(?:(?:is|are|was|were) (?:\w+ )?"
    r"(?:wrong|rejected|refused|blocked|invalid|forbidden)"
    r"|fails?)\b",
    re.IGNORECASE,
)
_NEGATED_HEAD = re.compile(
    r"\b(?:not|never|no|nothing|cannot|can't|don't|mustn't|shouldn't|avoid\w*|refuse\w*|"
    r"blocked|wrong|fails?|forget\w*|skip\w*|omit\w*|miss(?:es|ing)?|neglect\w*)\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r",\s*(?:under|in|at|for|by|with|please|ever|of course)\b[^,;:]*,", re.IGNORECASE
)
_NO_ORDER = (
    r"needn't|(?:need|needs) not|no (?:need|reason|point)|no longer (?:need|have|required)\w*|"
    r"(?:not|\w+n't|never|without) (?:\w+ ){0,2}?(?:have|has|having|need|needs|needing|needed|"
    r"requires?|required|necessary|obliged|obligatory|mandatory|essential|matter)|"
    r"unnecessary|superfluous|optional\w*|pointless|useless|irrelevant|regardless|whether|"
    r"never mind|no difference|no matter|nothing (?:needs|has) to|"
    r"not (?:wrong|forbidden)|(?:free|allowed|permitted|okay|ok|fine) to"
)
_LIFTED = re.compile(rf"\b(?:{_NO_ORDER})\b", re.IGNORECASE)
"""Words that say an order is not needed: then none is told, in neither direction."""
_LIFTED_TAIL = re.compile(rf"^[^,;:]*?\b(?:{_NO_ORDER})\b", re.IGNORECASE)
_PERMITTED = re.compile(r"\b(?:may|can|could|might)\b(?! not)(?![^,;:]*\bonly\b)", re.IGNORECASE)
_WITHOUT = re.compile(r"\bwithout\b", re.IGNORECASE)


def sentences(text: str) -> tuple[str, ...]:
    """Split text into sentences; list items are sentences, wrapped lines are joined."""
    whole: list[str] = []
    for line in _joined(text):
        clean = _SHORT_FORMS.sub(lambda match: match.group().replace(".", ""), line)
        parts = (part.strip() for part in _END.split(_ITEM.sub("", clean)))
        whole.extend(piece for part in parts if part for piece in _cut(part))
    return tuple(whole)


def passages(text: str) -> tuple[str, ...]:
    """Sentences, those that go on with `then` and the like joined to the one before."""
    joined: list[str] = []
    for sentence in sentences(text):
        if joined and _SEQUEL.match(sentence):
            joined[-1] += " then " + sentence
        else:
            joined.append(sentence)
    return tuple(joined)


def steps(text: str) -> tuple[str, ...]:
    """Items of a numbered list; of a bulleted one when the text calls it a procedure."""
    lines = _joined(text)
    numbered = [line for line in lines if _NUMBER.match(line)]
    if len(numbered) > 1:
        return tuple(_ITEM.sub("", line) for line in numbered)
    bullets = [line for line in lines if _BULLET.match(line)]
    if len(bullets) > 1 and _PROCEDURE.search(text):
        return tuple(_ITEM.sub("", line) for line in bullets)
    return ()


def mentions(sentence: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """The first mentions of a pattern; more tell nothing new."""
    return islice(pattern.finditer(sentence), MAX_MENTIONS)


def is_denied(sentence: str, match: re.Match[str]) -> bool | None:
    """Tell whether a mention is denied; null when the sentence only says when it is due."""
    left = _after_label(_LEFT_BOUNDARY.split(sentence[: match.start()])[-1])
    right = _RIGHT_BOUNDARY.split(sentence[match.end() :])[0]
    if _LIFTS.search(left):
        return False
    count = len(_NEGATOR.findall(left))
    count += bool(_CONSEQUENCE.search(right))
    if count % 2 and _CONDITION.search(right):
        return None
    return count % 2 == 1


def _after_label(left: str) -> str:
    """Cut a clause that ends in a colon; a label such as `Wrong:` goes on counting."""
    clause, colon, rest = left.rpartition(":")
    return rest if colon and len(clause.split()) > MAX_LABEL_WORDS else left


def affirmed(sentence: str, pattern: re.Pattern[str]) -> bool:
    """Tell whether some mention of a pattern is affirmed."""
    return any(is_denied(sentence, match) is False for match in mentions(sentence, pattern))


def denied(sentence: str, pattern: re.Pattern[str]) -> bool:
    """Tell whether some mention of a pattern is denied."""
    return any(is_denied(sentence, match) is True for match in mentions(sentence, pattern))


def order_of(sentence: str, a: re.Pattern[str], b: re.Pattern[str]) -> Order | None:
    """Which of two things a sentence puts first; null when it does not say."""
    one, other = a.search(sentence), b.search(sentence)
    if one is None or other is None or one.start() == other.start():
        return None
    is_a_first = one.start() < other.start()
    early, late = (one, other) if is_a_first else (other, one)
    follows = _follows(
        sentence[: early.start()], sentence[early.end() : late.start()], sentence[late.end() :]
    )
    if follows is None:
        return None
    return "ab" if follows == is_a_first else "ba"


def _follows(head: str, between: str, tail: str) -> bool | None:
    """Whether the thing named first also comes first; null when nothing says so."""
    clause = _LEFT_BOUNDARY.split(_ASIDE.sub(" ", head).replace(":", ";"))[-1]
    if _LIFTED.search(clause) or _LIFTED.search(between) or _LIFTED_TAIL.search(tail):
        return None
    negators = len(_NEGATED_HEAD.findall(clause)) + bool(_REFUSED_TAIL.search(tail))
    is_negated = negators % 2 == 1
    if _WITHOUT.search(between) and not is_negated:
        return None
    if _ONLY_WITH.search(between):
        return not is_negated
    if _BEFORE.search(between):
        is_allowed = not is_negated and _PERMITTED.search(clause + between)
        return None if is_allowed else not is_negated
    if _AFTER.search(between):
        return is_negated
    if _BEFORE.search(head) or _LATE_FIRST.search(tail) or _names_goal(head, between):
        return False
    if _AFTER.search(head):
        return True
    if _NEEDS.search(between):
        return False
    return True if _THEN.search(between) or _FIRST.search(head + between) else None


def _names_goal(head: str, between: str) -> bool:
    """`To reach one thing, first do the other`."""
    return bool(_GOAL.search(head) and _AT_FIRST.search(between))


def step_order(items: Sequence[str], a: re.Pattern[str], b: re.Pattern[str]) -> Order | None:
    """Which of two things comes first in a list of steps; null when one is not there."""
    first_a = next((place for place, item in enumerate(items) if affirmed(item, a)), None)
    first_b = next((place for place, item in enumerate(items) if affirmed(item, b)), None)
    if first_a is None or first_b is None or first_a == first_b:
        return None
    return "ab" if first_a < first_b else "ba"


def _cut(sentence: str) -> list[str]:
    """Bound the length of what patterns are run over."""
    return [sentence[i : i + MAX_SENTENCE] for i in range(0, len(sentence), MAX_SENTENCE)]


def _joined(text: str) -> list[str]:
    """Lines with straight quotes; a line that goes on from the one before is joined to it."""
    lines: list[str] = []
    for raw in text.translate(_STRAIGHT).splitlines():
        line = raw.strip()
        is_new = not lines or not line or _ITEM.match(raw) is not None
        if is_new or not lines[-1] or lines[-1][-1] in ".:!?" or lines[-1].startswith("#"):
            lines.append(line)
        else:
            lines[-1] += " " + line
    return [line for line in lines if line]
