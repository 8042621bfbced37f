"""Cues about what comes when: a yes before a change, a look before an answer, no hand-over."""

import re
from collections.abc import Sequence

from tasks.agent.simulated_reading import affirmed, denied, order_of, step_order
from tasks.agent.simulated_world import Cue

_I = re.IGNORECASE

_ASK = re.compile(
    r"\bask(?:s|ed|ing)?\b(?=[^.;]*\b(?:customer|user|they|them|confirm\w*|consent|agree\w*|yes|"
    r"permission|approval|first)\b)"
    r"|\bshall I\b|\b(?:confirmation|consent|approval|permission|agreement|go-ahead)\b"
    r"|\b(?:customer|user|they|he or she)\b[^.;,]{0,30}\b(?:agree[sd]?|confirm(?:s|ed)?"
    r"|consent(?:s|ed)?"
    r"|approve[sd]?|says? yes|said yes|accept(?:s|ed)?)\b"
    r"|\b(?:a|an|the|clear|explicit|their) (?:clear |explicit )?yes\b"
    r"|\bconfirm(?:s|ed|ing)? (?:it |this |that |the (?:change|details) )?with\b",
    _I,
)
_WRITE = re.compile(
    r"\b(?:cancel_order|return_items|exchange_items|change_payment)\b"
    r"|\bwriting (?:tools?|calls?)\b|\bwrite (?:tools?|calls?)\b|\bcall it\b"
    r"|\b(?:mak|carr|appl|execut|perform)\w*\s+(?:out )?(?:an?|any|the|each"
    r"|every) (?:change|write)\b"
    r"|\bcall\w* an?y? tool that changes\b|\btools? that changes?\b|\bchang(?:e"
    r"|ing) (?:an|the|any) order\b",
    _I,
)
_AFTER_YES = re.compile(
    r"\b(?:call|run|use|make|do) (?:it|them|this) (?:only )?(?:after|once|when)\b[^.;]*"
    r"\b(?:yes|agree\w*|confirm\w*|consent\w*|approv\w*)\b",
    _I,
)
_ASK_WHETHER = re.compile(r"\b(ask\w* (?:the \w+|them)) whether\b", _I)
_WITHOUT_YES = re.compile(r"\b(?:without|unless|until)\b", _I)
_FORBIDS = re.compile(r"\b(?:not|never|no|don't|cannot|refus\w+|block\w+)\b", _I)


def read_consent(passage: str) -> list[Cue]:
    """Whether the customer is asked before a change is made."""
    passage = _ASK_WHETHER.sub(r"\1 if", passage)
    order = order_of(passage, _ASK, _WRITE)
    if order is not None:
        return [Cue("unasked_change", is_right=order == "ab")]
    if affirmed(passage, _AFTER_YES):
        return [Cue("unasked_change", is_right=True)]
    if not (_ASK.search(passage) and _WRITE.search(passage)):
        return []
    without = _WITHOUT_YES.search(passage)
    if without:
        clause = re.split(r"[:;,]", passage[: without.start()])[-1]
        return [Cue("unasked_change", is_right=bool(_FORBIDS.search(clause)))]
    return [Cue("unasked_change", is_right=False)] if denied(passage, _ASK) else []


_VERSIONS = re.compile(
    r"\bget_product\b|\b(?:look|read|check|find)\w*\s+(?:\w+ )?(?:up |at )?(?:the |all "
    r"|its |which )"
    r"(?:\w+ )?(?:versions?|variants?)\b|\blist of (?:versions|variants)\b",
    _I,
)
_EXCHANGE = re.compile(r"\bexchange_items\b|\bexchang(?:e|es|ing)\b(?!_)|\bnew_item_ids\b", _I)
_GUESS = re.compile(r"\bguess\w*\b", _I)


