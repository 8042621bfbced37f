"""The e-process of two drawn arms: its mean, its order, its two directions, its limits."""

import random
from itertools import product
from math import exp, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.statistics.arm_evidence import (
    EDGE,
    EFFECTS,
    RATES,
    Cell,
    Session,
    evidence_path,
    factors,
    log_evidence,
    lower_limit,
    mirrored,
    running_evidence,
    tally,
)
from tasks.statistics.two_arms import judge, log_skew

PROPENSITIES = (0.1, 0.5, 0.73)
cells = st.builds(Cell, *[st.integers(0, 60)] * 4)


def e_value(cell, p):
    """The mixture, written down anew: likelihood with the arm over likelihood without it."""
    total = weights = 0.0
    for effect, weight in EFFECTS:
        for rate in RATES:
            high, low = rate + effect / 2, rate - effect / 2
            if low < EDGE or high > 1 - EDGE:
                continue
            pooled = p * high + (1 - p) * low
            value = (high / pooled) ** cell.treated_won * (low / pooled) ** cell.control_won
            value *= ((1 - high) / (1 - pooled)) ** cell.treated_lost
            value *= ((1 - low) / (1 - pooled)) ** cell.control_lost
            total += weight * value
            weights += weight
    return total / weights


@pytest.mark.parametrize("p", PROPENSITIES)
@pytest.mark.parametrize("cell", [Cell(1, 0, 0, 0), Cell(6, 4, 4, 6), Cell(55, 45, 40, 60)])
def test_the_e_value_is_the_mixed_ratio_of_likelihoods(cell, p):
    assert exp(log_evidence({p: cell})) == pytest.approx(e_value(cell, p), rel=1e-9)


@pytest.mark.parametrize(
    ("cell", "better", "worse"),
    [
        (Cell(), 1.0, 1.0),
        (Cell(60, 40, 40, 60), 14.580, 0.0148),
        (Cell(40, 60, 60, 40), 0.0148, 14.580),
        (Cell(50, 50, 50, 50), 0.2188, 0.2188),
    ],
)
def test_evidence_at_fixed_counts(cell, better, worse):
    found = judge({0.5: cell})
    assert found.e_better == pytest.approx(better, abs=1e-3)
    assert found.e_worse == pytest.approx(worse, abs=1e-3)


@pytest.mark.parametrize("p", PROPENSITIES)
@pytest.mark.parametrize("rate", [0.02, 0.3, 0.5, 0.97])
def test_one_session_without_a_difference_has_mean_one_on_every_alternative(p, rate):
    chances = [p * rate, p * (1 - rate), (1 - p) * rate, (1 - p) * (1 - rate)]
    means = [
        sum(c * exp(x) for c, x in zip(chances, column, strict=True)) for column in factors(p).T
    ]
    assert means == pytest.approx([1.0] * len(means))


@pytest.mark.parametrize("p", PROPENSITIES)
@pytest.mark.parametrize(("treated", "control"), [(0.2, 0.3), (0.0, 1.0), (0.69, 0.7)])
def test_a_treated_arm_that_is_worse_has_mean_of_at_most_one(p, treated, control):
    chances = [p * treated, p * (1 - treated), (1 - p) * control, (1 - p) * (1 - control)]
    for column in factors(p).T:
        assert sum(c * exp(x) for c, x in zip(chances, column, strict=True)) <= 1


@pytest.mark.parametrize("rate", [0.1, 0.5])
@pytest.mark.parametrize("p", [0.1, 0.5])
def test_a_threshold_is_ever_crossed_with_at_most_its_chance(p, rate):
    """All runs of seven sessions, exactly: Ville's inequality at a threshold that seven reach."""
    chances = [p * rate, p * (1 - rate), (1 - p) * rate, (1 - p) * (1 - rate)]
    threshold, crossed = 1.5, 0.0
    for places in product(range(4), repeat=7):
        chance = 1.0
        for place in places:
            chance *= chances[place]
        if running_evidence(factors(p)[list(places)]).max() >= log(threshold):
            crossed += chance
    assert 0 < crossed <= 1 / threshold


@given(
    st.lists(st.tuples(st.booleans(), st.booleans(), st.sampled_from(PROPENSITIES)), max_size=40)
)
@settings(max_examples=50, deadline=None)
def test_the_order_of_sessions_and_when_they_are_known_change_nothing(drawn):
    sessions = [Session(*one) for one in drawn]
    shuffled = random.Random(1).sample(sessions, len(sessions))
    if sessions:
        assert evidence_path(sessions)[-1] == pytest.approx(evidence_path(shuffled)[-1], abs=1e-9)
        assert evidence_path(sessions)[-1] == pytest.approx(log_evidence(tally(sessions)), abs=1e-9)


