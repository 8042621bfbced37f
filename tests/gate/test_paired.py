import pytest

from tasks.gate.arms import Arms
from tasks.gate.budget import LossLedger, token_increase
from tasks.gate.paired import run_trial
from tasks.gate.pairs import order_tasks

CHILD = "better"


@pytest.fixture
def trial(base, tasks, world_of, run, candidate, has, synthetic):
    """Run one trial where tasks in `won` and `lost` change sides under the candidate."""

    def go(*, won=(), lost=(), fault=(), count=60, solved=(), can_touch=None, **settings):
        edit = candidate(CHILD, **{})

        def solves(task, harness, repeat):
            number = int(task.task_id[-3:])
            if has(harness, CHILD):
                if number in fault:
                    return None
                return number in won or (number in solved and number not in lost)
            return number in solved or number in lost

        synthetic_world = synthetic(solves)
        predicted = settings.pop("predicted", frozenset())
        world = world_of(synthetic_world, tasks(count), **settings)
        arms = Arms(world, base, edit.child, **({"can_touch": can_touch} if can_touch else {}))
        order = order_tasks(world.select, world.seed)
        return run(run_trial(arms, order, LossLedger(arms, predicted))), synthetic_world

    return go


def test_the_order_depends_on_the_seed_and_not_on_the_order_given(tasks):
    some = tasks(40)
    assert order_tasks(some, 3) == order_tasks(some[::-1], 3)
    assert order_tasks(some, 3) != order_tasks(some, 4)


def test_a_trial_stops_at_the_first_pair_that_reaches_the_threshold(trial):
    result, _ = trial(won=range(60), slots=1)
    assert result.stop == "evidence"
    assert (result.process.wins, result.process.crossed_at) == (7, 7)
    assert len(result.rows) == 7
    assert result.rows[-1].e_value == pytest.approx(31.875)


def test_a_started_block_is_run_to_its_end_and_no_further(trial, candidate):
    result, world = trial(won=range(60), slots=1)
    assert world.rollouts_of(candidate(CHILD).child) == 24
    assert len(result.spare) == 24 - 7


def test_without_any_difference_a_trial_is_futile_before_the_cap(trial):
    result, _ = trial(solved=range(60), slots=1)
    assert result.stop == "futile"
    # Two blocks: 12 pairs are left, 7 wins are needed, and at most 6 % of pairs are wins.
    assert len(result.read) == 48


def test_too_few_wins_at_the_cap_are_no_evidence(trial):
    result, _ = trial(won=range(6), count=8, slots=1, regression_share=1.0)
    assert result.stop in ("futile", "insufficient_evidence")
    assert result.process.wins <= 6


def test_losses_beyond_the_budget_of_the_cap_end_a_deterministic_trial(trial):
    result, _ = trial(lost=range(30), slots=1)
    assert result.stop == "regression"
    assert len(result.regressions) >= 2


def test_one_lost_pair_is_within_the_budget(trial):
    result, _ = trial(won=range(2, 60), lost=[0], slots=1)
    assert result.stop == "evidence"


def test_losses_known_from_the_rest_of_the_block_count(trial):
    order = [int(task.task_id[-3:]) for task in order_tasks_of(60)]
    lost = order[20:24]
    result, _ = trial(won=[n for n in range(60) if n not in lost], lost=lost, slots=1)
    assert result.stop == "regression"
    assert result.process.losses <= 4


def test_predicted_losses_are_not_counted(trial):
    lost = order_tasks_of(60)[20:24]
    numbers = [int(task.task_id[-3:]) for task in lost]
    result, _ = trial(
        won=[n for n in range(60) if n not in numbers],
        lost=numbers,
        slots=1,
        predicted=frozenset(task.task_id for task in lost),
    )
    assert result.stop == "evidence"


def test_a_pair_with_a_fault_counts_on_neither_side(trial):
    result, _ = trial(won=range(60), fault=range(0, 60, 2), slots=1)
    assert result.stop == "evidence"
    assert result.process.invalid > 0
    invalid = [row for row in result.rows if row.result == "invalid"]
    assert all(row.old_score is None and row.new_score is None for row in invalid)


def test_pairs_that_cannot_be_touched_are_ties_without_a_rollout(trial, candidate):
    async def untouchable(old, new, episode):
        return False

    result, world = trial(won=range(60), can_touch=untouchable, slots=1)
    assert world.rollouts_of(candidate(CHILD).child) == 0
    assert (result.process.wins, result.stop) == (0, "futile")
    assert all(row.by_construction and row.new_trajectory_id is None for row in result.rows)


