"""Which hits count: those without which the episode would not have failed (guide, point 1)."""

from tasks.annotator.course import compare
from tasks.annotator.hits import Hit, View


def is_repaired(hit: Hit, view: View) -> bool:
    """Whether the same intent succeeded within the repair window."""
    if hit.intent is None or hit.turn is None:
        return False
    end = hit.turn + 1 + view.parameters.repair_window
    for turn in view.timeline.turns[hit.turn + 1 : end]:
        for call in turn.calls:
            if call.ran and hit.intent in ("*", call.run_tool, view.intent_of(call)):
                return True
    return False


def is_too_late(hit: Hit, hits: list[Hit]) -> bool:
    """Whether an earlier breach of contract that nothing repairs had already lost the run."""
    if hit.category != "environment_contract" or hit.turn is None:
        return False
    return any(
        other.is_lasting_write and other.turn is not None and other.turn < hit.turn
        for other in hits
        if other.category == "environment_contract"
    )


def is_decisive(hit: Hit, hits: list[Hit], view: View) -> bool:
    """Approximate the counterfactual: not repaired, or the last turn, or a share of the budget."""
    if hit.bullet == "NA" or hit.turn is None:
        return True
    if hit.is_open_only and has_wrong_ending(view):
        return False
    if not view.parameters.decisive_filter:
        return True
    if is_too_late(hit, hits):
        return False
    last = view.timeline.last
    if last is not None and hit.turn == last.index:
        return True
    if not is_repaired(hit, view):
        return True
    used = {other.turn for other in hits if other.bullet == hit.bullet}
    return len(used) >= view.parameters.budget_share * view.timeline.budget


def has_wrong_ending(view: View) -> bool:
    """Whether the run came to an end of its own that the checker found wrong.

    Without gold a run is open as long as it neither handed in an answer nor ended by itself;
    with gold a limit-ended run is wrong when it wrote something the oracle did not.
    """
    terminal = view.profile.terminal_tools
    if any(call.ran and call.run_tool in terminal for _, call in view.timeline.calls()):
        return True
    if view.gold.is_known:
        return bool(compare(view).deviations)
    return not view.timeline.ended_by_limit
