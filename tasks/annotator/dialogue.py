"""Phrases of a conversation between agent and user: consent, claims, refusals, requests.

Word lists name speech acts in general; none is taken from a sample.
"""

import re
from collections.abc import Iterable, Iterator

from tasks.annotator.profile import EnvironmentProfile
from tasks.annotator.timeline import Timeline, Turn
from tasks.annotator.tool_definitions import name_words

_CONSENT = re.compile(
    r"\b(?:yes|yeah|yep|yup|sure|ok|okay|confirm(?:ed)?|agree[ds]?|proceed|go ahead|go for it|"
    r"do (?:it|that|so)|sounds (?:good|great|fine|perfect)|that works|works for me|"
    r"correct|right|absolutely|definitely|of course|please do|perfect|fine)\b",
    re.I,
)
_REFUSAL = re.compile(
    r"\b(?:unfortunately|unable|cannot|can't|can not|not able|not possible|isn't possible|"
    r"not allowed|not permitted|(?:don't|do not) have (?:access|the ability)|"
    r"won't be able|couldn't|could not|without (?:the|your|that))\b",
    re.I,
)
_DONE = re.compile(
    r"\b(?:ha(?:s|ve) (?:now |also |already |just )?been|ha(?:s|ve) successfully|successfully|"
    r"(?:is|are) now|I(?:'ve| have)(?! to\b| not\b| no\b))\b",
    re.I,
)
_CHANGE = re.compile(
    r"\b(?:updat|chang|modif|add|book|cancel|process|submitt|issu|sent|refund|return|exchang|"
    r"remov|upgrad|downgrad|complet|appli|made|set|plac|creat|enabl|disabl|resum|suspend|"
    r"refuel|activ|deliver|paid|charg)\w{0,5}\b",
    re.I,
)
_NOT_DONE = re.compile(
    r"\b(?:not|cannot|can't|unable|couldn't|n't|if|once|would|will|after|before|need|needs|already)\b",
    re.I,
)
_REQUEST = re.compile(r"please (?:provide|share|confirm|reply|specify|choose|tell|send|give)")
_IDENTIFIER = re.compile(
    r"\b(?:need|require[sd]?|provide|have|without)\b[^.!?\n]{0,80}\b(?:ids?|numbers?|code|e-?mail)\b",
    re.I,
)
_LACKING = re.compile(
    r"(?:don't|do not|dont|can't|cannot|not|no longer)\s(?:\w+\s){0,3}?"
    r"(?:have|remember|recall|know|find|sure|handy)|"
    r"another way|other way|look (?:it|that|them|this) up",
    re.I,
)
_SENTENCE = re.compile(r"[^.!?\n]{1,600}[.!?\n]?")
_PLAIN_VERBS = frozenset({"update", "modify", "set", "change", "do", "make", "send", "add"})


def sentences(text: str) -> Iterator[str]:
    """Sentences of a text, bounded in number."""
    for number, match in enumerate(_SENTENCE.finditer(text[:20_000])):
        if number > 200:
            return
        yield match.group(0)


def is_consent(text: str) -> bool:
    """Whether a user agrees to what was proposed."""
    return _CONSENT.search(text[:4000]) is not None


def is_refusal(text: str) -> bool:
    """Whether the agent says that something cannot be done."""
    return _REFUSAL.search(text[:8000]) is not None


def lacks_something(text: str) -> bool:
    """Whether the user cannot give what was asked for, or asks to have it looked up."""
    return _LACKING.search(text[:4000]) is not None


def demands_identifier(text: str) -> bool:
    """Whether the agent asks for an id, number or address of the user."""
    return _IDENTIFIER.search(text[:8000]) is not None


def asks_question(text: str) -> bool:
    """Whether a message ends in a question or request for information."""
    tail = text[-600:].lower()
    return "?" in tail or _REQUEST.search(tail) is not None


def is_akin(word: str, other: str) -> bool:
    """Whether two words share their stem: `bags` and `baggages`, `cancel` and `cancelled`."""
    shorter = min(len(word), len(other))
    common = 0
    while common < shorter and word[common] == other[common]:
        common += 1
    return common >= 3 and common >= 0.7 * shorter


def key_words(tool: str, profile: EnvironmentProfile) -> list[str]:
    """Words of a tool's name that no other writing tool has and that say what it does."""
    others = [w for name in profile.write_tools - {tool} for w in name_words(name)]
    own = [word for word in name_words(tool) if len(word) > 3 and word not in _PLAIN_VERBS]
    return [word for word in own if word not in others] or own


def mentions(text: str, words: Iterable[str]) -> bool:
    """Whether a text has a word akin to one of some words."""
    said = re.findall(r"[a-z]{3,30}", text[:20_000].lower())
    return any(is_akin(word, one) for word in words for one in set(said))


def claim_of(text: str, words: Iterable[str]) -> str | None:
    """The sentence that claims a deed with one of the words; None when there is none."""
    wanted = list(words)
    for sentence in sentences(text):
        is_done = _DONE.search(sentence) and _CHANGE.search(sentence)
        is_claim = is_done and not _NOT_DONE.search(sentence)
        if is_claim and mentions(sentence, wanted):
            return sentence.strip()
    return None


def messages(timeline: Timeline) -> list[Turn]:
    """Turns of the agent that say something."""
    return [turn for turn in timeline.turns if turn.text.strip()]


def first_refusal(timeline: Timeline) -> Turn | None:
    """The first message in which the agent says that something cannot be done."""
    return next((turn for turn in messages(timeline) if is_refusal(turn.text)), None)
