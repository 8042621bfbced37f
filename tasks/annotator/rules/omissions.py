"""EC1, EC2 and RR of what was not done: claimed only in words, handed over, never looked up."""

from tasks.annotator.course import compare, executed_writes
from tasks.annotator.dialogue import (
    claim_of,
    demands_identifier,
    is_refusal,
    key_words,
    lacks_something,
    messages,
)
from tasks.annotator.gold import ExpectedCall
from tasks.annotator.hits import Hit, View, call_evidence, quote, sign
from tasks.annotator.timeline import Turn


def _at(turn: Turn, rule: str, signature: dict[str, object], **facts: object) -> Hit:
    uses_gold = bool(facts.pop("uses_gold", False))
    bullet = "EC1" if rule in ("write_claimed", "handover", "handover_missing") else "EC2"
    return Hit(
        rule,
        bullet,
        turn.index,
        turn.step_index,
        signature,
        {"step": turn.step_index, "text": quote(turn.text)} | facts,
        uses_gold=uses_gold,
    )


def write_claimed(view: View) -> list[Hit]:
    """EC1: the agent says it has changed something that it never changed.

    With gold only missing writes count, without it any writing tool that was never called.
    """
    if not view.timeline.has_user:
        return []
    called = {call.run_tool for _, call in executed_writes(view)}
    if view.gold.is_known:
        tools = sorted({write.tool for write in compare(view).missing} - called)
    else:
        tools = sorted(view.profile.write_tools - called - view.profile.handover_tools)
    for turn in messages(view.timeline):
        for tool in tools:
            claim = claim_of(turn.text, key_words(tool, view.profile))
            if claim is not None:
                signature = sign("write_claimed", tool=tool)
                return [
                    _at(
                        turn,
                        "write_claimed",
                        signature,
                        claim=quote(claim),
                        uses_gold=view.gold.is_known,
                    )
                ]
    return []


def handover(view: View) -> list[Hit]:
    """EC1: the run ends in the hand-over tool although tools could have done the task."""
    tools = view.profile.handover_tools
    if view.gold.is_known and any(call.tool in tools for call in view.gold.calls):
        return []
    missing = view.gold.is_known and not compare(view).missing and view.gold.is_state_checked
    ran = [(turn, call) for turn, call in view.timeline.calls() if call.ran]
    others = [turn.index for turn, call in ran if call.run_tool not in tools]
    for turn, call in ran:
        is_end = call.run_tool in tools and not any(index > turn.index for index in others)
        if is_end and not missing:
            signature = sign("handover", tool=call.run_tool)
            facts = call_evidence(turn, call)
            return [_at(turn, "handover", signature, **facts, uses_gold=view.gold.is_known)]
    return []


def handover_missing(view: View) -> list[Hit]:
    """EC1: the task required the hand-over tool, and the run ended without it."""
    tools = view.profile.handover_tools
    wanted = [call.tool for call in view.gold.calls if call.tool in tools]
    called = {call.run_tool for _, call in view.timeline.calls() if call.ran}
    last = view.timeline.last
    if not wanted or wanted[0] in called or last is None:
        return []
    signature = sign("wrong_tool", tool=None, expected=wanted[0])
    return [_at(last, "handover_missing", signature, expected=wanted[0], uses_gold=True)]


def lookup_missing(view: View) -> list[Hit]:
    """EC2: the agent did not look up what a read tool would have given."""
    if not view.timeline.has_user:
        return []
    if view.gold.is_known:
        return _unread(view)
    if view.profile.read_tools and not any(call.ran for _, call in view.timeline.calls()):
        return _lookup_hit(view, None, uses_gold=False)
    return []


def _unread(view: View) -> list[Hit]:
    course = compare(view)
    names = _names_used(view)
    for write in course.missing:
        identifiers = _identifiers(write)
        if identifiers and not names & identifiers:
            return _lookup_hit(view, write, uses_gold=True)
    if course.unmade_reads and (view.gold.missing_outputs or not view.timeline.calls()):
        return _lookup_hit(view, course.unmade_reads[0], uses_gold=True)
    return []


def _names_used(view: View) -> set[str]:
    return {
        value.casefold()
        for _, call in view.timeline.calls()
        for value in call.run_arguments.values()
        if isinstance(value, str)
    }


def _identifiers(write: ExpectedCall) -> set[str]:
    return {
        value.casefold()
        for name, value in write.arguments.items()
        if name.endswith("_id") and "pay" not in name and isinstance(value, str)
    }


def _lookup_hit(view: View, wanted: ExpectedCall | None, *, uses_gold: bool) -> list[Hit]:
    turn = _where_it_stopped_looking(view)
    if turn is None:
        return []
    tool = wanted.tool if wanted and wanted.tool in view.profile.read_tools else None
    facts = {"wanted": quote(wanted.key)} if wanted else {}
    signature = sign("lookup_missing", tool=tool)
    return [_at(turn, "lookup_missing", signature, **facts, uses_gold=uses_gold)]


def _insists(turn: Turn) -> bool:
    """Whether a message demands what the user has said it lacks, or refuses for want of it."""
    is_after_lack = bool(turn.index) and lacks_something(turn.heard)
    return is_after_lack or (is_refusal(turn.text) and demands_identifier(turn.text))


def _where_it_stopped_looking(view: View) -> Turn | None:
    """The refusal that a look would have spared, else the first message after the last read."""
    reads = [t for t, call in view.timeline.calls() if call.run_tool in view.profile.read_tools]
    spoken = messages(view.timeline)
    if not reads:
        insisting = [turn for turn in spoken if _insists(turn)]
        refusals = insisting or [turn for turn in spoken if is_refusal(turn.text)]
        return refusals[0] if refusals else (spoken[0] if spoken else None)
    writes = [turn.index for turn, _ in executed_writes(view)]
    end = writes[0] if writes else len(view.timeline.turns)
    early = [turn.index for turn in reads if turn.index < end]
    last_read = early[-1] if early else -1
    after = [turn for turn in spoken if turn.index > last_read]
    return after[0] if after else view.timeline.last
