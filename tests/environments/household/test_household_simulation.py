"""What only the household's simulation does: hints against wandering, the skill that fits."""

from dataclasses import replace

import pytest


@pytest.fixture
def home(stages):
    return stages["household"]


def model(tier):
    return f"simulated:{tier}"


def test_a_hint_cures_a_search_that_goes_to_and_fro(home):
    lamp = {"families": ("look_under_lamp",)}
    assert home.causes("search_loop", model("weak"), "select", home.full, **lamp)["cured"] > 0
    without = home.full.without("regulation")
    assert home.causes("search_loop", model("weak"), "select", without, **lamp)["cured"] == 0


def test_the_skill_that_is_loaded_is_the_one_that_fits(home):
    harness = replace(home.full, is_on_demand=True)
    for item in home.play(model("strong"), "select", harness, families=home.hand.LOADED):
        verb = item.task.family.split("_")[0]
        calls = [call for reply in item.replies for call in reply.calls]
        named = [call.arguments for call in calls if call.name == "load_skill"]
        assert all(f"{verb}-first" in text for text in named)
