import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.statistics.agreement import cohen_kappa, kendall_order
from tasks.statistics.ratio import fieller
from tasks.statistics.resampling import bootstrap_mean, cluster_bootstrap, paired_delta
from tasks.statistics.similarity import linear_cka
from tasks.statistics.stratified import Stratum, cochran_armitage, mh_log_or, mh_test
from tasks.statistics.weighting import ess, wcls

SCORES = st.dictionaries(
    st.sampled_from("abcdefgh"),
    st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=3),
    min_size=1,
)


def test_the_common_log_odds_ratio_has_its_fixture_value():
    strata = [Stratum(3, 4, 1, 4), Stratum(4, 4, 2, 4), Stratum(2, 4, 2, 4)]
    assert mh_log_or(strata).value == pytest.approx(1.435, abs=5e-4)


def test_a_one_sided_table_has_a_status_instead_of_a_ratio():
    assert mh_log_or([Stratum(4, 4, 0, 4)]).status == "infinite"
    assert mh_log_or([Stratum(4, 4, 4, 4)]).status == "no_information"
    assert mh_log_or([]).value is None


def test_swapping_the_arms_negates_ratio_and_test():
    strata = [Stratum(3, 4, 1, 5), Stratum(2, 3, 2, 6)]
    swapped = [Stratum(s.k0, s.n0, s.k1, s.n1) for s in strata]
    one, other = mh_log_or(strata).value, mh_log_or(swapped).value
    assert one is not None
    assert other is not None
    assert one == pytest.approx(-other)
    left, right = mh_test(strata).z, mh_test(swapped).z
    assert left is not None
    assert right is not None
    assert left == pytest.approx(-right)


def test_the_stratified_test_keeps_its_size():
    rng = random.Random(5)
    rejected = 0
    for _ in range(1500):
        strata = []
        for _ in range(20):
            share = rng.choice([0.2, 0.5, 0.8])
            k1, k0 = (sum(rng.random() < share for _ in range(4)) for _ in range(2))
            strata.append(Stratum(k1, 4, k0, 4))
        p = mh_test(strata).p_one_sided
        rejected += p is not None and p < 0.05
    assert 0.03 <= rejected / 1500 <= 0.065


def test_a_table_without_variance_gives_no_p_value():
    assert mh_test([Stratum(4, 4, 4, 4)]).status == "no_information"
    assert cochran_armitage([0, 0], [5, 5]).p_one_sided is None


def test_a_rising_share_has_a_positive_trend_and_a_flat_one_none():
    rising, flat = cochran_armitage([1, 4, 8], [10, 10, 10]), cochran_armitage([3, 3], [9, 9])
    assert rising.p_one_sided is not None
    assert rising.p_one_sided < 0.01
    assert flat.z == pytest.approx(0)


def test_fieller_has_its_fixture_value():
    a = [1, 0, 0, 1, 0, 0, 0, 1, 0, 0] * 6
    b = [1, 1, 0, 1, 0, 1, 0, 1, 0, 0] * 6
    ratio = fieller(a, b)
    assert ratio.status == "ok"
    assert ratio.value == pytest.approx(0.6)
    assert ratio.lo == pytest.approx(0.417, abs=5e-4)
    assert ratio.hi == pytest.approx(0.783, abs=5e-4)


def test_fieller_names_why_a_ratio_is_undefined():
    assert fieller([0, 0, 0], [0, 0, 0]).status == "both_zero"
    assert fieller([1, 0, 1, 0], [1, -1, 0, 1]).status == "unbounded"
    assert fieller([1, 0, 1, 0], [-1, -1, -1, -0.9]).status == "reference_harmed"
    assert fieller([1], [1]).status == "too_few"
    assert fieller([], []).value is None


def test_a_cluster_of_one_row_makes_the_plain_bootstrap():
    values = [float(i % 3 == 0) for i in range(30)]
    plain = bootstrap_mean(values, seed=3, resamples=400)
    clustered = cluster_bootstrap(
        list(enumerate(values)),
        cluster=lambda row: row[0],
        statistic=lambda rows: sum(value for _, value in rows) / len(rows),
        seed=3,
        resamples=400,
    )
    assert plain is not None
    assert clustered is not None
    assert (clustered.lo, clustered.hi) == pytest.approx((plain.lo, plain.hi))


