"""`evolve` over a hand-made recording: what it counts, and how wide it talks."""

import json

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(300)]


def recorded_call(name, arguments, call_id):
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": call_id, "type": "function", "function": function}


def episode(task_id):
    """A failed run that asks for one thing again and again and never does the task."""
    traj = [
        {"role": "system", "content": "# Airline Agent Policy\n\nBe nice."},
        {"role": "user", "content": f"Please cancel R{task_id}."},
    ]
    for turn in range(6):
        call = recorded_call("get_reservation", {"reservation_id": f"X{task_id}"}, f"c{turn}")
        traj += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {
                "role": "tool",
                "tool_call_id": f"c{turn}",
                "name": "get_reservation",
                "content": "Error: reservation not found",
            },
        ]
    traj.append({"role": "user", "content": "###STOP###"})
    task = {
        "user_id": "u1",
        "instruction": f"Cancel R{task_id}.",
        "actions": [{"name": "cancel", "kwargs": {"reservation_id": f"R{task_id}"}}],
        "outputs": [],
    }
    return {
        "task_id": task_id,
        "trial": 0,
        "reward": 0.0,
        "info": {
            "task": task,
            "reward_info": {"reward": 0.0, "info": {"r_actions": 0.0}, "actions": []},
        },
        "traj": traj,
    }


@pytest.fixture(scope="module")
def imported(make_command_line, tmp_path_factory):
    """A command line on a data folder with imported failures."""
    path = tmp_path_factory.mktemp("recording") / "airline.json"
    path.write_text(json.dumps([episode(task_id) for task_id in range(12)]))
    command = make_command_line("evolve")
    command("import", str(path), "--model", "some-model", "--json")
    return command


def test_layers_count_accepted_edits_as_in_a_cycle(imported):
    result = imported("evolve", "--from-imports", "--json").json
    assert result["proposed"] == len(result["edits"]) > 0
    assert result["accepted"] == 0
    assert result["by_layer"] == {}
    assert sum(result["proposed_by_layer"].values()) == result["proposed"]
    (environment,) = result["environments"]
    assert environment["patterns"] >= environment["eligible"] >= 1


def test_the_answer_fits_a_terminal_and_names_edit_verdict_and_reason(imported):
    narrow = type(imported)(imported.home, {**imported.environ, "COLUMNS": "80"})
    lines = narrow("evolve", "--from-imports").out.splitlines()
    assert max(map(len, lines)) <= 80
    assert any("edit_" in line for line in lines)
    assert any("no_live_world" in line for line in lines)
