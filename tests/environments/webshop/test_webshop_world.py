"""The web shop: pages, searches, options, verdicts, snapshots."""

import random
import time

import pytest

from schemas.errors import EnvironmentFault
from tasks.agent.protocols import Call
from tasks.environments.webshop import create
from tasks.environments.webshop.problems import fits

SPLITS = ("train", "select", "sealed")
FAMILIES = (
    "named_item",
    "price_limit",
    "with_options",
    "look_alikes",
    "feature_and_price",
    "options_and_price",
)


@pytest.fixture(scope="module")
def environment():
    return create()


def tasks_of(environment, family, split="train"):
    return [task for task in environment.tasks(split) if task.family == family]


def begin(environment, family, place=0):
    return environment.start(tasks_of(environment, family)[place], 0)


def search(world, query):
    return world.act(Call("search", {"query": query}))


def click(world, element):
    return world.act(Call("click", {"element": element}))


def follow(environment, world, begins):
    """Follow the expert until its next call begins with a word."""
    while True:
        call = environment.expert_call(world.problem.task, world)
        if str(next(iter(call.arguments.values()))).startswith(begins):
            return call
        assert not world.act(call).done


def test_the_expert_needs_at_most_ten_steps(environment):
    for split in SPLITS:
        for task in environment.tasks(split):
            world, steps = environment.start(task, 0), 1
            while not world.act(environment.expert_call(task, world)).done:
                steps += 1
            assert steps <= 10, task.task_id


def test_exactly_one_found_item_is_right(environment):
    for split in SPLITS:
        for task in environment.tasks(split):
            world = environment.start(task, 0)
            problem = world.problem
            search(world, problem.goal.query)
            right = [one.number for one in world.results() if fits(problem.goal, one)]
            assert right == [problem.target], task.task_id


def test_look_alikes_stand_before_what_has_to_be_looked_for(environment):
    places = set()
    for task in tasks_of(environment, "look_alikes", "select"):
        world = environment.start(task, 0)
        search(world, world.problem.goal.query)
        listed = [one.number for one in world.results()]
        assert len(listed) == 5
        places.add(listed.index(world.problem.target))
    assert len(places) > 1
    assert min(places) >= 2


def test_splits_share_no_catalogue(environment):
    tasks = [task for split in SPLITS for task in environment.tasks(split)]
    assert len({environment.start(task, 0).problem.catalogue for task in tasks}) == len(tasks)


def test_a_step_takes_less_than_a_millisecond(environment):
    spent, steps = 0.0, 0
    for task in environment.tasks("select"):
        world, done = environment.start(task, 0), False
        while not done:
            call = environment.expert_call(task, world)
            began = time.process_time()
            done = world.act(call).done
            world.snapshot()
            world.admissible()
            spent += time.process_time() - began
            steps += 1
    assert spent / steps < 0.001


@pytest.mark.parametrize("family", FAMILIES)
def test_a_restored_world_goes_on_word_for_word(environment, family):
    world, other = begin(environment, family), begin(environment, family)
    done = False
    while not done:
        call = environment.expert_call(world.problem.task, world)
        state = world.snapshot()
        other.restore(state)
        assert other.snapshot() == state
        one, two = world.act(call), other.act(call)
        assert one == two
        assert (other.snapshot(), other.admissible()) == (world.snapshot(), world.admissible())
        done = one.done
    assert other.verdict() == world.verdict()


def test_a_state_of_another_task_is_refused(environment):
    with pytest.raises(EnvironmentFault, match="state of"):
        begin(environment, "look_alikes").restore(begin(environment, "named_item").snapshot())


def test_random_clicks_pass_few_tasks(environment):
    wins = 0
    for task in environment.tasks("select"):
        rng, world = random.Random(task.task_id), environment.start(task, 0)
        search(world, world.problem.goal.query)
        for _ in range(environment.step_budget):
            if not world.admissible() or click(world, rng.choice(world.admissible())).done:
                break
        wins += world.verdict().outcome == "success"
    assert wins <= 0.2 * len(environment.tasks("select"))


