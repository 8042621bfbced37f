"""RR: the default when nothing else explains the failure, with a subtype for clustering."""

from tasks.annotator.hits import Hit, View, call_evidence, hit_at, quote, sign
from tasks.annotator.timeline import CallView, Turn


def _last_call(view: View, tools: frozenset[str]) -> tuple[Turn, CallView] | None:
    found = [(turn, call) for turn, call in view.timeline.calls() if call.ran]
    wanted = [(turn, call) for turn, call in found if not tools or call.run_tool in tools]
    return wanted[-1] if wanted else None


def _key_call(view: View) -> tuple[Turn, CallView] | None:
    """The call in which the wrong inference shows: last write, else last answer, else last call."""
    profile = view.profile
    writes = [
        (turn, call)
        for turn, call in view.timeline.calls()
        if call.ran and (profile.is_write(call.run_tool) or _is_mutation(view, call))
    ]
    if writes:
        return writes[-1]
    answer = _last_call(view, profile.terminal_tools) if profile.terminal_tools else None
    return answer or _last_call(view, frozenset())


def _is_mutation(view: View, call: CallView) -> bool:
    return view.intent_of(call).rpartition(":")[2] in ("insert", "update", "delete", "replace")


def residual(view: View) -> list[Hit]:
    """RR: exactly one hit at the call or message where the wrong inference shows."""
    last = view.timeline.last
    if last is None:
        return []
    found = _key_call(view)
    if found is None or (view.timeline.has_user and not _wrote(view)):
        signature = sign("residual", subtype="wrong_plan")
        evidence = {"step": last.step_index, "text": quote(last.text)}
        return [hit_at(last, "residual", "RR", signature, evidence)]
    turn, call = found
    signature = sign("residual", subtype=_subtype(view, call), tool=view.intent_of(call))
    evidence = call_evidence(turn, call)
    return [hit_at(turn, "residual", "RR", signature, evidence)]


def _wrote(view: View) -> bool:
    return any(
        call.ran and view.profile.is_write(call.run_tool) for _, call in view.timeline.calls()
    )


def _subtype(view: View, call: CallView) -> str:
    verb = view.intent_of(call).rpartition(":")[2]
    if verb in ("update", "delete", "select"):
        return "wrong_filter"
    if call.run_tool in view.profile.command_arguments:
        return "wrong_object"
    return "wrong_value"
