"""Four planted faults, one cure each in the four layers: an editor finds them all."""

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(1800)]

LAYERS = ("contract", "skills", "actions", "regulation")


def test_the_rules_editor_finds_all_four_cures_in_at_most_six_rounds(
    make_command_line, server, planted
):
    command = make_command_line("planted", server | {"PYTHONPATH": str(planted)})
    arguments = ("cycle", "--environment", "depot", "--model", "simulated:weak", "--rounds", "6")
    summary = command(*arguments, "--json", timeout=900).json
    assert set(summary["edits"]["by_layer"]) == set(LAYERS)
    assert summary["final"]["sealed"] - summary["baseline"]["sealed"] >= 0.35
    for layer in LAYERS:
        arguments = ("evaluate", "--environment", "depot", "--without", layer, "--json")
        assert command(*arguments).json["without"]["loss"] >= 0.03, layer
