"""Faulted episodes are attempts: kept as data, under ids of their own.

A trajectory's id hashes everything that determines its result, and infrastructure is none of it.
So an attempt that infrastructure ended gives the id back: the episode can be run again, and both
the attempt and the later trajectory are stored.
"""

from dataclasses import replace

from schemas.episode import Episode
from schemas.ids import make_id


def as_attempt(episode: Episode) -> Episode:
    """Give a faulted episode an id of its own, a hash of what happened in it."""
    trajectory = episode.trajectory
    key = [trajectory.trajectory_id, trajectory.fault, trajectory.termination_raw]
    attempt_id = make_id("traj", ["attempt", *key, trajectory.transcript_sha256])

    def own(old_id: str) -> str:
        return make_id("call", [attempt_id, old_id])

    update = {"trajectory_id": attempt_id}
    return replace(
        episode,
        trajectory=trajectory.model_copy(update=update),
        steps=tuple(row.model_copy(update=update) for row in episode.steps),
        calls=tuple(
            row.model_copy(update={**update, "tool_call_id": own(row.tool_call_id)})
            for row in episode.calls
        ),
        interventions=tuple(row.model_copy(update=update) for row in episode.interventions),
        faults=tuple(row.model_copy(update=update) for row in episode.faults),
        notes=tuple(row.model_copy(update=update) for row in episode.notes),
    )
