"""Which successful runs an edit is expected to break: the forecast of regressions.

- a rule that changes what was executed, without being cleared (`effects`): every such run;
- text, in the prompt or as a hint: runs that did other than the text asks for (`contradiction`);
- text that goes missing: every run whose prompt held it, since nothing says what it was good for.

Everything else that an edit touches is expected to go on as it did.
"""

from collections.abc import Sequence

from tasks.gate.candidate import Candidate
from tasks.gate.contradiction import contradicts
from tasks.gate.effects import Effects
from tasks.gate.static import added_text
from tasks.gate.touch import Comparison, Difference


def endangered_tasks(
    candidate: Candidate, comparisons: Sequence[Comparison], effects: Sequence[Effects]
) -> frozenset[str]:
    """Tasks whose successful runs an edit is expected to break."""
    unseen = _unseen_text(candidate)
    return frozenset(
        comparison.episode.trajectory.task_id
        for comparison, seen in zip(comparisons, effects, strict=True)
        if comparison.episode.is_success and _endangers(comparison, seen, unseen)
    )


def _endangers(comparison: Comparison, seen: Effects, unseen: str) -> bool:
    if seen.changes_action:
        return True
    for difference, effect in seen.found:
        if effect == "text" and difference.removed:
            return True
        if effect == "text":
            text = f"{difference.added}\n{unseen}"
            if contradicts(text, comparison.steps):
                return True
        if effect == "hint":
            text = _hint(difference)
            if contradicts(text, comparison.steps, start=difference.position + 1):
                return True
    return False


def _unseen_text(candidate: Candidate) -> str:
    """Text that reaches the model only when it loads a skill."""
    if candidate.layer != "skills" or not candidate.child.offers_skills:
        return ""
    return added_text(candidate.parent, candidate.child)


def _hint(difference: Difference) -> str:
    """What is merged into a result."""
    if difference.new is None or difference.recorded is None:
        return ""
    before = set(difference.recorded.observation.splitlines())
    after = difference.new.regulated.observation.splitlines()
    return "\n".join(line for line in after if line not in before)
