"""Evolved harnesses that ship: each loads, fits its card, and names a world that there is."""

import pytest

from schemas.errors import ConfigError
from tasks.environments.registry import taken_names
from tasks.evidence_card import find_card
from tasks.harness.folder import EVIDENCE, MANIFEST
from tasks.workbench import evolved_harness
from warehouse.seeds import evolved_folders

FOLDERS = evolved_folders()


def test_there_are_some():
    assert FOLDERS


@pytest.mark.parametrize("environment", FOLDERS)
def test_a_shipped_harness_is_the_one_its_card_speaks_of(environment):
    folder = FOLDERS[environment]
    assert (folder / MANIFEST).is_file()
    assert (folder / EVIDENCE).is_file()
    harness, card = find_card(str(folder))
    assert card is not None
    assert card.harness_id == harness.harness_id == evolved_harness(environment).harness_id
    assert card.environment == harness.environment == environment
    assert environment in taken_names()


@pytest.mark.parametrize("environment", FOLDERS)
def test_a_shipped_harness_was_accepted_on_evidence_that_says_who_acted(environment):
    _, card = find_card(str(FOLDERS[environment]))
    assert card is not None
    assert card.status == "accepted"
    assert card.simulated == any(model.startswith("simulated:") for model in card.models)
    for trial in card.acceptances:
        assert (trial.e_value or 0) >= (trial.threshold or 1)
        assert trial.edits


def test_a_world_without_one_is_refused_with_those_that_have_one():
    with pytest.raises(ConfigError, match="no evolved harness ships for `sqldesk`"):
        evolved_harness("sqldesk")
