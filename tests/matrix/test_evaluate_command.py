"""`tackroom evaluate` over real worlds: cells, contrasts, resuming, exit codes, what is kept."""

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def command(make_command_line):
    return make_command_line("evaluations")


@pytest.fixture(scope="module")
def loops(command):
    """Two models in two loops on a few tasks, two trials each."""
    arguments = ("--models", "simulated:weak?temperature=0.5,simulated:mid", "--trials", "2")
    return command(
        "evaluate", *arguments, "--loops", "tool_call,reflexion", "--tasks", "6", "--json"
    )


def test_every_cell_has_its_interval_and_every_pair_its_difference(loops):
    result = loops.json
    assert len(result["cells"]) == 4
    for cell in result["cells"]:
        assert cell["success_lo"] <= cell["success"] <= cell["success_hi"]
        assert cell["tasks"] == 6
    assert [row["subject"] for row in result["contrasts"]] == ["reflexion", "reflexion"]
    assert all(row["pairs"] == 6 for row in result["contrasts"])
    assert "success" not in result


def test_trials_give_pass_hat_where_they_are_equals_and_only_there(loops):
    for cell in loops.json["cells"]:
        if "reflexion" in cell["model"]:
            assert set(cell["pass_hat"].values()) == {None}
            assert (cell["trials"], len(cell["by_trial"])) == (2, 2)
        elif "temperature" in cell["model"]:
            assert cell["pass_hat"]["1"] == pytest.approx(cell["success"])
            assert cell["pass_hat"]["2"] <= cell["pass_hat"]["1"]
        else:
            assert (cell["trials"], list(cell["pass_hat"])) == (1, ["1"])


def test_rollouts_of_two_loops_never_mix(command, loops):
    rows = command.sql(
        "SELECT model, count(DISTINCT model_fingerprint) AS prints, count(*) AS runs "
        "FROM trajectories GROUP BY model ORDER BY model"
    )
    assert [row["model"] for row in rows] == [
        "simulated:mid",
        "simulated:mid in reflexion",
        "simulated:weak?temperature=0.5",
        "simulated:weak?temperature=0.5 in reflexion",
    ]
    assert [row["runs"] for row in rows] == [6, 12, 12, 12]


def test_a_reflection_names_a_stored_trial_that_failed(command, loops):
    (row,) = command.sql(
        "SELECT count(*) AS notes, count(*) FILTER (t.outcome = 'failure') AS failed "
        "FROM agent_notes AS n LEFT JOIN trajectories AS t "
        "ON t.trajectory_id = n.about_trajectory_id WHERE n.kind = 'reflection'"
    )
    assert row["notes"] == row["failed"] > 0


def test_the_same_evaluation_is_answered_from_the_warehouse(command, loops):
    arguments = ("--models", "simulated:weak?temperature=0.5,simulated:mid", "--trials", "2")
    again = command(
        "evaluate", *arguments, "--loops", "tool_call,reflexion", "--tasks", "6", "--json"
    ).json
    first = loops.json
    assert (first["already_done"], again["already_done"]) == (False, True)
    assert (again["rollouts"], again["card_id"]) == (0, first["card_id"])
    assert again["cells"] == first["cells"]
    assert again["contrasts"] == first["contrasts"]


def test_a_larger_evaluation_uses_the_rollouts_of_a_smaller_one(command, loops):
    result = command(
        "evaluate",
        "--models",
        "simulated:mid",
        "--loops",
        "tool_call,react",
        "--tasks",
        "6",
        "--json",
    ).json
    assert result["rollouts"] == 6


def test_the_card_tells_how_it_was_made(command, loops):
    card = command("show", loops.json["card_id"], "--json").json["card"]
    pools = {pool["split"]: pool for pool in card["pools"]}
    assert (pools["select"]["used"], pools["sealed"]["used"]) == (6, 0)
    assert all(pool["raw"] == pool["used"] + pool["held_out"] for pool in pools.values())
    assert {"temperature": 0.5} in [model["sampling"] for model in card["models"]]
    assert (card["trials"], card["loops"], card["simulated"]) == (
        2,
        ["tool_call", "reflexion"],
        True,
    )
    text = command("show", loops.json["card_id"]).out
    assert "Task pools" in text
    assert "[simulated]" in text


def test_several_worlds_are_scored_in_harnesses_of_their_own(command):
    result = command(
        "evaluate",
        "--environment",
        "sqldesk,household",
        "--harness",
        "seed",
        "--tasks",
        "6",
        "--json",
    ).json
    assert [cell["environment"] for cell in result["cells"]] == ["sqldesk", "household"]
    assert len({cell["harness_id"] for cell in result["cells"]}) == 2


def test_layers_in_turn_compare_the_same_harness_with_itself(command, tmp_path):
    folder = tmp_path / "mine"
    command("harness", "export", "seed", "--environment", "sqldesk", "--out", str(folder))
    contract = folder / "contract.md"
    contract.write_text(contract.read_text() + "\n## Answers\n\nAnswer with a list of values.\n")
    result = command(
        "evaluate", "--harness", str(folder), "--layers", "leave-one-out,add-one-in",
        "--tasks", "6", "--json",
    ).json  # fmt: skip
    kinds = [row["kind"] for row in result["contrasts"]]
    assert kinds.count("all_layers") == 1
    assert kinds.count("with_layer") == kinds.count("without_layer") >= 1
    assert result["harness_id"] == result["cells"][0]["harness_id"]
    assert all(-1 <= row["delta_bound"] <= row["delta"] <= 1 for row in result["contrasts"])


def test_an_endpoint_that_is_down_leaves_no_score_and_says_so(make_command_line):
    command = make_command_line(
        "down",
        {
            "TACKROOM_MODELS__GONE__BASE_URL": "http://127.0.0.1:9/v1",
            "TACKROOM_MODELS__GONE__MODEL": "m",
            "TACKROOM_MODELS__GONE__LIMITS__MAX_RETRIES": "0",
        },
    )
    arguments = ("evaluate", "--tasks", "4", "--json", "--models")
    alone = command(*arguments, "openai:gone", check=False)
    assert (alone.code, alone.out) == (1, "")
    beside = command(*arguments, "openai:gone,simulated:mid", check=False)
    assert beside.code == 3
    assert {cell["model"]: cell["tasks"] for cell in beside.json["cells"]} == {
        "openai:gone": 0,
        "simulated:mid": 4,
    }
    assert beside.json["faults"] == 4
    again = command(*arguments, "openai:gone,simulated:mid", check=False)
    assert (again.code, again.json["already_done"]) == (3, False)
