"""Cues about what comes when: read before answering, look up before writing, hand in last."""

import re
from collections.abc import Sequence

from tasks.agent.simulated_reading import affirmed, denied, order_of, step_order
from tasks.agent.simulated_world import Cue
from tasks.environments.sqldesk.world import FINAL_TOOL, QUERY_TOOL

_I = re.IGNORECASE

_FINAL = re.compile(FINAL_TOOL.replace("_", "[_ ]"), _I)
_CHANGE = re.compile(
    r"\b(?:insert\w*|updat\w+|delet\w+|mutat\w+|writ(?:e|es|ing|ten)|chang\w+|modif\w+)\b"
    r"|\brows? affected\b",
    _I,
)
_END = re.compile(
    r"\b(?:end|ends|ending|finish\w*|last|clos\w+|complet\w+|conclud\w+|final step|done|always"
    r"|every task|each task|all tasks|required|must|mandatory|still|yet|next|now"
    r"|counts?|over|until|unless)\b",
    _I,
)
_OTHER_END = re.compile(
    rf"\b(?:end|finish|close|conclude)\b[^.;,]*\b(?:with|by|calling|using)\b[^.;,]*"
    rf"(?:{QUERY_TOOL}|\bfinish\b|\bsubmit\w*\b|\bdone\b|\banswer\(\))",
    _I,
)


_STATUS = re.compile(
    r"\b(?:not|never) (?:yet )?(?:been )?(?:yet )?(?:used|called|made|tried)\b"
    r"(?! (?:after|for|in))",
    _I,
)
_AIMED_AT = re.compile(rf"\b(?:in|into|by|of|for|to|inside|within)\W+{_FINAL.pattern}", _I)


def read_hand_in(sentence: str) -> list[Cue]:
    """Whether the final tool is due after a change too."""
    if not _FINAL.search(sentence):
        is_other = affirmed(sentence, _OTHER_END)
        return [Cue("done_without_final", is_right=False, detail="other")] if is_other else []
    if _STATUS.search(sentence):
        return []
    if denied(sentence, _FINAL) and not _AIMED_AT.search(sentence):
        return [Cue("done_without_final", is_right=False, detail="skip")]
    is_due = bool(_CHANGE.search(sentence) or _END.search(sentence))
    is_right = affirmed(sentence, _FINAL) and is_due
    return [Cue("done_without_final", is_right=True)] if is_right else []


_RUN = re.compile(
    rf"{QUERY_TOOL}|\b(?:run|execut|issu|send|mak)\w*\s+(?:a|an|the|your|at least one|one)?"
    r"\s*(?:\w+\s+)?(?:query|select|sql|statement)\b"
    r"|\b(?:read|look\w* at|inspect|query|quer\w+)\w*\s+(?:\w+\s+)?"
    r"(?:table|data|database|rows)\b",
    _I,
)
_HAND_IN = re.compile(rf"{FINAL_TOOL}|\bfinal answer\b|\bcommit\w*\b|\banswering\b", _I)


def read_first_read(passage: str) -> list[Cue]:
    """Whether something is executed before the answer is handed in."""
    order = order_of(passage, _RUN, _HAND_IN)
    return [] if order is None else [_read_first(is_right=order == "ab")]


def _read_first(*, is_right: bool) -> Cue:
    return Cue("early_commit", is_right, "" if is_right else "commit")


_LOOK_UP = re.compile(
    r"\bdistinct\b|\b(?:stored|existing|actual|used|known|available|allowed|possible)\s+"
    r"(?:\w+\s+)?(?:codes?|values?|spellings?|forms?|terms?)\b"
    r"|\blook(?:s|ed|ing)?[- ]?up\b|\blookup\b"
    r"|\b(?:which|what) (?:codes?|values?)\b|\bcodes? (?:the|a|that|which|in)\b",
    _I,
)
_WRITE = re.compile(
    r"\b(?:insert\w*|updat\w+|mutat\w+|writ(?:e|es|ing)|chang\w+|modif\w+|filter\w*|(?-i:SET|WHERE))\b",
    _I,
)
_READ_STEP = re.compile(r"\bselect\b", _I)
_TAKE_WORD = re.compile(
    r"\b(?:words?|values?|terms?|status|wording)\b[^.;]{0,40}"
    r"\b(?:as (?:it|they) (?:stands?|is|are|appears?)"
    r"|verbatim|literally|unchanged|exactly as (?:written|given|stated))\b|\bguess\w*\b",
    _I,
)


