"""Edits without effect, proposed again and again: hardly one may be let in."""

import hashlib

import pytest

from tasks.gate.decide import decide_round

CANDIDATES = 60


@pytest.fixture
def proposed(base, tasks, world_of, run, candidate, clean, synthetic):
    """Accepted of 60 useless edits in a world whose replies vary, and how many were tried."""

    def go(slots, *, seed, success=0.5, as_decoys=True):
        def solves(task, harness, repeat):
            key = f"{seed}/{task.task_id}/{harness.harness_id}/{repeat}"
            return hashlib.sha256(key.encode()).digest()[0] < 256 * success

        edits = [candidate(f"null {i}", is_decoy=as_decoys) for i in range(CANDIDATES)]
        world = world_of(synthetic(solves), tasks(120), deterministic=False, seed=seed, slots=slots)
        result = run(decide_round(clean(*edits), base, world, slots=slots))
        return len(result.accepted), result.slots_spent

    return go


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_sixty_useless_edits_with_a_slot_each_are_let_in_once_at_most(proposed, seed):
    accepted, tried = proposed(CANDIDATES, seed=seed)
    assert tried == CANDIDATES
    assert accepted <= 1


def test_the_default_slots_let_none_of_sixty_in(proposed):
    assert proposed(6, seed=4) == (0, 6)


def test_sixty_useless_edits_as_one_bundle_are_not_let_in(proposed):
    accepted, tried = proposed(6, seed=5, as_decoys=False)
    assert accepted == 0
    assert tried >= 1
