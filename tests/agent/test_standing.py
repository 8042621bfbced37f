"""Which built-in models can act in a world that offers neither policy nor faults."""

from typing import cast

import pytest

from tasks.agent.builtin_models import GoldModel, NoopModel, ScriptedModel
from tasks.agent.protocols import Environment
from tasks.agent.simulated_model import simulated_model
from tasks.agent.standing import idle_reason
from tasks.environments.registry import resolve_environment


class Yard:
    """A world of a user's own, as far as anybody asks here."""

    name = "yard"


YARD = cast("Environment", Yard())


@pytest.mark.parametrize("word", ["simulated:weak", "simulated:strong?temperature=0.5"])
def test_a_simulated_model_needs_a_world_that_tells_its_faults(word):
    reason = idle_reason(simulated_model(word), YARD)
    assert reason.startswith(f"{word} cannot act in `yard`")
    assert "\n" not in reason
    assert idle_reason(simulated_model(word), resolve_environment("sqldesk")) == ""


def test_gold_needs_a_policy():
    assert "`yard`" in idle_reason(GoldModel(), YARD)
    assert idle_reason(GoldModel(), resolve_environment("household")) == ""


def test_noop_acts_nowhere_and_other_models_everywhere():
    assert idle_reason(NoopModel(), resolve_environment("sqldesk")) == "noop never acts"
    assert idle_reason(ScriptedModel(["hello"]), YARD) == ""
