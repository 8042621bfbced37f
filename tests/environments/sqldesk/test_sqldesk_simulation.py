"""The simulated tiers on the desk: bands, cures, layers, wrong cues, skills, speed."""

import asyncio
import time
from dataclasses import replace

import pytest

from tasks.agent.protocols import EpisodeContext
from tasks.agent.simulated_model import simulated_model
from tasks.environments.sqldesk.fault_kinds import KINDS

BANDS = {"weak": (0.15, 0.50), "mid": (0.35, 0.70), "strong": (0.60, 0.90)}
LAYERS = ("contract", "skills", "actions", "regulation")
OWN_FAMILY = {
    "contract": "select_aggregate",
    "skills": "insert_coded",
    "actions": "select_lookup",
    "regulation": "update_value",
}


def model(tier):
    return f"simulated:{tier}"


def check_band(desk, tier, seed):
    low, high = BANDS[tier]
    assert low <= desk.rate(model(tier), "sealed", seed=seed) <= high


@pytest.mark.parametrize("tier", BANDS)
def test_base_success_on_sealed_lies_in_its_band(desk, tier):
    check_band(desk, tier, 7)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("tier", BANDS)
def test_base_success_lies_in_its_band_for_other_seeds(desk, tier, seed):
    check_band(desk, tier, seed)


def check_gain(desk, full_harness, tier, split):
    gain = desk.rate(model(tier), split, full_harness) - desk.rate(model(tier), split)
    assert gain >= 0.30


@pytest.mark.parametrize("tier", ["weak", "mid"])
def test_a_full_harness_gains_thirty_points(desk, full_harness, tier):
    check_gain(desk, full_harness, tier, "select")


@pytest.mark.slow
@pytest.mark.parametrize("split", ["train", "sealed"])
@pytest.mark.parametrize("tier", ["weak", "mid"])
def test_a_full_harness_gains_thirty_points_on_other_splits(desk, full_harness, tier, split):
    check_gain(desk, full_harness, tier, split)


def test_some_failures_have_no_cure_and_the_middle_tier_gains_most(desk, full_harness):
    full = {tier: desk.rate(model(tier), "select", full_harness) for tier in BANDS}
    gains = {tier: full[tier] - desk.rate(model(tier), "select") for tier in BANDS}
    assert max(full.values()) < 1
    assert max(gains, key=lambda tier: gains[tier]) == "mid"


def check_layer(desk, full_harness, tier, layer):
    full = desk.rate(model(tier), "select", full_harness)
    assert full - desk.rate(model(tier), "select", full_harness.without(layer)) >= 0.05


@pytest.mark.parametrize("layer", LAYERS)
def test_each_layer_matters(desk, full_harness, layer):
    check_layer(desk, full_harness, "weak", layer)


@pytest.mark.slow
@pytest.mark.parametrize("layer", LAYERS)
def test_each_layer_matters_to_the_middle_tier(desk, full_harness, layer):
    check_layer(desk, full_harness, "mid", layer)


@pytest.mark.parametrize("layer", LAYERS)
def test_one_family_is_helped_by_one_layer_only(desk, full_harness, layer):
    full = desk.rates(model("weak"), "select", full_harness)
    family = OWN_FAMILY[layer]
    for other in LAYERS:
        loss = (
            full[family] - desk.rates(model("weak"), "select", full_harness.without(other))[family]
        )
        assert loss >= 0.2 if other == layer else abs(loss) <= 0.03


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
def test_every_fault_strikes_by_chance(desk, kind):
    assert desk.causes(kind, model("weak"), "select")["chance"] > 0


def test_what_the_process_did_is_never_told(desk):
    names = {kind.name for kind in KINDS}
    for played in desk.play(model("weak"), "train"):
        texts = [str(message) for message in played.messages]
        texts += [str(reply.reasoning) for reply in played.replies]
        assert not any(name in text for name in names for text in texts)


def test_the_same_episode_is_played_the_same_way_alone(desk):
    every = {item.task: item.messages for item in desk.play(model("weak"), "train")}
    alone = desk.play(model("weak"), "train", families=("insert_row", "select_lookup"))
    assert all(every[item.task] == item.messages for item in alone)


def test_faults_are_sticky_and_burn_the_budget_of_the_weak(desk):
    lengths = {
        tier: [item.steps for item in desk.play(model(tier), "select") if not item.is_success]
        for tier in ("weak", "strong")
    }
    full = {tier: steps.count(12) / len(steps) for tier, steps in lengths.items()}
    assert full["weak"] > full["strong"]