@given(cells, st.sampled_from(PROPENSITIES))
@settings(max_examples=40, deadline=None)
def test_exchanging_the_arms_exchanges_better_and_worse(cell, p):
    one, other = judge({p: cell}), judge({1 - p: cell.mirrored()})
    assert (one.e_better, one.e_worse) == pytest.approx((other.e_worse, other.e_better))
    assert (one.lo, one.hi) == pytest.approx((-other.hi, -other.lo), abs=2e-4)


@given(cells, st.sampled_from(PROPENSITIES))
@settings(max_examples=60, deadline=None)
def test_the_limits_exclude_no_difference_exactly_when_there_is_a_verdict(cell, p):
    found = judge({p: cell})
    assert -1 <= found.lo <= found.hi <= 1
    assert (found.lo >= 0) == (found.outcome == "better")
    assert (found.hi <= 0) == (found.outcome == "worse")


def test_arms_that_are_not_as_they_were_drawn_decide_nothing():
    found = judge({0.5: Cell(0, 0, 0, 18)})
    assert found.e_better > found.threshold
    assert (found.is_skewed, found.outcome, found.lo, found.hi) == (True, "undecided", -1.0, 1.0)
    assert not judge({0.1: Cell(5, 5, 45, 45)}).is_skewed
    assert judge({0.1: Cell(45, 45, 45, 45)}).is_skewed


@pytest.mark.parametrize("p", PROPENSITIES)
def test_one_draw_as_it_was_announced_has_mean_one_as_evidence_of_skew(p):
    mean = p * exp(log_skew({p: Cell(1, 0, 0, 0)})) + (1 - p) * exp(log_skew({p: Cell(0, 0, 1, 0)}))
    assert mean == pytest.approx(1)


def test_a_large_difference_is_found_either_way():
    assert judge({0.5: Cell(170, 30, 120, 80)}).outcome == "better"
    assert judge({0.5: Cell(120, 80, 170, 30)}).outcome == "worse"
    assert judge({0.5: Cell(17, 3, 12, 8)}).outcome == "undecided"


def test_sessions_of_different_propensities_are_read_together():
    both = {0.1: Cell(20, 5, 110, 115), 0.5: Cell(80, 20, 55, 45)}
    apart = [judge({p: cell}).e_better for p, cell in both.items()]
    assert judge(both).e_better > max(apart)


def test_without_sessions_nothing_is_known():
    found = judge({})
    assert found.e_better == pytest.approx(1.0)
    assert (found.outcome, found.difference, found.resolvable) == ("undecided", None, None)
    assert (found.lo, found.hi) == (-1.0, 1.0)
    one_arm = judge({0.5: Cell(5, 5, 0, 0)})
    assert (one_arm.treated, one_arm.controls, one_arm.difference) == (10, 0, None)


def test_what_could_have_been_shown_shrinks_with_sessions_and_may_be_nothing():
    few, many = (judge({0.5: Cell(n, n, n, n)}).resolvable for n in (100, 1000))
    assert few is not None
    assert many is not None
    assert 0.05 < many < 0.12 < few < 0.4
    assert judge({0.5: Cell(1, 1, 1, 1)}).resolvable is None


@pytest.mark.parametrize("p", [0.0, 1.0, -0.1, float("nan")])
def test_a_coin_that_draws_nothing_is_refused(p):
    with pytest.raises(ValueError, match="draws nothing"):
        Session(is_treated=True, is_success=True, propensity=p)


@pytest.mark.parametrize("alpha", [0.0, 1.0, 2.0])
def test_an_alpha_that_is_no_chance_is_refused(alpha):
    with pytest.raises(ValueError, match="alpha"):
        judge({}, alpha)


@pytest.mark.parametrize(("p", "treated", "control"), [(0.5, 0.6, 0.4), (0.1, 0.9, 0.85)])
def test_the_limits_hold_the_true_difference_at_every_look(p, treated, control):
    draw = random.Random(f"{p}{treated}")
    missed = 0
    for _ in range(60):
        sessions = []
        for _ in range(400):
            arm = draw.random() < p
            sessions.append(Session(arm, draw.random() < (treated if arm else control), p))
        looks = [tally(sessions[:n]) for n in (50, 100, 200, 400)]
        low = max(lower_limit(counts, 40) for counts in looks)
        high = -max(lower_limit(tally(mirrored(sessions[:n])), 40) for n in (50, 100, 200, 400))
        missed += not low <= treated - control <= high
    assert missed <= 6
