"""Budget-matched arms of a small cycle: one row each, nothing released, nothing run twice."""

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(900)]
SMALL = ("--environment", "depot", "--seed", "1", "--tasks", "24", "--rounds", "2")


@pytest.fixture(scope="module")
def compared(make_command_line, server, planted):
    """(command line, name in force before, result of the arms)."""
    command = make_command_line("arms", server | {"PYTHONPATH": str(planted)})
    command("cycle", *SMALL, "--slots", "1", "--json", timeout=600)
    before = in_force(command)
    return command, before, command("gate", "arms", "--json", timeout=600).json


def in_force(command) -> list:
    return command.sql("SELECT * FROM harness_names_in_force ORDER BY ALL")


def test_each_arm_has_one_row_with_its_budget(compared):
    _, _, result = compared
    arms = {row["arm"]: row for row in result["arms"]}
    assert set(arms) == {"evolution", "random", "sampling"}
    assert arms["evolution"]["rollouts"] == result["rollouts"]
    assert arms["evolution"]["success"] > arms["random"]["success"]
    assert arms["sampling"]["note"].startswith("replies do not vary")
    assert {row["tasks"] for row in arms.values()} == {24}


def test_arms_release_no_harness(compared):
    command, before, _ = compared
    assert in_force(command) == before


def test_arms_again_make_no_rollout(compared):
    command, _, result = compared
    count = "SELECT count(*) AS runs FROM trajectories"
    before = command.sql(count)
    assert command("gate", "arms", "--json", timeout=600).json == result
    assert command.sql(count) == before


def test_the_report_shows_them(compared, tmp_path):
    command, _, _ = compared
    page = tmp_path / "report.html"
    command("report", "--cycle", compared[2]["cycle_id"], "--out", str(page))
    assert "Arms of the same budget" in page.read_text(encoding="utf-8")


def test_an_unknown_cycle_or_arm_is_one_line(compared):
    command, _, _ = compared
    for words in (("--cycle", "cyc_0000000000000000"), ("--arm", "luck")):
        refused = command("gate", "arms", *words, check=False)
        assert refused.code in (1, 2)
        assert "Traceback" not in refused.err
