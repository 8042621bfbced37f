"""The harness in force against itself: the noise floor, and pairs that show nothing."""

from dataclasses import replace

import pytest

from tasks.gate.decide import decide_round
from tasks.gate.noise import measure_noise
from tasks.gate.pairs import order_tasks


@pytest.fixture
def noisy(world_of, tasks):
    """A world with noise to measure."""

    def make(run, *, deterministic=False, count=120, **settings):
        world = world_of(run, tasks(count), deterministic=deterministic, **settings)
        return replace(world, measures_noise=True)

    return make


def measured(world, base):
    return measure_noise(world, base, order_tasks(world.select, world.seed))


def test_a_tenth_of_the_tasks_is_run_again_on_repeats_nobody_used(noisy, base, run, synthetic):
    answers = synthetic(lambda task, harness, repeat: True)
    noise = run(measured(noisy(answers), base))
    assert noise.pairs == 12
    assert {repeat for _, _, repeat in answers.made} == {0, 3}
    assert noise.flip_rate == 0.0
    assert {row.purpose for row in noise.rows} == {"noise"}


def test_the_flip_rate_is_the_share_of_pairs_that_differ(noisy, base, run, synthetic):
    flips = synthetic(lambda task, harness, repeat: repeat == 0 or int(task.task_id[-3:]) % 2 == 0)
    noise = run(measured(noisy(flips, count=240), base))
    assert noise.flip_rate == pytest.approx(noise.flips / 24)
    assert 0.2 < noise.flip_rate < 0.8


def test_a_world_without_noise_is_not_asked(world_of, base, run, tasks, synthetic):
    answers = synthetic(lambda *_: True)
    assert run(measured(world_of(answers, tasks(60)), base)) is None
    assert answers.made == []


def test_decisions_carry_the_flip_rate(noisy, base, run, synthetic, candidate, clean):
    varying = synthetic(lambda task, harness, repeat: (int(task.task_id[-3:]) + repeat) % 4 != 0)
    result = run(decide_round(clean(candidate("x")), base, noisy(varying), slots=1))
    assert result.decisions[0].flip_rate is not None
    assert [row for row in result.trials if row.purpose == "noise"]


def test_a_harness_that_beats_itself_stops_the_round(
    noisy, base, run, synthetic, candidate, clean, has
):
    broken = synthetic(lambda task, harness, repeat: repeat > 0 or has(harness, "x"))
    result = run(decide_round(clean(candidate("x")), base, noisy(broken), slots=1))
    [row] = result.decisions
    assert (row.verdict, row.reason) == ("undecided", "insufficient_evidence")
    assert "differs from itself" in row.findings
    assert (result.accepted, result.slots_spent) == ((), 0)


def test_an_endpoint_that_breaks_its_word_at_temperature_zero_is_treated_as_varying(
    noisy, base, run, synthetic, candidate, clean, has
):
    def unsteady(task, harness, repeat):
        return has(harness, "x") or (int(task.task_id[-3:]) + repeat) % 5 != 0

    world = noisy(synthetic(unsteady), deterministic=True)
    result = run(decide_round(clean(candidate("x")), base, world, slots=1))
    pairs = [row for row in result.trials if row.purpose == "gate"]
    assert {row.new_first for row in pairs} == {True, False}


def test_the_arms_go_in_the_order_of_a_seeded_coin(
    world_of, tasks, base, run, candidate, clean, synthetic
):
    edit, steady = candidate("x"), synthetic(lambda *_: True)

    def order_of(seed):
        made = synthetic(lambda *_: True)
        world = world_of(made, tasks(60), deterministic=False, seed=seed)
        result = run(decide_round(clean(edit), base, world, slots=1))
        rows = {row.task_id: row.new_first for row in result.trials}
        began = [made.made.index((edit.child.harness_id, task, 0)) for task in rows]
        olds = [made.made.index((base.harness_id, task, 0)) for task in rows]
        went_first = {t: n < o for t, n, o in zip(rows, began, olds, strict=True)}
        assert went_first == rows
        return rows

    assert steady.made == []
    assert order_of(7) == order_of(7)
    assert order_of(7) != order_of(8)
    assert 10 < sum(order_of(7).values()) < 50


def test_both_arms_of_a_pair_run_in_the_same_block(
    world_of, tasks, base, run, candidate, clean, synthetic
):
    edit, made = candidate("x"), synthetic(lambda *_: True)
    world = world_of(made, tasks(72), deterministic=False, block=24)
    run(decide_round(clean(edit), base, world, slots=1))
    places: dict[str, list[int]] = {}
    for place, (_, task, _) in enumerate(made.made):
        places.setdefault(task, []).append(place)
    assert all(max(both) - min(both) < 48 for both in places.values() if len(both) == 2)
