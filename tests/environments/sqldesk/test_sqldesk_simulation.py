"""What only the desk's simulation does: middle tier, sticky faults, long prompts, nudges."""

from dataclasses import replace

import pytest

TIERS = ("weak", "mid", "strong")


@pytest.fixture
def desk(stages):
    return stages["sqldesk"]


def model(tier):
    return f"simulated:{tier}"


def test_the_middle_tier_gains_most(desk):
    gains = {
        tier: desk.rate(model(tier), "select", desk.full) - desk.rate(model(tier), "select")
        for tier in TIERS
    }
    assert max(gains, key=lambda tier: gains[tier]) == "mid"


@pytest.mark.slow
@pytest.mark.parametrize("layer", ["contract", "skills", "actions", "regulation"])
def test_each_layer_matters_to_the_middle_tier(desk, layer):
    full = desk.rate(model("mid"), "select", desk.full)
    assert full - desk.rate(model("mid"), "select", desk.full.without(layer)) >= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("split", ["train", "sealed"])
def test_a_full_harness_gains_the_middle_tier_thirty_points(desk, split):
    gain = desk.rate(model("mid"), split, desk.full) - desk.rate(model("mid"), split)
    assert gain >= 0.30


def test_faults_are_sticky_and_burn_the_budget_of_the_weak(desk):
    lengths = {
        tier: [item.steps for item in desk.play(model(tier), "select") if not item.is_success]
        for tier in ("weak", "strong")
    }
    full = {tier: steps.count(12) / len(steps) for tier, steps in lengths.items()}
    assert full["weak"] > full["strong"]


def test_a_long_prompt_is_obeyed_less(desk):
    filler = "\n\nOnce upon a time there was a long story about nothing. " * 600
    long = replace(desk.full, contract=desk.full.contract + filler)
    short = desk.rate(model("weak"), "select", desk.full)
    assert desk.rate(model("weak"), "select", long) < short - 0.03


def test_a_hint_of_a_block_cures_an_early_commit(desk):
    harness = desk.full.without("contract")
    causes = desk.causes("early_commit", model("weak"), "select", harness)
    assert causes["cured"] > 0


CODED = {"families": ("insert_coded", "update_coded")}


def test_a_loaded_skill_counts_as_a_cue(desk):
    harness = replace(desk.full, is_on_demand=True)
    groups = {True: [], False: []}
    for item in desk.play(model("mid"), "select", harness, **CODED):
        groups[bool(item.loads)].append(item.is_success)
    rates = {has_loaded: sum(wins) / len(wins) for has_loaded, wins in groups.items()}
    assert rates[True] > rates[False] + 0.2


def test_a_reference_to_a_skill_makes_more_episodes_load_it(desk):
    plain = replace(desk.full, is_on_demand=True)
    nudged = replace(plain, nudge="See the skill look-up-stored-values.")
    counts = [
        sum(item.loads for item in desk.play(model("weak"), "select", harness, **CODED))
        for harness in (plain, nudged)
    ]
    assert counts[1] > counts[0] * 1.5