def test_rows_of_one_cluster_stay_together():
    rows = [(task, 1.0 if task < 5 else 0.0) for task in range(10) for _ in range(20)]
    interval = cluster_bootstrap(
        rows,
        cluster=lambda row: row[0],
        statistic=lambda drawn: sum(v for _, v in drawn) / len(drawn),
        seed=1,
        resamples=500,
    )
    assert interval is not None
    assert interval.hi - interval.lo > 0.4
    assert interval.clusters == 10


def test_the_same_seed_gives_the_same_limits():
    values = [0.0, 1.0, 1.0, -1.0, 0.0, 1.0]
    assert bootstrap_mean(values, seed=9) == bootstrap_mean(values, seed=9)
    assert bootstrap_mean([], seed=9) is None


@given(SCORES, SCORES)
def test_swapping_the_arms_negates_the_paired_difference_exactly(old, new):
    forward = paired_delta(old, new, seed=4, resamples=200)
    back = paired_delta(new, old, seed=4, resamples=200)
    assert (forward.wins, forward.losses) == (back.losses, back.wins)
    if forward.value is not None:
        assert back.value is not None
        assert forward.value == -back.value
        assert forward.lo == -(back.hi or 0.0)
        assert forward.hi == -(back.lo or 0.0)


def test_tasks_without_both_arms_do_not_count():
    delta = paired_delta({"a": [0.0], "b": [1.0]}, {"a": [1.0], "c": [0.0]}, seed=1)
    assert (delta.wins, delta.losses, delta.ties, delta.value) == (1, 0, 0, 1.0)
    assert paired_delta({"a": [1.0]}, {}, seed=1).value is None


def test_identical_annotators_agree_fully():
    labels = ["AR", "EC", "TD", "RR"]
    assert cohen_kappa(labels, labels) == 1
    assert cohen_kappa(["AR", "AR"], ["AR", "AR"]) == 1
    assert cohen_kappa([], []) is None


def test_agreement_by_chance_alone_is_zero():
    assert cohen_kappa(["a", "a", "b", "b"], ["a", "b", "a", "b"]) == pytest.approx(0)


def test_a_reversed_order_scores_zero_and_a_kept_one_scores_one():
    ranks = {"open": 1, "take": 2, "go": 3}
    assert kendall_order(["go", "take", "open"], ranks) == 0
    assert kendall_order(["open", "x", "take", "go"], ranks) == 1
    assert kendall_order(["x"], ranks) is None


def test_equal_weights_count_every_row():
    assert ess([0.3] * 17) == pytest.approx(17)
    assert ess([1e-200, 0.0]) == pytest.approx(1)
    assert ess([0.0, 0.0]) is None


def test_constant_propensity_gives_the_difference_in_means():
    rng = random.Random(2)
    treated = [i % 2 for i in range(40)]
    outcomes = [rng.random() + 0.3 * arm for arm in treated]
    effect = wcls(outcomes, treated, [0.5] * 40, [i // 4 for i in range(40)])
    means = [
        sum(y for y, arm in zip(outcomes, treated, strict=True) if arm == side) / 20
        for side in (1, 0)
    ]
    assert effect.value == pytest.approx(means[0] - means[1], abs=1e-9)
    assert wcls([1.0], [1], [0.5], [0]).status == "not_identified"


def test_similarity_ignores_rotation_and_scale():
    x = [[1.0, 2.0], [0.5, -1.0], [3.0, 0.0], [-2.0, 1.0]]
    c, s = math.cos(0.7), math.sin(0.7)
    rotated = [[3 * (c * a - s * b), 3 * (s * a + c * b)] for a, b in x]
    assert linear_cka(x, x) == pytest.approx(1)
    assert linear_cka(x, rotated) == pytest.approx(1)
    assert linear_cka(x, [[1.0], [1.0], [1.0], [1.0]]) is None