@pytest.mark.parametrize(
    ("family", "more"),
    [
        ("price_limit", "under 60 dollars"),
        ("price_limit", "cheap"),
        ("look_alikes", "{feature}"),
        ("with_options", "{option}"),
    ],
)
def test_a_search_finds_by_words_of_titles_only(environment, family, more):
    world = begin(environment, family)
    goal = world.problem.goal
    options = goal.options[0][1] if goal.options else ""
    result = search(world, f"{goal.query} {more.format(feature=goal.feature, option=options)}")
    assert result.is_error
    assert result.observation.startswith("No products were found")
    assert not search(world, goal.query).is_error


@pytest.mark.parametrize("query", ["", "the", "   ", "\0", "\ud800", "%", "x" * 300])
def test_a_query_of_no_words_of_titles_finds_nothing(environment, query):
    world = begin(environment, "named_item")
    assert search(world, query).is_error
    world.restore(world.snapshot())


def test_case_plurals_and_small_words_make_no_difference(environment):
    world = begin(environment, "price_limit")
    assert not search(world, f"A {world.problem.goal.query.upper()}S").is_error


def test_there_is_a_search_field_on_the_search_page_only(environment):
    world = begin(environment, "named_item")
    search(world, world.problem.goal.query)
    again = search(world, world.problem.goal.query)
    assert again.is_error
    click(world, "back to search")
    assert not search(world, world.problem.goal.query).is_error


@pytest.mark.parametrize("element", ["buy now", "open item 1", "Add to cart", "", "choose size xl"])
def test_what_is_not_on_the_page_changes_nothing(environment, element):
    world = begin(environment, "with_options")
    search(world, world.problem.goal.query)
    before = world.snapshot()
    result = click(world, element)
    assert (result.is_error, result.error_kind) == (True, "inadmissible")
    assert result.observation.startswith(environment.non_progress)
    assert world.snapshot() == before


def test_everything_that_is_offered_can_be_clicked(environment):
    for family in FAMILIES:
        world = begin(environment, family)
        search(world, world.problem.goal.query)
        for _ in range(3):
            state = world.snapshot()
            for element in world.admissible():
                assert not click(world, element).is_error
                world.restore(state)
            opening = [one for one in world.admissible() if one.startswith("open ")]
            click(world, opening[0] if opening else "back to results")


def test_buying_without_the_options_fails(environment):
    world = begin(environment, "with_options")
    follow(environment, world, "choose")
    assert click(world, "buy now").done
    parts = world.verdict().parts
    assert parts["is_item_right"]
    assert not parts["are_options_right"]


def test_another_option_can_be_chosen_until_the_purchase(environment):
    world = begin(environment, "with_options")
    due = follow(environment, world, "choose").arguments["element"]
    name = due.split()[1]
    other = next(
        one for one in world.admissible() if one.startswith(f"choose {name} ") and one != due
    )
    click(world, other)
    follow(environment, world, "buy")
    assert click(world, "buy now").done
    assert world.verdict().outcome == "success"


def test_a_look_alike_is_wrong(environment):
    world = begin(environment, "look_alikes")
    search(world, world.problem.goal.query)
    first = world.admissible()[0]
    assert first != f"open item {world.problem.target}"
    click(world, first)
    assert click(world, "buy now").done
    assert world.verdict().outcome == "failure"


def test_results_go_on_over_pages(environment):
    world = begin(environment, "look_alikes")
    search(world, world.problem.goal.query)
    assert "next page" in world.admissible()
    click(world, "next page")
    assert "next page" not in world.admissible()
    assert len([one for one in world.admissible() if one.startswith("open ")]) == 1


def test_options_are_forgotten_when_the_page_is_left(environment):
    world = begin(environment, "with_options")
    world.act(follow(environment, world, "choose"))
    click(world, "back to results")
    assert world.state.chosen == {}


def test_after_the_purchase_nothing_can_be_done(environment):
    world = begin(environment, "named_item")
    follow(environment, world, "buy")
    click(world, "buy now")
    assert search(world, "x").is_error
    assert world.verdict().outcome == "success"


def test_gold_texts_name_the_item_that_is_right(environment):
    gold = set(environment.gold_texts())
    for task in environment.tasks("sealed"):
        assert f"open item {environment.start(task, 0).problem.target}" in gold
