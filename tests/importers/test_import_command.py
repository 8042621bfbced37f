"""`tackroom import` says what it found of episodes that are known already."""

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(600)]


def test_a_later_import_with_another_verdict_disputes_the_outcome_and_says_so(
    make_command_line, write, tau_episode
):
    tackroom = make_command_line("disputed")
    tackroom("import", str(write([tau_episode(), tau_episode(trial=1)], "first.json")))
    spoiled = [tau_episode(reward=0.0), tau_episode(trial=1, reward=float("nan"))]
    ran = tackroom("import", str(write(spoiled, "second.json")), "--json")
    assert (ran.json["imported"], ran.json["duplicates"], ran.json["disputed"]) == (0, 2, 2)
    (line,) = [line for line in ran.err.splitlines() if line.startswith("disputed: ")]
    assert "is stored as success (reward 1), second.json#0 says failure (reward 0)" in line
    assert "and 1 others" in line
    found = tackroom.sql("SELECT outcome, disputed, verdicts FROM trajectory_outcomes")
    assert found == [{"outcome": "success", "disputed": True, "verdicts": 1}] * 2
    again = tackroom("import", str(write([tau_episode()], "third.json")))
    assert "disputed: 0" in again.out
    assert "disputed" not in again.err
