"""What a cure is worth over pairs of forks."""

import random

import pytest

from tasks.benefit.effect import Arm, Pair, measure_effect


def pairs(*groups):
    """Groups of (count, natural success, cured success, natural call, cured call)."""
    made = []
    for count, before, after, called_before, called_after in groups:
        for _ in range(count):
            point = f"p{len(made)}"
            made.append(Pair(point, Arm(called_before, before), Arm(called_after, after)))
    return made


def test_a_cure_that_is_taken_up_and_wins_is_called_so():
    effect = measure_effect(
        pairs((4, False, True, False, True), (4, False, False, False, True)), 0.8
    )
    assert effect.verdict == "cures"
    assert effect.value == pytest.approx(0.5)
    assert effect.lcb == pytest.approx(0.36, abs=0.1)
    assert effect.points == 8


def test_the_bound_is_floored_at_nothing():
    effect = measure_effect(pairs((4, True, False, False, True)), 0.8)
    assert effect.value == pytest.approx(-1.0)
    assert effect.lcb == 0.0


def test_a_useless_artifact_is_called_in_vain():
    effect = measure_effect(pairs((8, False, False, False, True)), 0.8)
    assert (effect.verdict, effect.lcb) == ("called_in_vain", 0.0)


def test_a_win_without_a_call_is_a_nudge():
    effect = measure_effect(pairs((6, False, True, False, False)), 0.8)
    assert effect.verdict == "nudge"


def test_a_reference_nobody_takes_up_is_told_from_one_taken_up_too_seldom():
    assert measure_effect(pairs((8, False, False, False, False)), 0.8).verdict == "not_called"
    few = pairs((1, False, False, False, True), (7, False, False, False, False))
    assert measure_effect(few, 0.8).verdict == "undecided"


def test_a_fault_takes_its_partner_out_and_no_pair_is_no_measurement():
    broken = [Pair("p", Arm(False, None), Arm(True, True))]
    assert measure_effect(broken, 0.8).verdict == "unmeasured"
    assert measure_effect([], 0.8).value is None


def test_the_bound_holds_about_as_often_as_it_says():
    rng = random.Random(3)
    held = 0
    for _ in range(300):
        drawn = [(1, u < 0.2, u < 0.5, False, True) for u in (rng.random() for _ in range(30))]
        held += (measure_effect(pairs(*drawn), 0.8).lcb or 0.0) <= 0.3
    assert held / 300 >= 0.75
