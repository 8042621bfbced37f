"""Which successful runs an edit is expected to break: the forecast of regressions.

- a rule that changes what was executed, without being cleared (`effects`): every such run, unless
  it only blocks calls that it lets through when they are made once more;
- text, in the prompt or as a hint: runs that did other than the text asks for (`contradiction`);
- text that goes missing: every run whose prompt held it, since nothing says what it was good for.

Everything else that an edit touches is expected to go on as it did.
"""

from collections.abc import Sequence

from tasks.gate.candidate import Candidate
from tasks.gate.contradiction import contradicts
from tasks.gate.effects import Effects
from tasks.gate.static import added_text
from tasks.gate.touch import Comparison, Difference, Replayer


async def endangered_tasks(
    candidate: Candidate,
    comparisons: Sequence[Comparison],
    effects: Sequence[Effects],
    replayer: Replayer,
) -> frozenset[str]:
    """Tasks whose successful runs an edit is expected to break."""
    unseen = _unseen_text(candidate)
    found: set[str] = set()
    for comparison, seen in zip(comparisons, effects, strict=True):
        if not comparison.episode.is_success:
            continue
        if _misleads(comparison, seen, unseen) or await _obstructs(
            candidate, comparison, seen, replayer
        ):
            found.add(comparison.episode.trajectory.task_id)
    return frozenset(found)


async def _obstructs(
    candidate: Candidate, comparison: Comparison, seen: Effects, replayer: Replayer
) -> bool:
    """Whether a rule keeps the run from what it did."""
    for difference, effect in seen.found:
        if effect != "change":
            continue
        decided = difference.new.decision if difference.new else None
        if difference.where != "decision" or decided is None or decided.kind != "blocked":
            return True
        arms = (candidate.parent, candidate.child)
        if await replayer.blocks_again(*arms, comparison.episode, difference):
            return True
    return False


def _misleads(comparison: Comparison, seen: Effects, unseen: str) -> bool:
    """Whether text asks for something else than the run did."""
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
