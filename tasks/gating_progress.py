"""How many edits of a round the gate has tried, told from the harnesses it runs."""

from collections.abc import Sequence
from dataclasses import replace

from schemas.episode import Episode
from tasks.agent.protocols import Task
from tasks.gate.candidate import Candidate, GateWorld
from tasks.harness import Harness
from tasks.harness.bundle import changes
from tasks.progress import count, expect

TRIED = "edits tried"


def counting_edits(world: GateWorld, base: Harness, edits: Sequence[Candidate]) -> GateWorld:
    """The same world, whose rollouts count an edit as tried once a harness holds its changes."""
    waiting = {edit.edit_id: frozenset(changes(edit.parent, edit.child)) for edit in edits}
    seen = {base.harness_id}
    run = world.run

    async def counted(
        harness: Harness, tasks: Sequence[Task], repeats: Sequence[int]
    ) -> Sequence[Episode]:
        if harness.harness_id not in seen:
            seen.add(harness.harness_id)
            held = frozenset(changes(base, harness))
            for edit_id in [name for name, change in waiting.items() if change <= held]:
                del waiting[edit_id]
                count(TRIED)
        return await run(harness, tasks, repeats)

    expect(TRIED, len(waiting))
    return replace(world, run=counted)
