"""Anchored calls: the conversation up to a point where a skill was due, and the call of it."""

from schemas.benefit import BenefitGapRow, DecisionPointRow
from schemas.ids import canonical_json
from tasks.agent.conversation import Message, call_id, messages_before
from tasks.harness.conduct import LOAD_TOOL
from tasks.synthesizer.evidence import Draft, Evidence

UNTOLD = ("unmeasured", "not_called", "undecided")
"""Verdicts of forks that could not tell whether the call helps."""


def anchored_calls(evidence: Evidence) -> list[Draft]:
    """One example for each point at which a skill that helps was due and not called."""
    return [
        _anchored(evidence, point)
        for point in evidence.points
        if not point.called
        and point.trajectory_id in evidence.episodes
        and point.artifact_id in evidence.skills
        and _is_worth_calling(evidence, point)
    ]


def _is_worth_calling(evidence: Evidence, point: DecisionPointRow) -> bool:
    """Whether the call helps on the average of forks, or a fork that called it here succeeded.

    A model must not learn to load what does it no good or harm. Where forks could not tell, the
    skill's place in the harness has to do.
    """
    gaps = [
        gap
        for gap in evidence.gaps
        if gap.gap_type == "activation" and gap.artifact_id == point.artifact_id
    ]
    if any(_is_good(gap) for gap in gaps):
        return True
    return any(
        fork.arm == "reference" and fork.invoked and fork.success
        for fork in evidence.forks_of(point)
    )


def _is_good(gap: BenefitGapRow) -> bool:
    effect = gap.effect or 0.0
    return effect > 0 or (effect == 0 and gap.verdict in UNTOLD)


def _anchored(evidence: Evidence, point: DecisionPointRow) -> Draft:
    episode = evidence.episodes[point.trajectory_id]
    return Draft(
        kind="anchored_call",
        path="activation",
        episode=episode,
        step_index=point.step_index,
        artifact_id=point.artifact_id,
        messages=messages_before(episode, point.step_index),
        chosen=[load_message(evidence.skills[point.artifact_id], point.step_index)],
    )


def load_message(skill: str, step_index: int) -> Message:
    """The canonical call of a skill: the call alone, its name the only argument."""
    function = {"name": LOAD_TOOL, "arguments": canonical_json({"name": skill})}
    call = {"id": call_id(step_index, 0), "type": "function", "function": function}
    return {"role": "assistant", "content": "", "tool_calls": [call]}
