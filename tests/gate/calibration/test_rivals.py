import random

import pytest

from tasks.gate.calibration.rivals import RIVALS


def taken(*differences):
    return {rule for rule, accepts in RIVALS.items() if accepts(differences)}


def test_one_lucky_task_is_enough_for_the_mean_and_for_nobody_careful():
    assert taken(1, 0, 0, 0, 0, 0) == {"strict_mean", "tolerance_0.02", "any_regression"}


def test_a_tie_passes_only_rules_that_ask_for_no_gain():
    assert taken(0, 0, 0, 0) == {"tolerance_0.02", "any_regression"}


def test_a_clear_gain_with_one_loss_passes_all_but_the_rule_on_regressions():
    assert taken(*[1] * 12, -1, *[0] * 7) == set(RIVALS) - {"any_regression"}


def test_a_loss_of_two_points_is_tolerated_and_one_of_three_is_not():
    assert "tolerance_0.02" in taken(-1, *[0] * 49)
    assert "tolerance_0.02" not in taken(-1, *[0] * 32)


def test_peeking_at_every_fifth_pair_accepts_more_often_than_one_look():
    rng = random.Random(3)
    draws = [[rng.choice((-1, 0, 0, 1)) for _ in range(100)] for _ in range(400)]
    peeked = sum(RIVALS["mcnemar_peeked"](draw) for draw in draws) / 400
    assert 0.06 < peeked < 0.2


def test_no_pairs_give_no_gain():
    assert taken() == {"tolerance_0.02", "any_regression"}


@pytest.mark.parametrize("gain", [0.2, 1.0])
def test_a_gain_that_never_varies_has_no_error_to_exceed(gain):
    assert {"paired_1se", "paired_1.96se"} <= taken(gain, gain, gain)
