"""What a world offers, and what noise does to equal episodes."""

from types import SimpleNamespace

import pytest

from schemas.errors import ConfigError
from tasks.agent.builtin_models import GoldModel
from tasks.agent.offers import lasting_tools, most_together, noise_of, refuse_lasting, repeats_alike
from tasks.environments.registry import resolve_environment


def test_a_world_that_says_nothing_is_steady_unshared_and_leaves_nothing():
    world = resolve_environment("sqldesk")
    assert noise_of(world) == ""
    assert most_together(world) is None
    assert lasting_tools(world) == frozenset()
    assert repeats_alike(GoldModel(), world)
    refuse_lasting("sqldesk", world)


def test_where_the_verdict_is_noisy_equal_episodes_do_not_end_alike():
    world = SimpleNamespace(noise="a model gives the verdict")
    assert noise_of(world) == "a model gives the verdict"  # pyright: ignore[reportArgumentType]
    assert not repeats_alike(GoldModel(), world)  # pyright: ignore[reportArgumentType]


def test_tools_whose_effects_stay_are_named_and_refused():
    world = SimpleNamespace(lasting_tools=frozenset({"b", "a"}))
    with pytest.raises(ConfigError, match=r"what a, b do in `w` stays.*--allow-side-effects"):
        refuse_lasting("w", world)  # pyright: ignore[reportArgumentType]
