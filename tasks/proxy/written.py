"""Calls as the model wrote them beside what becomes of them; pure functions."""

from collections.abc import Sequence

from tasks.harness import Call, Decision
from tasks.harness.arguments import parse_arguments
from tasks.harness.text import canonical_json
from tasks.proxy.forms import Said, Written
from tasks.proxy.memory import Given
from tasks.proxy.records import CallRecord


def arguments_text(call: Call) -> str:
    """Argument text of a call that no model wrote."""
    return canonical_json(call.arguments)


def rescued_id(turn: int) -> str:
    """Id of a call that a rule found in prose."""
    return f"call_found_{turn}"


def given_calls(said: Said, decisions: Sequence[Decision], *, turn: int) -> tuple[Given, ...]:
    """What becomes of each call of a reply, or of the reply itself when it holds none.

    Empty for a reply without a call that simply goes to the client.
    """
    if not said.calls:
        decision = decisions[0]
        if decision.kind == "execute":
            return (Given(rescued_id(turn), decision.call, is_rescued=True),)
        if decision.kind == "blocked":
            return (Given("", None, decision.message, is_error=True),)
        return ()
    return tuple(
        Given(call.call_id, decision.call, _hidden(decision), is_error=decision.kind != "loaded")
        for call, decision in zip(said.calls, decisions, strict=True)
    )


def _hidden(decision: Decision) -> str | None:
    """Result that the client is not asked for; null when it is.

    Arguments that cannot be read are the client's to complain about. A skill that does not exist
    was asked for with a tool of ours, which the client does not know.
    """
    is_own_tool = decision.kind == "unusable" and decision.parse_error is None
    return decision.message if decision.kind in ("blocked", "loaded") or is_own_tool else None


def as_executed(
    said: Said, decisions: Sequence[Decision], given: Sequence[Given]
) -> tuple[Written, ...]:
    """Calls the client is given, each as it is to be executed."""
    if not said.calls:
        return tuple(
            Written(one.call_id, one.executed.tool, arguments_text(one.executed))
            for one in given
            if one.executed is not None
        )
    return tuple(
        _executed(call, decision)
        for call, decision, one in zip(said.calls, decisions, given, strict=True)
        if one.hidden is None
    )


def call_records(
    said: Said, decisions: Sequence[Decision], *, acts: bool, turn: int
) -> tuple[CallRecord, ...]:
    """Calls of a turn for whoever keeps them."""
    if not said.calls:
        call = decisions[0].call
        return (CallRecord(rescued_id(turn), "", None, call),) if acts and call else ()
    return tuple(
        _record(call, decision, acts=acts)
        for call, decision in zip(said.calls, decisions, strict=True)
    )


def _record(call: Written, decision: Decision, *, acts: bool) -> CallRecord:
    if not acts:
        value = parse_arguments(call.arguments).value
        executed = None if value is None else Call(call.tool, value)
        return CallRecord(call.call_id, call.tool, call.arguments, executed)
    refusal = None if decision.kind == "execute" else decision.kind
    return CallRecord(call.call_id, call.tool, call.arguments, decision.call, refusal)


def _executed(call: Written, decision: Decision) -> Written:
    if decision.call is None or decision.call == _as_written(call):
        return call
    return Written(call.call_id, decision.call.tool, arguments_text(decision.call))


def _as_written(call: Written) -> Call | None:
    value = parse_arguments(call.arguments).value
    return None if value is None else Call(call.tool, value)
