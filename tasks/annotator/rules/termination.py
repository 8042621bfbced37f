"""EC1 and EC2 of tools and their order: the required tool never called, called too early."""

import re

from tasks.annotator.hits import Hit, View, call_evidence, hit_at, quote, sign
from tasks.annotator.intended_call import find_intended
from tasks.annotator.timeline import CallView, Turn

_QUESTION = re.compile(r"\?\s*\Z")


def required_tool_missing(view: View) -> list[Hit]:
    """EC1: the run says it is done in words, yet the tool that ends the task was never called."""
    terminal = sorted(view.profile.terminal_tools - view.profile.handover_tools)
    if not terminal or any(
        call.ran and call.run_tool in terminal for _, call in view.timeline.calls()
    ):
        return []
    claims = [turn for turn in view.timeline.turns if _is_plain_statement(view, turn)]
    if not claims:
        return []
    claim = claims[0]
    done = [call for turn, call in view.timeline.calls() if turn.index < claim.index and call.ran]
    after = view.intent_of(done[-1]) if done else None
    tool = terminal[0] if len(terminal) == 1 else None
    signature = sign("required_tool_missing", tool=tool, after=after)
    evidence = {
        "step": claim.step_index,
        "claim": quote(claim.text),
        "claims": [turn.step_index for turn in claims[:20]],
        "terminal_tools": terminal,
    }
    return [hit_at(claim, "required_tool_missing", "EC1", signature, evidence, intent=tool or "*")]


def _is_plain_statement(view: View, turn: Turn) -> bool:
    """Whether a turn only talks: no call, no sign of one, no question to a user."""
    if not turn.is_silent or not turn.text.strip() or turn.forced:
        return False
    if view.timeline.has_user and _QUESTION.search(turn.text[-200:]):
        return False
    return find_intended(turn.text, view.profile, turn.admissible) is None


def order_broken(view: View) -> list[Hit]:
    """EC2: a tool was used before another one that must have succeeded first."""
    hits: list[Hit] = []
    family = view.timeline.episode.trajectory.family
    for constraint in view.profile.order:
        if constraint.family not in (None, family):
            continue
        found = _first_violation(view, constraint.tool, constraint.requires)
        if found is None:
            continue
        turn, call = found
        is_procedure = constraint.family is not None or ":" in constraint.requires
        kind = "procedure" if is_procedure else "order"
        signature = sign(kind, tool=constraint.tool, requires=constraint.requires)
        evidence = call_evidence(turn, call) | {"requires": constraint.requires}
        intent = constraint.tool if call.failed else None
        hits.append(hit_at(turn, "order_broken", "EC2", signature, evidence, intent=intent))
    return hits


def _matches(view: View, call: CallView, name: str) -> bool:
    return name in (call.run_tool, view.intent_of(call))


def _first_violation(view: View, tool: str, requires: str) -> tuple[Turn, CallView] | None:
    for turn, call in view.timeline.calls():
        if call.ran and _matches(view, call, requires):
            return None
        if _matches(view, call, tool) and (call.ran or call.arguments_error is None):
            return turn, call
    return None
