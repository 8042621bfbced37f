"""Which skill is due in a run, and what became of it."""

import pytest

from tasks.agent.episode_spec import EpisodeSpec
from tasks.benefit.forks import activation_points, following_points, reference_text
from tasks.benefit.use import (
    activation_rate,
    due_skill,
    due_tasks,
    following_rate,
    read_given,
    read_uses,
)


def uses_of(play, model, harness, tasks):
    on_demand = harness.with_delivery("on_demand")
    episodes = play(model, on_demand, [EpisodeSpec(task, 7) for task in tasks])
    return read_uses(episodes, on_demand, 3)


def test_a_skill_is_due_where_its_trigger_holds(skilled, ledger):
    tasks = ledger.tasks("train")[:6]
    due = [due_skill(skilled, text) for text in ("Make ledger entry 1.", "Walk.")]
    assert [one and one.skill.name for one in due] == ["look-first", None]
    assert {task.family for task in due_tasks(skilled, tasks)} == {"books"}


def test_a_run_that_loads_and_looks_has_no_gap(play, expert, skilled, ledger):
    use = uses_of(play, expert, skilled, ledger.tasks("train")[:1])[0]
    assert (use.loaded_at, use.is_called, use.is_followed) == (0, True, True)
    assert not use.has_activation_gap
    assert not use.has_following_gap


def test_a_run_that_never_loads_has_an_activation_gap_alone(play, habits, skilled, ledger):
    use = uses_of(play, habits(alone=1.0), skilled, ledger.tasks("train")[:1])[0]
    assert use.has_activation_gap
    assert not use.has_following_gap
    assert use.is_followed is None


def test_a_run_that_loads_and_skips_has_a_following_gap_alone(play, habits, skilled, ledger):
    use = uses_of(play, habits(calls=1.0), skilled, ledger.tasks("train")[:1])[0]
    assert use.has_following_gap
    assert not use.has_activation_gap
    assert use.drift == 1


def test_rates_count_runs_with_a_skill_due(play, habits, skilled, ledger):
    uses = uses_of(play, habits(calls=0.5, follows=0.5), skilled, ledger.tasks("train"))
    assert activation_rate(uses) == pytest.approx(0.5, abs=0.15)
    assert following_rate(uses) == pytest.approx(0.5, abs=0.2)
    assert activation_rate([]) is None
    assert following_rate([]) is None


def test_a_skill_the_harness_gave_needs_no_call(play, habits, skilled, ledger):
    tasks = [task for task in ledger.tasks("train") if task.family == "books"][:2]
    episodes = play(habits(), skilled, [EpisodeSpec(task, 7) for task in tasks])
    given = read_given(episodes, skilled, 3)
    assert [use.has_following_gap for use in given] == [True, True]
    assert [use.drift for use in given] == [0, 0]


def test_points_are_few_and_keep_the_share_of_successes(play, habits, skilled, ledger):
    uses = uses_of(play, habits(alone=0.5), skilled, ledger.tasks("train"))
    points = activation_points(uses, 8)
    won = sum(point.use.episode.is_success for point in points)
    assert len(points) == 8
    assert 2 <= won <= 6
    assert points == activation_points(list(reversed(uses)), 8)


def test_runs_that_loaded_come_before_runs_that_were_given(play, habits, skilled, ledger):
    tasks = [task for task in ledger.tasks("train") if task.family == "books"][:5]
    loaded = uses_of(play, habits(calls=1.0), skilled, tasks[:3])
    episodes = play(habits(), skilled, [EpisodeSpec(task, 7) for task in tasks])
    points = following_points(loaded, read_given(episodes, skilled, 3), 5)
    assert [point.use.loaded_at for point in points] == [0, 0, 0, -1, -1]


def test_the_reference_names_the_skill_and_gives_nothing_of_it_away(skilled):
    text = reference_text(skilled.skills[0])
    assert "look-first" in text
    assert "\n" not in text
    assert "write" not in text.lower()
