"""The desk and the shop: an editor without a model finds cures in at least three layers."""

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(1800)]

WORLDS = ("orderdesk", "webshop")
LAYERS = {"contract", "skills", "actions", "regulation"}


@pytest.mark.parametrize("world", WORLDS)
def test_sealed_success_rises_with_edits_in_three_layers(cycles, world):
    command, summary = cycles(world)
    assert summary["final"]["sealed"] - summary["baseline"]["sealed"] >= 0.15
    assert len(summary["edits"]["by_layer"]) >= 3
    assert set(summary["edits"]["by_layer"]) <= LAYERS
    assert summary["validation"]["failed"] == 0
    kinds = command.sql("SELECT DISTINCT rule FROM failure_labels WHERE source = 'rules'")
    assert len(kinds) >= 5
