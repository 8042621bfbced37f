"""The simulated tiers in the household: bands, cures, layers, wrong cues, skills, speed."""

import asyncio
import time
from dataclasses import replace

import pytest

from tasks.agent.protocols import EpisodeContext
from tasks.agent.simulated_model import simulated_model
from tasks.environments.household.fault_kinds import KINDS

BANDS = {"weak": (0.15, 0.50), "mid": (0.35, 0.70), "strong": (0.60, 0.90)}
LAYERS = ("contract", "skills", "actions", "regulation")
OWN_FAMILY = {
    "contract": "two_objects",
    "skills": "clean_and_place",
    "actions": "pick_and_place",
    "regulation": "look_under_lamp",
}


def model(tier):
    return f"simulated:{tier}"


def check_band(home, tier, seed):
    low, high = BANDS[tier]
    assert low <= home.rate(model(tier), "sealed", seed=seed) <= high


@pytest.mark.parametrize("tier", BANDS)
def test_base_success_on_sealed_lies_in_its_band(home, tier):
    check_band(home, tier, 7)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("tier", BANDS)
def test_base_success_lies_in_its_band_for_other_seeds(home, tier, seed):
    check_band(home, tier, seed)


def check_gain(home, full_harness, tier, split):
    gain = home.rate(model(tier), split, full_harness) - home.rate(model(tier), split)
    assert gain >= 0.30


@pytest.mark.parametrize("tier", ["weak", "mid"])
def test_a_full_harness_gains_thirty_points(home, full_harness, tier):
    check_gain(home, full_harness, tier, "select")


@pytest.mark.slow
@pytest.mark.parametrize("split", ["train", "sealed"])
def test_a_full_harness_gains_thirty_points_on_other_splits(home, full_harness, split):
    check_gain(home, full_harness, "weak", split)


def test_some_failures_have_no_cure(home, full_harness):
    assert max(home.rate(model(tier), "select", full_harness) for tier in BANDS) < 1


@pytest.mark.parametrize("layer", LAYERS)
def test_each_layer_matters(home, full_harness, layer):
    full = home.rate(model("weak"), "select", full_harness)
    assert full - home.rate(model("weak"), "select", full_harness.without(layer)) >= 0.05


@pytest.mark.parametrize("layer", LAYERS)
def test_one_family_is_helped_by_one_layer_only(home, full_harness, layer):
    full = home.rates(model("weak"), "select", full_harness)
    family = OWN_FAMILY[layer]
    for other in LAYERS:
        rates = home.rates(model("weak"), "select", full_harness.without(other))
        loss = full[family] - rates[family]
        assert loss >= 0.2 if other == layer else abs(loss) <= 0.03


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
def test_every_fault_strikes_by_chance(home, kind):
    assert home.causes(kind, model("weak"), "select")["chance"] > 0


def test_a_fault_without_a_cure_is_never_cured(home, full_harness):
    assert home.causes("wrong_object", model("mid"), "select", full_harness)["cured"] == 0


def test_what_the_process_did_is_never_told(home):
    names = {kind.name for kind in KINDS}
    for played in home.play(model("weak"), "train"):
        texts = [str(message) for message in played.messages]
        texts += [str(reply.reasoning) for reply in played.replies]
        assert not any(name in text for name in names for text in texts)


def test_the_same_episode_is_played_the_same_way_alone(home):
    every = {item.task: item.messages for item in home.play(model("weak"), "train")}
    alone = home.play(model("weak"), "train", families=("two_objects", "look_under_lamp"))
    assert all(every[item.task] == item.messages for item in alone)