def read_look_up(passage: str) -> list[Cue]:
    """Whether stored values are looked up before they are written or filtered on."""
    if affirmed(passage, _TAKE_WORD) and not affirmed(passage, _LOOK_UP):
        return [_guess()]
    if denied(passage, _LOOK_UP) and not affirmed(passage, _LOOK_UP):
        return [_guess()]
    order = order_of(passage, _LOOK_UP, _WRITE)
    return [] if order is None else [_looked(is_right=order == "ab")]


def read_steps(items: Sequence[str]) -> list[Cue]:
    """What the order of a list of steps says."""
    cues: list[Cue] = []
    look = step_order(items, _LOOK_UP, _WRITE) or step_order(items, _READ_STEP, _WRITE)
    if look is not None:
        cues.append(_looked(is_right=look == "ab"))
    run = step_order(items, _RUN, _FINAL)
    if run is not None:
        cues.append(_read_first(is_right=run == "ab"))
    if items and affirmed(items[-1], _FINAL):
        cues.append(Cue("done_without_final", is_right=True))
    return cues


def _looked(*, is_right: bool) -> Cue:
    return Cue("skipped_lookup", is_right=True) if is_right else _guess()


def _guess() -> Cue:
    return Cue("skipped_lookup", is_right=False, detail="guess")


_AGAIN = re.compile(
    r"\b(?:same|identical)\s+(?:\w+\s+)?(?:calls?|quer(?:y|ies)|actions?|statements?|commands?"
    r"|arguments?|results?|observations?|steps?|thing)\b|\brepeat\w*\b|\brepetition\b"
    r"|\bduplicate (?:call|query)\b|\balready (?:been |has |was )?(?:made|run|ran|executed|called"
    r"|tried|sent|issued|returned|given|seen|done)\b"
    r"|\bloop\w*\b|\bstuck\b|\bno progress\b|\bnothing (?:has )?changed\b|\bgoing in circles\b"
    r"|\b(?:different|other|another) (?:call|query|action|step|approach|statement)\b"
    r"|\bsomething else\b"
    r"|\b(?:run|call|execute|send|try)\w* [^.;,]{0,30}\bagain\b|\bidentical\b",
    _I,
)
_DO_AGAIN = re.compile(
    r"^(?:please |now |just )?(?:repeat|retry|rerun|try again|(?:run|call|execute|send|try) "
    r"(?:it|this|that|the (?:same )?(?:query|call)) (?:again|once more))\b",
    _I,
)
_WHEN = re.compile(r"\b(?:when|after|once|before|if|until|unless|first|finish\w*|end|done)\b", _I)


def read_hint(sentence: str) -> list[Cue]:
    """What a text that has just come in says about the next step."""
    cues: list[Cue] = []
    if _DO_AGAIN.search(sentence):
        cues.append(Cue("repetition", is_right=False, detail="again"))
    elif _AGAIN.search(sentence):
        cues.append(Cue("repetition", is_right=True))
    if affirmed(sentence, _FINAL) and not _WHEN.search(sentence) and not _AGAIN.search(sentence):
        cues.append(Cue("early_commit", is_right=False, detail="commit"))
        cues.append(Cue("done_without_final", is_right=True))
    return cues


_TEXT_CALL = re.compile(
    r"\b(?:write|put|give|answer|reply|respond|output)\w*\b[^.;]*\b(?:code block|fenced|plain text|"
    r"as text|in your (?:message|reply))\b",
    _I,
)


_CALL_NOUN = re.compile(r"\b(?:calls?|sql|quer(?:y|ies)|statements?|tools?)\b", _I)


def read_prose(sentence: str) -> list[Cue]:
    """A text that asks for calls in prose; none makes a model stop it."""
    is_asked = bool(_CALL_NOUN.search(sentence)) and affirmed(sentence, _TEXT_CALL)
    return [Cue("prose_call", is_right=False, detail="text")] if is_asked else []
