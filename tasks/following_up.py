"""Following up on a round's accepted edits: train runs in the new harness, and what they show."""

import asyncio
from collections.abc import Sequence

from schemas.acceptance import EditFollowUpRow
from schemas.episode import Episode
from schemas.fields import Objective
from schemas.plans import CyclePlan, FollowUpResult
from tasks.agent.offers import repeats_alike
from tasks.agent.protocols import Task
from tasks.collection import cycle_episodes, open_collector, train_purpose
from tasks.gate.blame import blame_losses
from tasks.gate.candidate import Candidate, GateWorld
from tasks.gate.follow_up import Outcomes, Reality, compare, lost_tasks, take_back
from tasks.gate.pairs import SCORES
from tasks.gating_inputs import PastEdit, candidate_of, past_edits, stored_proposal
from tasks.harness import Harness
from tasks.harness_rows import harness_rows
from tasks.stage import stage
from tasks.workbench import Workbench, first_tasks


@stage(FollowUpResult)
def follow_up(
    bench: Workbench, plan: CyclePlan, old_id: str, new_id: str, round_number: int
) -> FollowUpResult:
    """Hold a round's accepted edits to their promises; take out those that are falsified.

    Runs the train tasks in the new harness; the next round reads the same runs, so they cost
    nothing more unless the round was the last.
    """
    accepted = [
        past
        for past in past_edits(bench, plan.cycle_id)
        if past.edit.round == round_number and past.decision.verdict == "accepted"
    ]
    harness, rows = asyncio.run(_follow_up(bench, plan, old_id, new_id, accepted))
    bench.land([*rows, *harness_rows(harness)], "follow_up")
    return FollowUpResult(
        harness_id=harness.harness_id,
        checked=len(rows),
        reverted=sum(row.is_reverted for row in rows),
    )


async def _follow_up(
    bench: Workbench, plan: CyclePlan, old_id: str, new_id: str, accepted: Sequence[PastEdit]
) -> tuple[Harness, list[EditFollowUpRow]]:
    form = plan.form
    environment, model = (
        bench.environment(form.environment),
        bench.model(form.model, form.record, agent=form.agent, loop=form.loop),
    )
    old = bench.harness(environment.name, old_id)
    new = bench.harness(environment.name, new_id)
    train = first_tasks(environment.tasks("train"), form.tasks)
    edits = [_candidate(past) for past in accepted]
    round_number = accepted[0].edit.round if accepted else 0
    stored = cycle_episodes(bench, plan.cycle_id, train_purpose(round_number))
    before = _outcomes(stored)
    purpose = f"follow_up:{round_number}"
    async with open_collector(bench, environment, model, form.seed, plan.cycle_id) as collector:

        async def run(
            harness: Harness, tasks: Sequence[Task], repeats: Sequence[int]
        ) -> Sequence[Episode]:
            return await collector.run(harness, tasks, purpose, repeats)

        episodes = await run(new, train, [0])
        after = _outcomes(episodes)
        blamed: dict[str, list[str]] = {}
        if repeats_alike(model, environment) and edits:
            world = GateWorld(plan.cycle_id, form.seed, (), (), is_deterministic=True, run=run)
            lost = set(lost_tasks(before, after))
            blamed = await blame_losses(
                world, old, edits, [task for task in train if task.task_id in lost]
            )
    found = [
        compare(
            sorted(edit.predicted_fixes),
            sorted(edit.predicted_risks),
            before,
            after,
            blamed.get(edit.edit_id, []),
            None if form.objective == "success" else _raised(stored, episodes, form.objective),
        )
        for edit in edits
    ]
    return _settle(old, new, accepted, found)


def _settle(
    old: Harness, new: Harness, accepted: Sequence[PastEdit], found: Sequence[Reality]
) -> tuple[Harness, list[EditFollowUpRow]]:
    """Take falsified edits out of `new`, one after another."""
    harness, rows = new, []
    for past, reality in zip(accepted, found, strict=True):
        without = None
        if reality.verdict == "falsified":
            without = take_back(harness, past.parent, past.child)
        harness = without or harness
        rows.append(
            EditFollowUpRow(
                edit_id=past.edit.edit_id,
                cycle_id=past.edit.cycle_id,
                round=past.edit.round,
                old_harness_id=old.harness_id,
                new_harness_id=new.harness_id,
                runs=reality.runs,
                observed_fixes=reality.observed_fixes,
                realised_fixes=reality.realised_fixes,
                unpredicted_losses=reality.unpredicted_losses,
                verdict=reality.verdict,
                is_reverted=without is not None,
            )
        )
    return harness, rows


def _candidate(past: PastEdit) -> Candidate:
    harnesses = {
        past.edit.parent_harness_id: past.parent,
        past.edit.child_harness_id: past.child,
    }
    return candidate_of(past.edit.edit_id, stored_proposal(harnesses, past.edit), is_decoy=False)


def _raised(
    before: Sequence[Episode], after: Sequence[Episode], objective: Objective
) -> frozenset[str]:
    """Tasks that score more of the objective than before."""
    scores = {one.trajectory.task_id: SCORES[objective](one) or 0.0 for one in before}
    return frozenset(
        one.trajectory.task_id
        for one in after
        if (SCORES[objective](one) or 0.0) > scores.get(one.trajectory.task_id, 0.0)
    )


def _outcomes(episodes: Sequence[Episode]) -> Outcomes:
    return {
        episode.trajectory.task_id: episode.is_success
        for episode in episodes
        if episode.trajectory.outcome != "unknown"
    }