WRONG = {
    "unquoted_identifier": (
        "Column names with spaces must be written in single quotes.",
        ("insert_row", "select_lookup"),
    ),
    "answers_string": (
        "Pass `answers` to commit_final_answer as one plain string.",
        ("insert_row", "select_lookup"),
    ),
    "answer_sentence": (
        "Write each answer as a complete sentence in answers.",
        ("select_lookup", "select_aggregate"),
    ),
    "two_statements": (
        "Put all statements into one execute_sql call.",
        ("insert_row", "select_aggregate"),
    ),
    "done_without_final": (
        "After an INSERT or UPDATE do not call commit_final_answer.",
        ("insert_row", "update_coded"),
    ),
    "early_commit": (
        "Call commit_final_answer before execute_sql.",
        ("insert_row", "update_coded"),
    ),
    "aliased_call": (
        "execute_sql takes one argument named `sql`.",
        ("insert_row", "update_coded"),
    ),
    "prose_call": (
        "Write every tool call as plain text in a code block.",
        ("insert_row", "select_lookup"),
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_fact_is_followed_and_does_harm(desk, bare_harness, kind):
    text, families = WRONG[kind]
    harness = replace(bare_harness, contract=text)
    before = desk.rate(model("strong"), "train", families=families)
    assert desk.rate(model("strong"), "train", harness, families=families) < before - 0.1
    causes = desk.causes(kind, model("strong"), "train", harness, families=families)
    assert causes["wrong_cue"] > 0


def test_a_wrong_skill_does_harm(desk, bare_harness):
    wrong = replace(bare_harness, skill="Write the row first, then look up the stored values.")
    coded = {"families": ("insert_coded",)}
    before = desk.rate(model("strong"), "train", **coded)
    assert desk.rate(model("strong"), "train", wrong, **coded) < before - 0.2


def test_text_without_facts_changes_nothing(desk, bare_harness):
    inert = replace(bare_harness, contract="Be careful. Think step by step and check your work.")
    base = [item.is_success for item in desk.play(model("weak"), "train")]
    assert [item.is_success for item in desk.play(model("weak"), "train", inert)] == base


def test_a_long_prompt_is_obeyed_less(desk, full_harness):
    filler = "\n\nOnce upon a time there was a long story about nothing. " * 600
    long = replace(full_harness, contract=full_harness.contract + filler)
    short = desk.rate(model("weak"), "select", full_harness)
    assert desk.rate(model("weak"), "select", long) < short - 0.03


def test_a_hint_of_a_block_cures_an_early_commit(desk, full_harness):
    harness = full_harness.without("contract")
    causes = desk.causes("early_commit", model("weak"), "select", harness)
    assert causes["cured"] > 0


CODED = {"families": ("insert_coded", "update_coded")}


def loads(played):
    return sum(call.name == "load_skill" for reply in played.replies for call in reply.calls)


@pytest.mark.parametrize(("tier", "share"), [("weak", 0.25), ("mid", 0.60), ("strong", 0.96)])
def test_a_skill_on_demand_is_loaded_as_often_as_the_tier_does(desk, full_harness, tier, share):
    harness = replace(full_harness, is_on_demand=True)
    loaded = [loads(item) for item in desk.play(model(tier), "select", harness, **CODED)]
    assert set(loaded) <= {0, 1}
    assert sum(loaded) / len(loaded) == pytest.approx(share, abs=0.12)


def test_a_loaded_skill_counts_as_a_cue(desk, full_harness):
    harness = replace(full_harness, is_on_demand=True)
    played = desk.play(model("mid"), "select", harness, **CODED)
    groups = {True: [], False: []}
    for item in played:
        groups[bool(loads(item))].append(item.is_success)
    rates = {has_loaded: sum(wins) / len(wins) for has_loaded, wins in groups.items()}
    assert rates[True] > rates[False] + 0.2


def test_a_reference_to_a_skill_makes_more_episodes_load_it(desk, full_harness):
    plain = replace(full_harness, is_on_demand=True)
    nudged = replace(plain, nudge="See the skill look-up-stored-values.")
    counts = [
        sum(loads(item) for item in desk.play(model("weak"), "select", harness, **CODED))
        for harness in (plain, nudged)
    ]
    assert counts[1] > counts[0] * 1.5


def test_no_skill_is_loaded_where_none_fits(desk, full_harness):
    harness = replace(full_harness, is_on_demand=True)
    played = desk.play(model("strong"), "train", harness, families=("select_lookup",))
    assert [loads(item) for item in played] == [0] * len(played)


def test_a_reply_takes_less_than_a_millisecond(desk, full_harness):
    environment = desk.environment
    chosen = simulated_model("simulated:mid")
    tools = [tool.as_openai() for tool in environment.tools]
    system = environment.system_prompt + full_harness.contract

    async def ask():
        for task in environment.tasks("select"):
            world = environment.start(task, 0)
            talk = chosen.open(EpisodeContext(environment, task, world, 1, 0))
            messages = [
                {"role": "system", "content": system},
                {"role": "user", "content": task.text + full_harness.skill},
            ]
            for _ in range(4):
                await talk.reply(messages, tools)

    began = time.process_time()
    asyncio.run(ask())
    spent = time.process_time() - began
    assert spent / (4 * len(environment.tasks("select"))) < 0.002  # twice the aim: shared machines