def test_no_tie_is_assumed_where_replies_vary(trial, candidate):
    async def untouchable(old, new, episode):
        return False

    _, world = trial(won=range(60), can_touch=untouchable, slots=1, deterministic=False)
    assert world.rollouts_of(candidate(CHILD).child) > 0


def test_repeats_are_compared_by_their_mean(base, tasks, world_of, run, candidate, has, synthetic):
    edit = candidate(CHILD)
    lucky = synthetic(lambda task, harness, repeat: repeat == 0 or has(harness, CHILD))
    world = world_of(lucky, tasks(30), deterministic=False, repeats=3, slots=1)
    arms = Arms(world, base, edit.child)
    result = run(run_trial(arms, order_tasks(world.select, 7), LossLedger(arms)))
    assert result.rows[0].old_score == pytest.approx(1 / 3)
    assert result.rows[0].new_score == 1
    assert result.stop == "evidence"


def test_a_lost_pair_counts_only_when_fresh_repeats_confirm_it(
    base, tasks, world_of, run, candidate, has, synthetic
):
    edit = candidate(CHILD)

    def unlucky_once(task, harness, repeat):
        if int(task.task_id[-3:]) < 5:
            return not has(harness, CHILD) or repeat > 0
        return has(harness, CHILD)

    world = world_of(synthetic(unlucky_once), tasks(60), deterministic=False, slots=1)
    arms = Arms(world, base, edit.child)
    result = run(run_trial(arms, order_tasks(world.select, 7), LossLedger(arms)))
    assert result.stop == "evidence"
    assert result.regressions == ()


def test_a_loss_that_fresh_repeats_do_not_repeat_counts_for_nothing(
    base, tasks, world_of, run, candidate, has, synthetic
):
    edit = candidate(CHILD)

    def tied(task, harness, repeat):
        if int(task.task_id[-3:]) % 5 == 0:  # over three repeats old 2/3 and new 1/3
            return not has(harness, CHILD) if repeat == 0 else repeat == 1
        return has(harness, CHILD)

    world = world_of(synthetic(tied), tasks(60), deterministic=False, slots=1)
    arms = Arms(world, base, edit.child)
    result = run(run_trial(arms, order_tasks(world.select, 7), LossLedger(arms)))
    assert sum(pair.result == "loss" for pair in result.all_pairs) > 1
    assert result.stop == "evidence"
    assert result.regressions == ()


def test_confirmed_losses_beyond_the_budget_refuse_a_winner(
    base, tasks, world_of, run, candidate, has, synthetic
):
    edit = candidate(CHILD)

    def steady(task, harness, repeat):
        return (int(task.task_id[-3:]) % 6 == 0) != has(harness, CHILD)

    world = world_of(synthetic(steady), tasks(60), deterministic=False, slots=1)
    arms = Arms(world, base, edit.child)
    result = run(run_trial(arms, order_tasks(world.select, 7), LossLedger(arms)))
    assert result.stop == "regression"
    assert result.process.crossed_at is not None
    assert len(result.regressions) > 1


def test_the_same_observation_counts_once_at_temperature_zero(
    base, tasks, world_of, run, candidate, has, synthetic
):
    edit = candidate(CHILD)
    same = [
        task.__class__(t.task_id, t.environment, t.family, t.split, "same")
        for t in tasks(30)
        for task in [t]
    ]
    twins = synthetic(lambda task, harness, repeat: has(harness, CHILD))
    twins_run = twins.__call__

    async def one_transcript(harness, some, repeats):
        episodes = await twins_run(harness, some, repeats)
        sha = "a" if harness == base else "b"
        return [
            e.__class__(
                trajectory=e.trajectory.model_copy(update={"transcript_sha256": sha}),
                steps=(),
                calls=(),
            )
            for e in episodes
        ]

    world = world_of(one_transcript, same, slots=1)
    arms = Arms(world, base, edit.child)
    result = run(run_trial(arms, order_tasks(world.select, 7), LossLedger(arms)))
    assert result.process.wins == 1
    assert result.stop != "evidence"


def test_without_pairs_there_is_no_token_increase(trial):
    result, _ = trial(won=range(60), slots=1)
    assert token_increase(result.all_pairs) == pytest.approx(0)
    assert token_increase([]) is None


def order_tasks_of(count):
    from tasks.agent.protocols import Task

    made = [
        Task(f"sqldesk/f{i % 4}/{i:03d}", "sqldesk", f"f{i % 4}", "select", f"select task {i}")
        for i in range(count)
    ]
    return order_tasks(made, 7)