def read_look_up(passage: str) -> list[Cue]:
    """Whether versions are looked up before an exchange."""
    order = order_of(passage, _VERSIONS, _EXCHANGE)
    if order is not None:
        return [Cue("guessed_version", is_right=order == "ab")]
    is_about = bool(_EXCHANGE.search(passage) or _VERSIONS.search(passage))
    if is_about and affirmed(passage, _GUESS):
        return [Cue("guessed_version", is_right=False)]
    if _EXCHANGE.search(passage) and denied(passage, _VERSIONS):
        return [Cue("guessed_version", is_right=False)]
    return []


_LOOK = re.compile(
    r"\bget_order\b|\b(?:look\w*|read\w*|check\w*|open\w*|inspect\w*)\s+(?:\w+ )?(?:up |at |into )?"
    r"(?:the|an|their|its|each|that) (?:customer's )?order\b",
    _I,
)
_REFUSE = re.compile(
    r"\b(?:refus(?:e|es|ed|ing|al)\b(?! with)|declin(?:e|es|ed|ing)|reject(?:s|ed|ing)?|sorry"
    r"|turn(?:s|ing)? (?:\w+ ){0,3}down|say(?:s|ing)? (?:that )?(?:no\b|it cannot|something cannot)"
    r"|tell(?:ing)? (?:\w+ ){1,3}(?:that )?(?:it|something) (?:cannot|is impossible"
    r"|is not possible)"
    r"|a no\b)",
    _I,
)


def read_refusal(passage: str) -> list[Cue]:
    """Whether the order is looked at before something is refused."""
    order = order_of(passage, _LOOK, _REFUSE)
    if order is not None:
        return [Cue("early_refusal", is_right=order == "ab")]
    if _REFUSE.search(passage) and denied(passage, _LOOK):
        return [Cue("early_refusal", is_right=False)]
    return []


def read_steps(items: Sequence[str]) -> list[Cue]:
    """What the order of a list of steps says."""
    cues: list[Cue] = []
    pairs = (
        ("unasked_change", _ASK, _WRITE),
        ("guessed_version", _VERSIONS, _EXCHANGE),
        ("early_refusal", _LOOK, _REFUSE),
    )
    for kind, before, after in pairs:
        order = step_order([_up_to(item, after) for item in items], before, after)
        if order is not None:
            cues.append(Cue(kind, is_right=order == "ab"))
    return cues


def _up_to(item: str, pattern: re.Pattern[str]) -> str:
    """An item up to what is named; what is said about it behind does not take it back."""
    match = pattern.search(item)
    return item[: match.end()] if match else item


_HANDOVER = re.compile(
    r"\btransfer_to_human\b|\btransfer\w* (?:\w+ ){0,3}to a (?:human|person|colleague)\b"
    r"|\bhand(?:s|ed|ing)? (?:\w+ ){0,3}over\b|\bhand-?overs?\b|\bescalat\w*\b",
    _I,
)
_RARE = re.compile(
    r"\b(?:only|last resort|gives? (?:the task|it) away|did without|do without|rarely"
    r"|seldom|needless"
    r"|unless|loses?|fails?|counts? as (?:failed|not done)|ends? (?:the talk"
    r"|it) (?:undone|unsolved))\b",
    _I,
)
_CASE = re.compile(r"\b(?:when|whenever|if)\b", _I)
_ASKED_FOR = re.compile(
    r"\b(?:call|use|make|do|always|must|should|rather|better|prefer|best|safest|when|whenever|if|just"
    r"|pass|let|immediately|right away|at once)\b",
    _I,
)


def read_handover(sentence: str) -> list[Cue]:
    """Whether the talk is to be handed over."""
    if not _HANDOVER.search(sentence):
        return []
    said = _CASE.split(sentence)[0]
    said = said if _HANDOVER.search(said) else sentence
    if denied(said, _HANDOVER) or _RARE.search(sentence):
        return [Cue("needless_handover", is_right=True)]
    is_asked = affirmed(said, _HANDOVER) and bool(_ASKED_FOR.search(sentence))
    return [Cue("needless_handover", is_right=False)] if is_asked else []
