"""Each layer of an evolved harness is needed somewhere, and all four are evolved."""

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(1800)]

WORLDS = ("sqldesk", "household")
LAYERS = ("contract", "skills", "actions", "regulation")


@pytest.fixture(scope="module")
def evolved(make_command_line, server):
    """World -> (command line, layers of accepted edits)."""
    found = {}
    for world in WORLDS:
        command = make_command_line(f"{world}-layers", server)
        arguments = ("cycle", "--environment", world, "--seed", "7", "--json")
        summary = command(*arguments, timeout=900).json
        found[world] = (command, set(summary["edits"]["by_layer"]))
    return found


def test_both_worlds_together_evolve_all_four_layers(evolved):
    assert set().union(*(layers for _, layers in evolved.values())) == set(LAYERS)


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_is_missed_on_at_least_one_world(evolved, layer):
    losses = []
    for world, (command, _) in evolved.items():
        arguments = ("evaluate", "--environment", world, "--without", layer, "--json")
        losses.append(command(*arguments).json["without"])
    assert any(loss["loss"] >= 0.03 and loss["loss_bound"] > 0 for loss in losses), losses
