import asyncio
import random

import pytest

from schemas.errors import ConfigError
from tasks.gate.calibration.arena import Arena, bank_tasks, base_harness
from tasks.gate.calibration.bank import Bank, Run, bank_of_csv
from tasks.gate.calibration.measure import Question, ask, rival_shares
from tasks.gate.calibration.planted import Plant, check_plants
from tasks.gate.candidate import GateSettings


def coins(tasks=120, runs=8, seed=1) -> Bank:
    """Tasks that are solved with a chance of their own."""
    rng = random.Random(seed)
    bank: dict[str, tuple[Run, ...]] = {}
    for number in range(tasks):
        chance = rng.random()
        bank[f"t{number:03d}"] = tuple(Run(rng.random() < chance) for _ in range(runs))
    return Bank(bank)


def answer(bank, question, candidates=60, seed=7):
    return asyncio.run(ask(question, bank, candidates=candidates, seed=seed))


def episodes(arena, bank, harness, repeats):
    return asyncio.run(arena(harness, bank_tasks(bank), repeats))


def test_the_arms_get_different_runs_and_the_same_ones_each_time():
    bank = Bank({"t": tuple(Run(True, prompt_tokens=number) for number in range(8))})
    arena = Arena(bank, seed=3, arm_repeats=3)
    base = base_harness()
    child = base.put("contract", "x", "Text.")
    old, new = (episodes(arena, bank, arm, range(3)) for arm in (base, child))
    tokens = [episode.trajectory.prompt_tokens for episode in [*old, *new]]
    assert len(set(tokens)) == 6
    assert episodes(arena, bank, child, range(3)) == new


def test_shared_arms_differ_only_by_what_is_planted():
    bank = coins()
    plants = {"x": Plant("x", 0.3, 0.1)}
    arena = Arena(bank, seed=3, arm_repeats=3, plants=plants, is_shared=True)
    base = base_harness()
    child, inert = base.put("contract", "x", "Text."), base.put("contract", "y", "Text.")
    old, new, same = (
        [arena.solved(arm, name, 0) for name in bank.tasks] for arm in (base, child, inert)
    )
    assert old == same
    won = sum(bool(b and not a) for a, b in zip(old, new, strict=True)) / len(old)
    lost = sum(bool(a and not b) for a, b in zip(old, new, strict=True)) / len(old)
    assert won == pytest.approx(0.3, abs=0.1)
    assert lost == pytest.approx(0.1, abs=0.07)


def test_runs_that_could_not_be_judged_make_no_pair():
    bank = Bank({name: (Run(None), Run(None)) for name in ("a", "b", "c")})
    found = answer(bank, Question("none", GateSettings(slots=1)), candidates=2)
    assert found.drawn == 0
    assert found.verdicts == {"undecided": 2}


def test_the_harness_against_itself_is_hardly_ever_accepted_while_the_mean_rule_takes_half():
    found = answer(coins(), Question("none", GateSettings()))
    assert found.share("accepted") <= 0.02
    assert found.rivals["strict_mean"] / found.candidates > 0.3
    assert found.discordant / found.drawn > 0.1


def test_a_planted_gain_is_found_and_equal_seeds_find_it_equally_often():
    question = Question("main", GateSettings(), (Plant("Planted", 0.3),), is_shared=True)
    first = answer(coins(), question, candidates=20)
    again = answer(coins(), question, candidates=20)
    assert first.share("accepted") > 0.9
    assert (first.verdicts, first.read) == (again.verdicts, again.read)


def test_five_small_edits_are_accepted_as_one_bundle():
    plants = tuple(Plant(f"p{number}", 0.05) for number in range(5))
    question = Question("bundle", GateSettings(), plants, is_shared=True)
    found = answer(coins(), question, candidates=5)
    assert found.share("accepted") == 1
    assert found.kept >= 15


def test_more_than_fails_cannot_be_won():
    with pytest.raises(ConfigError, match="cannot be planted"):
        check_plants([Plant("x", 0.6)], 0.5, "main")


def outcomes(folder):
    path = folder / "tau-bench" / "gpt-4o-airline.outcomes.csv"
    if not path.exists():
        pytest.skip("the recorded trials are not here")
    return bank_of_csv(path.read_text("utf-8"), path.name)


def test_rivals_on_recorded_trials_accept_what_is_known_of_them(recorded):
    shares = rival_shares(outcomes(recorded), tasks=15, draws=6000, seed=7)
    assert shares["strict_mean"] == pytest.approx(0.38, abs=0.03)
    assert shares["paired_1se"] == pytest.approx(0.10, abs=0.03)
    assert shares["paired_1.96se"] == pytest.approx(0.014, abs=0.01)
    assert 1 - shares["any_regression"] == pytest.approx(0.93, abs=0.03)


@pytest.mark.slow
def test_the_gate_on_recorded_trials_is_wrong_rarely_and_finds_twenty_points(recorded):
    bank, settings = outcomes(recorded), GateSettings(repeats=4)
    useless = Question("none", settings, is_replaced=True)
    assert answer(bank, useless, candidates=500).share("accepted") <= 0.015
    planted = Question("main", settings, (Plant("Planted", 0.2),), is_replaced=True)
    assert answer(bank, planted, candidates=200).share("accepted") >= 0.8
