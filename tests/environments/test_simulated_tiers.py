"""The simulated tiers in every embedded world: bands, cures, layers, wrong cues, skills, speed."""

import asyncio
import time
from dataclasses import replace

import pytest

from tasks.agent.protocols import EpisodeContext
from tasks.agent.simulated_model import simulated_model

BANDS = {"weak": (0.15, 0.50), "mid": (0.35, 0.70), "strong": (0.60, 0.90)}
LAYERS = ("contract", "skills", "actions", "regulation")


def model(tier):
    return f"simulated:{tier}"


def check_band(stage, tier, seed):
    low, high = BANDS[tier]
    assert low <= stage.rate(model(tier), "sealed", seed=seed) <= high


@pytest.mark.parametrize("tier", BANDS)
def test_base_success_on_sealed_lies_in_its_band(stage, tier):
    check_band(stage, tier, 7)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("tier", BANDS)
def test_base_success_lies_in_its_band_for_other_seeds(stage, tier, seed):
    check_band(stage, tier, seed)


def check_gain(stage, tier, split):
    gain = stage.rate(model(tier), split, stage.full) - stage.rate(model(tier), split)
    assert gain >= 0.30


@pytest.mark.parametrize("tier", ["weak", "mid"])
def test_a_full_harness_gains_thirty_points(stage, tier):
    check_gain(stage, tier, "select")


@pytest.mark.slow
@pytest.mark.parametrize("split", ["train", "sealed"])
def test_a_full_harness_gains_thirty_points_on_other_splits(stage, split):
    check_gain(stage, "weak", split)


def test_some_failures_have_no_cure(stage):
    assert max(stage.rate(model(tier), "select", stage.full) for tier in BANDS) < 1


def check_layer(stage, tier, layer):
    full = stage.rate(model(tier), "select", stage.full)
    assert full - stage.rate(model(tier), "select", stage.full.without(layer)) >= 0.05


@pytest.mark.parametrize("layer", LAYERS)
def test_each_layer_matters(stage, layer):
    check_layer(stage, "weak", layer)


@pytest.mark.parametrize("layer", LAYERS)
def test_one_family_is_helped_by_one_layer_only(stage, layer):
    full = stage.rates(model("weak"), "select", stage.full)
    family = stage.hand.OWN_FAMILY[layer]
    for other in LAYERS:
        rates = stage.rates(model("weak"), "select", stage.full.without(other))
        loss = full[family] - rates[family]
        assert loss >= 0.2 if other == layer else abs(loss) <= 0.03


def test_every_fault_strikes_by_chance(stage):
    kinds = [kind.name for kind in stage.environment.simulation.kinds]
    struck = {kind: stage.causes(kind, model("weak"), "select")["chance"] for kind in kinds}
    assert min(struck.values()) > 0, struck


def test_a_fault_without_a_cure_is_never_cured(stage):
    assert stage.causes(stage.hand.UNCURED, model("mid"), "select", stage.full)["cured"] == 0


def test_what_the_process_did_is_never_told(stage):
    names = {kind.name for kind in stage.environment.simulation.kinds}
    for played in stage.play(model("weak"), "train"):
        texts = [str(message) for message in played.messages]
        texts += [str(reply.reasoning) for reply in played.replies]
        assert not any(name in text for name in names for text in texts)


def test_the_same_episode_is_played_the_same_way_alone(stage):
    every = {item.task: item.messages for item in stage.play(model("weak"), "train")}
    alone = stage.play(model("weak"), "train", families=stage.hand.SOME)
    assert all(every[item.task] == item.messages for item in alone)


def test_a_wrong_fact_is_followed_and_does_harm(stage):
    for kind, (text, families) in stage.hand.WRONG.items():
        harness = replace(stage.bare, contract=text)
        causes = stage.causes(kind, model("mid"), "train", harness, families=families)
        assert causes["wrong_cue"] > 0, kind
        before = stage.rate(model("mid"), "train", families=families)
        after = stage.rate(model("mid"), "train", harness, families=families)
        assert after < before - 0.05, kind


def test_a_wrong_skill_does_harm(stage):
    for text, family in stage.hand.WRONG_SKILLS.items():
        wrong = replace(stage.bare, skill=text)
        before = stage.rate(model("strong"), "train", families=(family,))
        assert stage.rate(model("strong"), "train", wrong, families=(family,)) < before - 0.2


def test_text_without_facts_changes_nothing(stage):
    inert = replace(stage.bare, contract="Be careful. Think step by step and check your work.")
    base = [item.is_success for item in stage.play(model("weak"), "train")]
    assert [item.is_success for item in stage.play(model("weak"), "train", inert)] == base


@pytest.mark.parametrize(("tier", "share"), [("weak", 0.25), ("mid", 0.60), ("strong", 0.96)])
def test_a_skill_on_demand_is_loaded_as_often_as_the_tier_does(stage, tier, share):
    harness = replace(stage.full, is_on_demand=True)
    played = stage.play(model(tier), "select", harness, families=stage.hand.LOADED)
    loaded = [item.loads for item in played]
    assert set(loaded) <= {0, 1}
    assert sum(loaded) / len(loaded) == pytest.approx(share, abs=0.12)


def test_no_skill_is_loaded_where_none_fits(stage):
    harness = replace(stage.full, is_on_demand=True)
    families = (stage.hand.NOT_LOADED,)
    played = stage.play(model("strong"), "train", harness, families=families)
    assert [item.loads for item in played] == [0] * len(played)


def test_a_reply_takes_less_than_two_milliseconds(stage):
    environment, loop = stage.environment, stage.loop(stage.full)
    chosen = simulated_model("simulated:mid")

    async def ask():
        for task in environment.tasks("select"):
            world = environment.start(task, 0)
            talk = chosen.open(EpisodeContext(environment, task, world, 1, 0))
            messages, tools = loop.open(task, world.opening)
            for _ in range(4):
                await talk.reply(messages, tools)

    began = time.process_time()
    asyncio.run(ask())
    spent = time.process_time() - began
    assert spent / (4 * len(environment.tasks("select"))) < 0.002  # twice the aim: shared machines
