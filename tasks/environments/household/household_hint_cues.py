"""Cues of texts that have just come in: repetition, and a search that goes to and fro."""

import re

from tasks.agent.simulated_reading import affirmed
from tasks.agent.simulated_world import Cue

_I = re.IGNORECASE
_AGAIN = re.compile(
    r"\b(?:same|identical|exact)\s+(?:\w+\s+)?(?:calls?|actions?|commands?|steps?|results?"
    r"|observations?|thing)\b|\brepeat\w*\b|\brepetition\b|\balready (?:been |has |was )?"
    r"(?:made|done|tried|sent|failed|executed|used)\b|\bloop\w*\b|\bstuck\b|\bno progress\b"
    r"|\bnothing (?:has )?changed\b|\bchanged nothing\b|\bchanges nothing\b|\bin circles\b"
    r"|\b(?:different|other|another) (?:call|command|action|step|approach)\b|\bsomething else\b"
    r"|\bidentical\b",
    _I,
)
_DO_AGAIN = re.compile(
    r"^(?:hint: ?)?(?:please |now |just )?(?:repeat|retry|redo|try again|(?:run|do|send|try) "
    r"(?:it|this|that|the (?:same )?(?:command|action|step)) (?:again|once more))\b",
    _I,
)
_NEW = re.compile(
    r"\b(?:not|never)(?: been)?(?: yet)? (?:tried|visited|searched|seen|checked|explored|looked at"
    r"|been to|opened|gone to)\b|\b(?:unvisited|unsearched|unexplored|unseen|untried|new|fresh"
    r"|remaining)\b|\b(?:another|different|other) (?:place|spot|room|one|receptacle)s?\b"
    r"|\bnot (?:yet )?(?:been )?(?:tried|visited|searched|checked)\b",
    _I,
)
_PLACE = re.compile(
    r"\bgo to [a-z]+ \d+\b|\b(?:places?|spots?|receptacles?)\b|\b[a-z]{3,9} \d+\b", _I
)
_FRO = re.compile(
    r"\bto and fro\b|\bback and forth\b|\bin circles\b|\balready (?:been|searched|visited|seen|"
    r"looked)\b|\bbetween (?:the same )?(?:two|2|\d|a few|known|visited)\b"
    r"|\b(?:visited|searched) (?:\w+ )?(?:twice|before|already|\d times)\b"
    r"|\bsame (?:\w+ )?places?\b",
    _I,
)
_BACK = re.compile(
    r"\b(?:go|walk|return) back\b(?! and forth)|\bsearch (?:\w+ ){0,3}(?:again|once more)\b"
    r"|\b(?:visit|check|search) the same\b|\bkeep (?:visiting|checking|searching)\b",
    _I,
)


def read_hint(sentence: str) -> list[Cue]:
    """What a text that has just come in says about the next step."""
    cues: list[Cue] = []
    if _DO_AGAIN.search(sentence):
        cues.append(Cue("repetition", is_right=False, detail="again"))
    elif _AGAIN.search(sentence):
        cues.append(Cue("repetition", is_right=True))
    if affirmed(sentence, _BACK):
        return [*cues, Cue("search_loop", is_right=False, detail="back")]
    is_new = bool(_NEW.search(sentence) and _PLACE.search(sentence))
    if is_new or _FRO.search(sentence):
        cues.append(Cue("search_loop", is_right=True))
    if re.search(r"[`\"']open [a-z]+ \d+", sentence, _I) and not re.search(
        r"\bnot\b.{0,20}open", sentence
    ):
        cues.append(Cue("closed_place", is_right=True))
    return cues
