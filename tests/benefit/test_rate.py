"""Benefit rates: where a ratio is defined, and what is said where it is not."""

import random

import pytest

from tasks.benefit.rate import Arms, measure_rate, success_by_task, unchanged


def arms(gains, base=0.0):
    names = [f"t{i:03d}" for i in range(len(gains))]
    return Arms(
        dict.fromkeys(names, base),
        {name: base + gain for name, gain in zip(names, gains, strict=True)},
    )


def test_half_the_reference_gain_is_a_rate_of_one_half_inside_its_interval():
    reference = arms([1.0] * 60 + [0.0] * 20)
    model = arms([1.0] * 30 + [0.0] * 50)
    rate = measure_rate(model, reference, seed=1)
    assert rate.status == "ok"
    assert rate.hbr == pytest.approx(0.5)
    assert (rate.hbr_lo, rate.hbr_hi) == pytest.approx((0.36, 0.64), abs=0.05)
    assert rate.gain == pytest.approx(0.375)
    assert (rate.gain_lo, rate.gain_hi) == pytest.approx((0.27, 0.48), abs=0.03)


def test_a_reference_gain_that_may_be_nothing_leaves_the_rate_undefined():
    rate = measure_rate(arms([1.0] * 10 + [0.0] * 30), arms([1.0, -1.0, 1.0] + [0.0] * 37), seed=1)
    assert (rate.status, rate.hbr, rate.hbr_lo) == ("unbounded", None, None)
    assert rate.gain == pytest.approx(0.25)


def test_a_harness_that_harms_the_reference_is_said_to():
    rate = measure_rate(arms([1.0] * 40), arms([-1.0] * 30 + [0.0] * 10, base=1.0), seed=1)
    assert (rate.status, rate.hbr) == ("reference_harmed", None)


def test_two_gains_of_nothing_make_no_ratio():
    rate = measure_rate(arms([0.0] * 30), arms([0.0] * 30), seed=1)
    assert (rate.status, rate.hbr) == ("both_zero", None)


def test_a_harness_that_did_not_change_needs_no_division_and_no_runs():
    rate = unchanged(24, has_reference=True)
    assert (rate.status, rate.hbr, rate.gain, rate.tasks) == ("both_zero", None, 0.0, 24)


def test_a_reference_that_cannot_act_has_no_gain_also_where_nothing_changed():
    rate = unchanged(24, has_reference=False)
    assert (rate.status, rate.reference_gain, rate.hbr) == ("no_pairs", None, None)


def test_without_a_reference_only_the_gain_is_told():
    rate = measure_rate(arms([1.0] * 5 + [0.0] * 15), None, seed=1)
    assert (rate.status, rate.hbr, rate.reference_gain) == ("no_pairs", None, None)
    assert rate.gain == pytest.approx(0.25)


def test_tasks_that_one_arm_could_not_judge_are_left_out_of_all():
    model, reference = arms([1.0] * 20), arms([1.0] * 20)
    updated = {task: value for task, value in reference.updated.items() if task != "t000"}
    rate = measure_rate(model, Arms(reference.base, updated), seed=1)
    assert rate.tasks == 19


def test_no_task_in_common_is_no_pairs():
    rate = measure_rate(arms([]), arms([]), seed=1)
    assert (rate.status, rate.tasks, rate.gain) == ("no_pairs", 0, None)


def test_headroom_divides_each_gain_by_the_room_that_was_left():
    model, reference = arms([0.3] * 20), arms([0.1] * 20, base=0.8)
    assert measure_rate(model, reference, seed=1).hbr == pytest.approx(3.0)
    assert measure_rate(model, reference, seed=1).hbr_headroom == pytest.approx(0.3 / 0.5)


def test_a_weak_reference_gain_is_seldom_called_bounded():
    rng = random.Random(5)
    statuses = []
    for _ in range(200):
        reference = arms([float(rng.choices((1, -1, 0), (0.12, 0.10, 0.78))[0]) for _ in range(60)])
        statuses.append(measure_rate(arms([0.2] * 60), reference, seed=1).status)
    assert statuses.count("ok") <= 30


def test_faults_count_for_nothing(episode_of):
    unjudged = episode_of("look", outcome="unknown", termination="fault")
    won = episode_of("look", outcome="success")
    assert success_by_task([unjudged]) == {}
    assert success_by_task([unjudged, won]) == {"ledger/books/1": 1.0}