WRONG = {
    "wrong_move": (
        "The command is `put ITEM in PLACE`.",
        ("pick_and_place", "cool_and_place"),
    ),
    "wrong_take": (
        "Use `grab <object> from <place>` to get something.",
        ("pick_and_place", "heat_and_place"),
    ),
    "loose_command": (
        "Leave out the numbers of things.",
        ("pick_and_place", "heat_and_place"),
    ),
    "closed_place": (
        "There is no need to open closed places.",
        ("cool_and_place", "two_objects"),
    ),
    "second_item": ("Take both items before you move them.", ("two_objects",)),
    "prose_call": (
        "Write every command as plain text in a code block.",
        ("pick_and_place", "clean_and_place"),
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_fact_is_followed_and_does_harm(home, bare_harness, kind):
    text, families = WRONG[kind]
    harness = replace(bare_harness, contract=text)
    causes = home.causes(kind, model("mid"), "train", harness, families=families)
    assert causes["wrong_cue"] > 0
    before = home.rate(model("mid"), "train", families=families)
    assert home.rate(model("mid"), "train", harness, families=families) < before - 0.05


@pytest.mark.parametrize(
    "skill",
    [
        "First move the item to its place, then clean it with the sink.",
        "Clean the item with the oven before you move it.",
    ],
)
def test_a_wrong_skill_does_harm(home, bare_harness, skill):
    wrong = replace(bare_harness, skill=skill)
    clean = {"families": ("clean_and_place",)}
    before = home.rate(model("strong"), "train", **clean)
    assert home.rate(model("strong"), "train", wrong, **clean) < before - 0.2


def test_text_without_facts_changes_nothing(home, bare_harness):
    inert = replace(bare_harness, contract="Be careful. Think step by step and check your work.")
    base = [item.is_success for item in home.play(model("weak"), "train")]
    assert [item.is_success for item in home.play(model("weak"), "train", inert)] == base


def test_a_hint_cures_a_search_that_goes_to_and_fro(home, full_harness):
    lamp = {"families": ("look_under_lamp",)}
    assert home.causes("search_loop", model("weak"), "select", full_harness, **lamp)["cured"] > 0
    without = full_harness.without("regulation")
    assert home.causes("search_loop", model("weak"), "select", without, **lamp)["cured"] == 0


TREATED = {"families": ("clean_and_place", "heat_and_place", "cool_and_place")}


def loads(played):
    return sum(call.name == "load_skill" for reply in played.replies for call in reply.calls)


@pytest.mark.parametrize(("tier", "share"), [("weak", 0.25), ("mid", 0.60), ("strong", 0.96)])
def test_a_skill_on_demand_is_loaded_as_often_as_the_tier_does(home, full_harness, tier, share):
    harness = replace(full_harness, is_on_demand=True)
    loaded = [loads(item) for item in home.play(model(tier), "select", harness, **TREATED)]
    assert set(loaded) <= {0, 1}
    assert sum(loaded) / len(loaded) == pytest.approx(share, abs=0.12)


def test_the_skill_that_is_loaded_is_the_one_that_fits(home, full_harness):
    harness = replace(full_harness, is_on_demand=True)
    for item in home.play(model("strong"), "select", harness, **TREATED):
        verb = item.task.family.split("_")[0]
        calls = [call for reply in item.replies for call in reply.calls]
        named = [call.arguments for call in calls if call.name == "load_skill"]
        assert all(f"{verb}-first" in text for text in named)


def test_no_skill_is_loaded_where_none_fits(home, full_harness):
    harness = replace(full_harness, is_on_demand=True)
    played = home.play(model("strong"), "train", harness, families=("look_under_lamp",))
    assert [loads(item) for item in played] == [0] * len(played)


def test_a_reply_takes_less_than_a_millisecond(home, full_harness):
    environment = home.environment
    chosen = simulated_model("simulated:mid")
    tools = [tool.as_openai() for tool in environment.tools]
    system = environment.system_prompt + full_harness.contract

    async def ask():
        for task in environment.tasks("select"):
            world = environment.start(task, 0)
            talk = chosen.open(EpisodeContext(environment, task, world, 1, 0))
            messages = [
                {"role": "system", "content": system},
                {"role": "user", "content": task.text + full_harness.skill_for(task)},
            ]
            for _ in range(4):
                await talk.reply(messages, tools)

    began = time.process_time()
    asyncio.run(ask())
    spent = time.process_time() - began
    assert spent / (4 * len(environment.tasks("select"))) < 0.002  # twice the aim: shared machines
