"""`tackroom gate`: what it prints, what it stores, and how it refuses."""

import pytest

from deployments.cli import run


def test_a_plan_says_what_the_tasks_cannot_show_and_invents_no_tokens(command_line):
    tackroom = command_line()
    plan = tackroom("gate", "plan", "--tasks", "60", "--json").json
    assert [row["gain"] for row in plan["gains"]] == [0.05, 0.1, 0.2]
    assert [row["tokens"] for row in plan["gains"]] == [None, None, None]
    assert plan["gains"][0]["pairs"] > plan["gains"][1]["pairs"] > plan["gains"][2]["pairs"]
    assert plan["gains"][0]["is_resolvable"] is False
    assert plan["resolvable_gain"] > 0.2
    said = " ".join(plan["advice"])
    for word in ("unknown", "bundle of", "--slots 1", "+5 points are not resolved by 60 pairs"):
        assert word in said
    assert tackroom.sql("SELECT count(*) AS n FROM trajectories") == [{"n": 0}]


def test_tokens_of_a_plan_come_from_stored_runs(command_line):
    tackroom = command_line()
    tackroom("collect", "--model", "simulated:mid", "--tasks", "6")
    plan = tackroom("gate", "plan", "--model", "simulated:mid", "--repeats", "3", "--json").json
    [known] = tackroom.sql("SELECT avg(prompt_tokens + completion_tokens) AS t FROM trajectories")
    assert plan["tokens_per_rollout"]["total"] == pytest.approx(known["t"])
    assert plan["tokens_per_rollout"]["trajectories"] == 6
    assert plan["repeats"] == 1
    for row in plan["gains"]:
        assert row["tokens"] == pytest.approx(row["rollouts"] * known["t"], abs=1)
        assert row["cost_usd"] is None


def test_a_calibration_prints_what_was_asked_for_and_lands_it(command_line):
    tackroom = command_line()
    arguments = ("--temperature", "0.7", "--tasks", "24", "--bank", "6", "--slots", "1")
    counts = ("--candidates", "20", "--planted", "5")
    first = tackroom("gate", "calibrate", *arguments, *counts, "--json").json
    assert first["simulated"] is True
    assert first["discordant_share"] >= 0.1
    assert first["false_accept"] <= 0.15
    assert 0 <= first["undecided"] <= 1
    assert first["rollouts"] == 24 * 6
    assert set(first["rivals"]["strict_mean"]) == {"false_accept", "rejects", "power"}
    [row] = tackroom.sql(
        "SELECT accepted, discordant_share FROM gate_calibrations "
        "WHERE rule = 'gate' AND effect = 'none'"
    )
    assert row["accepted"] == first["false_accept"]
    assert row["discordant_share"] == first["discordant_share"]
    again = tackroom("gate", "calibrate", *arguments, *counts, "--json").json
    assert again == first | {"rollouts": 0}


@pytest.mark.slow
def test_a_forecast_is_scored_against_full_runs_of_planted_edits(command_line):
    tackroom = command_line()
    arguments = ("--environment", "sqldesk", "--edits", "12", "--tasks", "24", "--json")
    first = tackroom("gate", "forecast", *arguments).json
    assert first["edits"] == 12
    assert first["simulated"] is True
    assert first["recall"] >= 0.6
    assert {row["editor"] for row in first["editors"]} == {"all", "rules", "harmful", "random"}
    again = tackroom("gate", "forecast", *arguments).json
    assert again["worlds"][0]["rollouts"] == 0
    assert again["editors"] == first["editors"]
    stored = tackroom("gate", "forecast", "--edits", "0", "--json").json
    assert stored["editors"] == first["editors"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("plan", "--environment", "sqldeks"), ("sqldesk",)),
        (("plan", "--model", "simulated:mud"), ("simulated:mid",)),
        (("plan", "--loss-rate", "nan"), ("--loss-rate",)),
        (("plan", "--slots", "0"), ("--slots",)),
        (("forecast", "--edits", "0"), ("--edits",)),
        (("forecast", "--model", "simulated:mud"), ("simulated:mid",)),
        (("forecast", "--edits", "-1"), ("--edits",)),
        (("calibrate",), ("--temperature", "simulated:mid")),
        (("calibrate", "--temperature", "3"), ("--temperature",)),
        (("calibrate", "--model", "gold", "--temperature", "1"), ("--temperature", "gold")),
        (("calibrate", "--recorded", "no/such.csv"), ("no/such.csv", "No such file")),
        (("calibrate", "--recorded", "."), ("directory",)),
        (("calibrate", "--recorded", "README.md"), ("README.md", "no column for the task")),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(tmp_path, monkeypatch, capsys, arguments, words):
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path / "home"))
    code = run(["gate", *arguments, "--json"])
    said = capsys.readouterr()
    assert code == 2
    assert said.out == ""
    assert said.err.count("\n") == 1
    for word in words:
        assert word in said.err
