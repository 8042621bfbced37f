"""Each layer of an evolved harness is needed somewhere, and all four are evolved."""

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(1800)]

WORLDS = ("sqldesk", "household")
LAYERS = ("contract", "skills", "actions", "regulation")


def test_both_worlds_together_evolve_all_four_layers(cycles):
    layers = set().union(*(cycles(world)[1]["edits"]["by_layer"] for world in WORLDS))
    assert layers == set(LAYERS)


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_is_missed_on_at_least_one_world(cycles, layer):
    losses = []
    for world in WORLDS:
        command, _ = cycles(world)
        arguments = ("evaluate", "--environment", world, "--without", layer, "--json")
        losses.append(command(*arguments).json["without"])
    assert any(loss["loss"] >= 0.03 and loss["loss_bound"] > 0 for loss in losses), losses
