"""EC2 and RR of writing tools: what was changed without being asked for, agreed or allowed."""

import re

from tasks.annotator.canonical import mask
from tasks.annotator.course import Deviation, compare, executed_writes
from tasks.annotator.dialogue import is_consent
from tasks.annotator.hits import Hit, View, call_evidence, hit_at, quote, sign
from tasks.annotator.rules.action_realization import NOT_THE_CALLS_FAULT, refusal
from tasks.annotator.timeline import CallView, Turn

_SPEAKING_ID = re.compile(r"([A-Za-z]{3,}(?:_[A-Za-z]{2,})+)_\d+\Z|([A-Za-z]{4,})_\d+\Z")


def _hit(
    rule: str, turn: Turn, call: CallView, signature: dict[str, object], **facts: object
) -> Hit:
    uses_gold = bool(facts.pop("uses_gold", False))
    return Hit(
        rule,
        "EC2",
        turn.index,
        turn.step_index,
        signature,
        call_evidence(turn, call) | facts,
        uses_gold=uses_gold,
        is_lasting_write=True,
    )


def unexpected_write(view: View) -> list[Hit]:
    """EC2: a write that the task does not ask for, by the oracle's calls."""
    if not view.gold.is_state_checked:
        return []
    return [
        _hit(
            "unexpected_write",
            item.turn,
            item.call,
            sign("write_unexpected", tool=item.call.run_tool),
            expected=[quote(call.key) for call in view.gold.calls[:10]],
            uses_gold=True,
        )
        for item in compare(view).deviations
        if item.twin is None
    ]


def precondition_violated(view: View) -> list[Hit]:
    """EC2: a write against a precondition that the environment's policy states."""
    hits: list[Hit] = []
    guarded = {condition.tool for condition in view.profile.preconditions}
    for turn, call in executed_writes(view):
        if call.run_tool not in guarded:
            continue
        reason = view.profile.violation(call.run_tool, call.run_arguments, view.records(turn.index))
        if reason is None:
            continue
        signature = sign("precondition", tool=call.run_tool, reason=reason)
        hits.append(_hit("precondition_violated", turn, call, signature, reason=reason))
    return hits


def write_refused(view: View) -> list[Hit]:
    """EC2: a readable change that the environment refused for a reason, and never made later.

    With gold the oracle tells what was missing, so only runs without it are looked at.
    """
    if view.gold.is_known:
        return []
    hits: list[Hit] = []
    for turn, call in view.timeline.calls():
        is_refused = call.failed and view.profile.is_write(call.run_tool)
        if not is_refused or call.error_kind in NOT_THE_CALLS_FAULT or not call.result:
            continue
        if refusal(view, turn, call) is not None or _works_otherwise(view, turn, call):
            continue
        signature = sign("write_refused", tool=call.run_tool, error=mask(call.result))
        evidence = call_evidence(turn, call) | {"error": quote(call.result)}
        hits.append(hit_at(turn, "write_refused", "EC2", signature, evidence, intent=call.run_tool))
    return hits


def _works_otherwise(view: View, turn: Turn, call: CallView) -> bool:
    """Whether the change is made later, or this very call was made before and is repeated."""
    made = executed_writes(view)
    is_made_later = any(
        other.index > turn.index and one.run_tool == call.run_tool for other, one in made
    )
    return is_made_later or any(one.action_key == call.action_key for _, one in made)


def consent_missing(view: View) -> list[Hit]:
    """EC2: a write before the user agreed to it, where the instructions demand consent."""
    if not view.profile.is_consent_required or not view.timeline.has_user:
        return []
    wrong = {id(item.call) for item in compare(view).deviations}
    hits: list[Hit] = []
    for turn, call in executed_writes(view):
        asked, said = _last_exchange(view, turn)
        is_agreed = asked is not None and is_consent(said)
        if is_agreed or (view.gold.is_known and id(call) not in wrong):
            continue
        signature = sign("consent_missing", tool=call.run_tool)
        hits.append(_hit("consent_missing", turn, call, signature, user=quote(said)))
    return hits[:1]


def _last_exchange(view: View, turn: Turn) -> tuple[Turn | None, str]:
    """The user's last message before a turn and the agent's message that it answers."""
    for heard in reversed(view.timeline.turns[: turn.index + 1]):
        if heard.heard:
            before = [t for t in view.timeline.turns[: heard.index] if t.text.strip()]
            return (before[-1] if before else None), heard.heard
    return None, ""


def argument_not_agreed(view: View) -> list[Hit]:
    """EC2: a write with a means, such as a card, that nobody had named in the conversation."""
    if not view.timeline.has_user:
        return []
    wrong = {id(item.call): item for item in compare(view).deviations}
    hits: list[Hit] = []
    for turn, call in executed_writes(view):
        if view.gold.is_known and id(call) not in wrong:
            continue
        for argument, value in sorted(call.run_arguments.items()):
            kind = _kind_of_means(value)
            if not _is_wrong(wrong.get(id(call)), argument):
                continue
            if kind is None or _is_named(view, turn, kind, str(value)):
                continue
            signature = sign("argument_not_agreed", tool=call.run_tool, argument=argument)
            hits.append(_hit("argument_not_agreed", turn, call, signature, value=quote(str(value))))
    return hits[:1]


def _is_wrong(item: Deviation | None, argument: str) -> bool:
    """Whether the argument is part of what is wrong, as far as an oracle tells."""
    return item is None or item.twin is None or argument in item.differing


def _kind_of_means(value: object) -> str | None:
    """Words of an identifier that says its kind: `credit card` of `credit_card_7407366`."""
    match = _SPEAKING_ID.match(value[:100]) if isinstance(value, str) else None
    if match is None or not match.group(1):
        return None
    return match.group(1).replace("_", " ").lower()


def _is_named(view: View, turn: Turn, kind: str, value: str) -> bool:
    turns = view.timeline.turns[: turn.index + 1]
    said = "\n".join(f"{one.heard}\n{one.text}" for one in turns).lower()
    is_said = value.lower() in said or kind in said or kind.split(" ")[-1] in said
    return (
        is_said
        or "original" in said
        or any(word in said for word in kind.split(" ") if word == "certificate")
    )


def wrong_value(view: View) -> list[Hit]:
    """RR: the expected write with another value, by the oracle's calls."""
    if not view.gold.is_state_checked:
        return []
    return [_wrong_value(view, item) for item in compare(view).deviations if item.twin is not None]


def _wrong_value(view: View, item: Deviation) -> Hit:
    turn = _first_appearance(view, item)
    signature = sign("residual", subtype="wrong_value", tool=item.call.run_tool)
    facts = call_evidence(item.turn, item.call) | {
        "differing": list(item.differing),
        "expected": quote(item.twin.key if item.twin else ""),
    }
    return Hit("wrong_value", "RR", turn.index, turn.step_index, signature, facts, uses_gold=True)


def _first_appearance(view: View, item: Deviation) -> Turn:
    """The first call that carries the wrong value, or tries the same write."""
    texts = [item.call.run_arguments.get(name) for name in item.differing]
    wrong = [text for text in texts if isinstance(text, str) and len(text) > 3]
    for turn, call in view.timeline.calls():
        if turn.index >= item.turn.index:
            break
        given = list(call.run_arguments.values())
        is_same_try = call.run_tool == item.call.run_tool and not call.ran
        same = [
            n for n in item.differing if call.run_arguments.get(n) == item.call.run_arguments.get(n)
        ]
        if (is_same_try and same) or any(text in given for text in wrong):
            return turn
    return item.turn
