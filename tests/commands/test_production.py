"""`tackroom runtime verdict`: what counts, what decides, and that the first verdict stands."""

import pytest

from schemas.ids import make_id
from schemas.releases import ProductionVerdictRow
from schemas.trajectories import VerdictRow
from warehouse.store import Warehouse

pytestmark = [pytest.mark.slow]
DESK = ("--environment", "desk")
OTHER = make_id("harn", "other")


def sessions(talk, treated, control, *, start=0, **changes):
    """Conversations of both arms: (successes, failures) of each."""
    rows, number = [], start
    for arm, (won, lost) in (("treatment", treated), ("control", control)):
        for outcome in ["success"] * won + ["failure"] * lost:
            rows += talk(number, outcome=outcome, arm=arm, **changes)
            number += 1
    return rows


@pytest.fixture
def verdict(tackroom):
    def judge(*options):
        ran = tackroom("runtime", "verdict", *DESK, "--json", *options)
        assert ran.code == 0, ran.err
        return ran.json

    return judge


@pytest.fixture
def looks(home):
    def stored():
        with Warehouse(home).read() as reader:
            return reader.rows(ProductionVerdictRow)

    return stored


def test_a_better_harness_is_found_better(verdict, fill, talk, looks):
    fill(sessions(talk, (85, 15), (55, 45)))
    found = verdict()
    assert found["outcome"] == "better"
    assert found["e_value"] == found["e_better"] >= found["threshold"] == 40
    assert (found["treated"], found["treated_successes"], found["controls"]) == (100, 85, 100)
    assert 0 <= found["difference_lo"] < found["difference"] == pytest.approx(0.3)
    assert [row.verdict_id for row in looks()] == [found["verdict_id"]]


def test_a_worse_harness_is_found_worse(verdict, fill, talk):
    fill(sessions(talk, (55, 45), (85, 15)))
    assert verdict()["outcome"] == "worse"


def test_too_little_says_what_could_have_been_shown(verdict, fill, talk, tackroom):
    fill(sessions(talk, (30, 30), (28, 32)))
    found = verdict()
    assert found["outcome"] == "undecided"
    assert 0.2 < found["resolvable"] < 0.6
    assert "could show" in tackroom("runtime", "verdict", *DESK).out


def test_the_first_verdict_stands_and_equal_looks_are_one_row(verdict, fill, talk, looks):
    fill(sessions(talk, (85, 15), (55, 45)))
    first = verdict()
    verdict()
    assert len(looks()) == 1
    fill(sessions(talk, (0, 60), (60, 0), start=1000))
    later = verdict()
    assert later["e_better"] < 40
    assert (later["outcome"], later["decided"]["verdict_id"]) == ("better", first["verdict_id"])
    assert [row.outcome for row in sorted(looks(), key=lambda row: row.treated)] == [
        "better",
        "worse",
    ]


def test_unknown_disputed_undrawn_and_repeated_conversations_do_not_count(verdict, fill, talk):
    doubted = talk(904, outcome="success")
    verdicts = VerdictRow(
        trajectory_id=doubted[0].trajectory_id, source="x", outcome="success", disputed=True
    )
    fill(
        [
            *sessions(talk, (5, 5), (5, 5)),
            *talk(900),
            *talk(901, outcome="success", propensity=1.0),
            *talk(902, outcome="success", mode="enforce"),
            *talk(903, outcome="success", session="s0"),
            *doubted,
            verdicts,
        ]
    )
    found = verdict()
    assert (found["treated"], found["controls"], found["treated_unknown"]) == (10, 10, 2)


def test_outcomes_that_come_late_count_when_they_come(verdict, fill, talk):
    late = [row for n in range(40) for row in talk(n, arm="treatment" if n % 2 else "control")]
    fill([*late, *sessions(talk, (30, 10), (20, 20), start=100)])
    before = verdict()
    assert (before["treated"], before["treated_unknown"]) == (40, 20)
    fill(
        [
            VerdictRow(trajectory_id=late[2 * n].trajectory_id, source="x", outcome="success")
            for n in range(1, 40, 2)
        ]
    )
    after = verdict()
    assert (after["treated"], after["treated_unknown"], after["control_unknown"]) == (60, 0, 20)
    assert any("outcomes are unknown" in note for note in after["notes"])


def test_comparisons_are_kept_apart_and_the_newest_is_meant(verdict, fill, talk, tackroom):
    fill(
        [
            *sessions(talk, (5, 5), (5, 5)),
            *sessions(talk, (2, 1), (1, 1), start=500, treatment_harness_id=OTHER),
        ]
    )
    found = verdict()
    assert (found["treatment_harness_id"], found["treated"]) == (OTHER, 3)
    assert found["other_comparisons"] == 1


def test_propensities_are_those_of_the_arm_that_was_given(verdict, fill, talk):
    fill(
        [
            *sessions(talk, (8, 2), (0, 0), propensity=0.1),
            *sessions(talk, (0, 0), (45, 45), start=200, propensity=0.9),
        ]
    )
    found = verdict()
    assert (found["treated"], found["controls"], found["notes"]) == (10, 90, [])


def test_arms_that_are_not_as_drawn_decide_nothing(verdict, fill, talk):
    fill(sessions(talk, (20, 0), (0, 0)))
    found = verdict()
    assert found["outcome"] == "undecided"
    assert any("not split as they were drawn" in note for note in found["notes"])


def test_mistakes_are_one_line(tackroom, fill, talk):
    fill(sessions(talk, (1, 1), (1, 1)))
    for arguments, code, words in (
        (("--environment", "shop"), 1, "no session of `shop`"),
        ((*DESK, "--alpha", "1.5"), 2, "--alpha"),
        ((*DESK, "--harness", "harn_0000"), 2, "harn_0000"),
        ((), 2, "--environment"),
    ):
        ran = tackroom("runtime", "verdict", *arguments)
        assert ran.code == code, ran.err
        assert words in ran.err
        assert ran.err.count("\n") == 1
