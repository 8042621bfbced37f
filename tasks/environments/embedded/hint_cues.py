"""Cues of texts that have just come in, the same in every world: a call is being repeated."""

import re

from tasks.agent.simulated_world import Cue

_I = re.IGNORECASE
_AGAIN = re.compile(
    r"\b(?:same|identical|exact)\s+(?:\w+\s+)?(?:calls?|actions?|commands?|quer(?:y|ies)|questions?"
    r"|messages?|arguments?|steps?|results?|answers?|observations?|thing)\b|\brepeat\w*\b"
    r"|\brepetition\b|\balready (?:been |has |was |have )?(?:made|done|tried|sent|asked|answered"
    r"|failed|executed|called|used|seen|returned)\b|\bloop\w*\b|\bstuck\b|\bno progress\b"
    r"|\bnothing (?:has )?changed\b|\bchang(?:ed|es) nothing\b|\bin circles\b|\bidentical\b"
    r"|\b(?:different|other|another) (?:call|command|action|step|question|approach)\b"
    r"|\bsomething else\b",
    _I,
)
_DO_AGAIN = re.compile(
    r"^(?:hint: ?)?(?:please |now |just )?(?:repeat|retry|redo|try again|(?:run|do|send"
    r"|make|call|try"
    r"|ask) (?:it|this|that|the (?:same )?(?:call|command|action|step|question)) (?:again"
    r"|once more))"
    r"\b",
    _I,
)


_UNTRIED = re.compile(
    r"\bnot (?:yet )?(?:tried|used|opened|seen|visited)(?: yet)?\s*:", re.IGNORECASE
)


def offer_untried(text: str) -> str:
    """The text with labels such as `Not used yet:` without their `not`: it denies nothing."""
    return _UNTRIED.sub("Untried:", text)


def read_repetition(sentence: str) -> list[Cue]:
    """Whether a sentence says that something is repeated, or asks for it."""
    if _DO_AGAIN.search(sentence):
        return [Cue("repetition", is_right=False, detail="again")]
    return [Cue("repetition", is_right=True)] if _AGAIN.search(sentence) else []
