import random

import pytest

from tasks.gate.arms import Arms
from tasks.gate.prune import prune_bundle, try_removal
from tasks.statistics.noninferiority import paired_lower_bound


@pytest.fixture
def pruned(base, tasks, world_of, run, candidate, synthetic):
    def go(names, solves, *, count=240, can_touch=None):
        edits = [candidate(name) for name in names]

        def by_names(task, harness, repeat):
            held = {artifact.name for artifact in harness.artifacts}
            return solves(int(task.task_id[-3:]), held)

        world = world_of(synthetic(by_names), tasks(count))
        more = {"can_touch": can_touch} if can_touch else {}
        return run(prune_bundle(world, base, edits, **more))

    return go


def test_edits_that_carry_their_weight_stay(pruned):
    pruning = pruned(["a", "b"], lambda n, held: ("a" in held, "b" in held, True)[n % 3])
    assert [edit.artifact for edit in pruning.kept] == ["a", "b"]
    assert not any(removal.is_removed for removal in pruning.removals)


def test_a_real_gain_of_three_points_stays(pruned):
    pruning = pruned(
        ["large", "small"],
        lambda n, held: "small" in held if n % 33 == 0 else "large" in held,
    )
    assert [edit.artifact for edit in pruning.kept] == ["large", "small"]


def test_an_edit_that_changes_no_outcome_goes(pruned):
    pruning = pruned(["idle", "good"], lambda n, held: "good" in held)
    assert [edit.artifact for edit in pruning.kept] == ["good"]


def test_an_edit_that_provably_touches_nothing_goes_without_a_rollout(pruned):
    async def only_good(old, new, episode):
        names = [{artifact.name for artifact in harness.artifacts} for harness in (old, new)]
        return "good" in names[0] ^ names[1]

    pruning = pruned(["idle", "good"], lambda n, held: "good" in held, can_touch=only_good)
    idle = next(removal for removal in pruning.removals if removal.is_removed)
    assert idle.is_untouched
    assert all(row.by_construction for row in idle.rows)


def test_losses_of_several_removals_do_not_add_up(pruned):
    # Each of four edits is worth a point, which is inside the margin; together they are not.
    pruning = pruned(
        ["main", "a", "b", "c", "d"],
        lambda n, held: "abcd"[n // 25 % 4] in held if n % 25 == 0 else "main" in held,
        count=800,
    )
    removed = [removal for removal in pruning.removals if removal.is_removed]
    assert len(removed) < 4


def test_the_last_edit_always_stays(pruned):
    pruning = pruned(["a", "b"], lambda n, held: n % 2 == 0)
    assert len(pruning.kept) == 1
    assert len(pruning.removals) == 1


def test_a_removal_that_cannot_succeed_stops_early(
    base, tasks, world_of, run, candidate, synthetic, has
):
    edit = candidate("good")
    full, without = edit.child, base
    rollouts = synthetic(lambda task, harness, repeat: has(harness, "good"))
    world = world_of(rollouts, tasks(240))
    removal = run(try_removal(Arms(world, full, without), edit))
    assert not removal.is_removed
    assert len(removal.rows) == world.settings.block


def kept_share(loss: float, win: float, pairs: int, runs: int = 3000) -> float:
    rng = random.Random(11)
    kept = 0
    for _ in range(runs):
        draws = [rng.random() for _ in range(pairs)]
        wins = sum(u < win for u in draws)
        losses = sum(win <= u < win + loss for u in draws)
        bound = paired_lower_bound(wins, losses, pairs, pairs)
        kept += bound is None or bound.lo <= -0.02
    return kept / runs


@pytest.mark.slow
@pytest.mark.parametrize("pairs", [120, 240])
def test_a_gain_of_three_points_is_kept_nineteen_times_in_twenty(pairs):
    assert kept_share(0.03, 0.0, pairs) >= 0.95
    assert kept_share(0.04, 0.01, pairs) >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("pairs", [120, 240])
def test_a_passenger_goes(pairs):
    assert kept_share(0.0, 0.0, pairs) == 0


def test_tasks_the_bundle_does_not_solve_are_not_run_again(
    base, tasks, world_of, run, candidate, synthetic, has
):
    edits = [candidate("idle"), candidate("good")]

    def solves(task, harness, repeat):
        return has(harness, "good") and int(task.task_id[-3:]) % 2 == 0

    pruning = run(prune_bundle(world_of(synthetic(solves), tasks(48)), base, edits))
    idle = next(one for one in pruning.removals if one.edit_id == edits[0].edit_id)
    assert (idle.touched, idle.ties) == (24, 48)
