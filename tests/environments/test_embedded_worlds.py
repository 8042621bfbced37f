"""What holds in every embedded world: protocols, gold, splits, fingerprints, hostile texts."""

import shutil
import time
from collections import Counter
from dataclasses import replace

import pytest

from schemas.errors import ConfigError
from tasks.agent.capabilities import Forkable, HasExpert, HasGoldTexts
from tasks.agent.protocols import Environment, Task
from tasks.agent.simulated_world import HasSimulation
from tasks.agent.sources import source_hash
from tasks.environments.embedded.cues import MAX_CHARS, CueTable, own_voice
from tasks.environments.embedded.faults import FaultTable, table_of
from tasks.environments.embedded.frame import EmbeddedEnvironment
from tasks.environments.registry import resolve_environment

SPLITS = {"train": 120, "select": 240, "sealed": 120}


def solve(environment, task):
    world = environment.start(task, 0)
    for _ in range(environment.step_budget):
        if world.act(environment.expert_call(task, world)).done:
            break
    return world


def test_a_world_keeps_the_protocols(stage):
    for protocol in (Environment, HasExpert, HasSimulation, Forkable, HasGoldTexts):
        assert isinstance(stage.environment, protocol)


@pytest.mark.parametrize("split", SPLITS)
def test_gold_solves_every_task_within_the_budget(stage, split):
    environment = stage.environment
    failed = [
        task.task_id
        for task in environment.tasks(split)
        if solve(environment, task).verdict().outcome != "success"
    ]
    assert failed == []


@pytest.mark.parametrize("split", SPLITS)
def test_doing_nothing_passes_no_task(stage, split):
    environment = stage.environment
    worlds = [environment.start(task, 0) for task in environment.tasks(split)]
    assert {world.verdict().outcome for world in worlds} == {"failure"}


@pytest.mark.parametrize(("split", "size"), SPLITS.items())
def test_families_have_equal_shares_and_alternate(stage, split, size):
    tasks = stage.environment.tasks(split)
    families = Counter(task.family for task in tasks)
    assert len(tasks) == size
    assert len(families) >= 4
    assert set(families.values()) == {size // len(families)}
    assert len({task.family for task in tasks[: len(families)]}) == len(families)


def test_splits_share_no_ids_and_ids_name_world_and_family(stage):
    tasks = [task for split in SPLITS for task in stage.environment.tasks(split)]
    assert len({task.task_id for task in tasks}) == len(tasks)
    assert all(task.task_id.startswith(f"{stage.name}/{task.family}/") for task in tasks)


def test_an_unknown_task_is_refused(stage):
    with pytest.raises(ConfigError, match="has no task"):
        stage.environment.start(Task("x/y/1", stage.name, "y", "train", ""), 0)


def test_a_world_of_another_environment_is_refused(stage, stages):
    other = next(one for name, one in stages.items() if name != stage.name).environment
    task = stage.environment.tasks("train")[0]
    with pytest.raises(ConfigError, match="was given a world of type"):
        stage.environment.expert_call(task, other.start(other.tasks("train")[0], 0))


def test_two_environments_are_the_same(stage):
    other = resolve_environment(stage.name)
    assert other.fingerprint == stage.environment.fingerprint
    assert other.tasks("select") == stage.environment.tasks("select")


def remade(stage, **changes):
    """Fingerprint of the world with something changed."""
    changes.setdefault("draw", lambda split: stage.environment.blueprint.problems[split])
    return EmbeddedEnvironment(replace(stage.environment.blueprint, **changes)).fingerprint


def with_rate(simulation, number, rate):
    """The fault table with one rate changed."""
    kinds = list(simulation.kinds)
    rates = {family: dict(tiers) for family, tiers in kinds[number].rates.items()}
    rates[next(iter(rates))]["weak"] = rate
    kinds[number] = replace(kinds[number], rates=rates)
    table = table_of(
        kinds,
        {kind.name: simulation.opportunity for kind in kinds},
        {kind.name: simulation.slip for kind in kinds},
    )
    return FaultTable(table, CueTable(own_voice("-")), lambda world: world, lambda *_: 0.0)


def test_one_rate_of_one_fault_makes_another_fingerprint(stage):
    simulation = stage.environment.simulation
    prints = {stage.environment.fingerprint}
    for number in range(len(simulation.kinds)):
        prints.add(remade(stage, simulation=with_rate(simulation, number, 0.98765)))
    assert len(prints) == 1 + len(simulation.kinds)


def test_whatever_the_world_declares_makes_another_fingerprint(stage):
    blueprint = stage.environment.blueprint
    prints = {
        remade(stage),
        remade(stage, system_prompt=blueprint.system_prompt + " Be quick."),
        remade(stage, step_budget=blueprint.step_budget + 1),
        remade(stage, tools=blueprint.tools[:1] * 2),
        remade(stage, non_progress=(*blueprint.non_progress, "Hm.")),
        remade(stage, terminal_tools=frozenset({"stop"})),
        remade(stage, draw=lambda split: blueprint.problems[split][1:]),
        remade(stage, package="tasks.environments.embedded"),
    }
    assert len(prints) == 8
    assert remade(stage) == stage.environment.fingerprint


@pytest.mark.parametrize("module", ["checker", "world", "expert", "cues", "fault_kinds"])
def test_the_source_of_every_module_counts(stage, module, tmp_path, monkeypatch):
    name = f"borrowed_{stage.name}_{module}"
    folder = shutil.copytree(stage.folder, tmp_path / name)
    monkeypatch.syspath_prepend(str(tmp_path))
    before = source_hash(name)
    file = folder / (f"{stage.name}_cues.py" if module == "cues" else f"{module}.py")
    file.write_text(file.read_text() + "\nX = 1\n")
    assert source_hash(name) != before


def test_a_world_gives_no_cue_in_its_own_prompt_and_tools(stage):
    environment = stage.environment
    texts = [environment.system_prompt, *(tool.description for tool in environment.tools)]
    assert [environment.simulation.read(text, "system") for text in texts] == [()] * len(texts)


@pytest.mark.parametrize(
    "text",
    [
        "'x' is not of type 'array'",
        "first: 3 is not of type 'string'",
        "'query' is a required property",
        "Additional properties are not allowed ('x' was unexpected)",
        "tool 'act' not found",
        "There is no tool `x`. Tools: a, b.",
        "No tool call was found. Reply with a call of: a, b.",
    ],
)
def test_what_every_world_says_by_itself_is_no_cue(stage, text):
    assert stage.environment.simulation.read(text, "recent") == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0",
        "\ud800" * 10,
        "not " * 20_000,
        "`move a to " * 20_000,
        '"a b" ' * 20_000,
        "(" * 99_999,
        "<" * 50_000,
        "open clean sink move take " * 8_000,
    ],
)
def test_hostile_text_is_read_in_bounded_time(stage, text):
    began = time.process_time()
    stage.environment.simulation.read(text, "system")
    assert time.process_time() - began < 3


def test_what_stands_beyond_the_longest_text_is_not_read(stage):
    read = stage.environment.simulation.read
    text, _ = next(iter(stage.hand.WRONG.values()))
    assert read(text, "system")
    assert read("x " * MAX_CHARS + text, "system") == ()


def test_a_fault_table_needs_every_part_of_every_fault(stage):
    kinds = stage.environment.simulation.kinds
    with pytest.raises(ValueError, match="lack"):
        table_of(kinds, {}, {})
