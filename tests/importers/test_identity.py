"""The same episode is one trajectory wherever it is found; another episode never is."""

import copy
import json

import pytest

from schemas.ids import make_id
from tasks.importers.engine import stream_files
from tasks.importers.results import Known
from tasks.importers.verdicts import Stated


def test_a_copy_in_another_file_is_one_more_source(load, write, tau_episode):
    first = write([tau_episode(task_id=1), tau_episode(task_id=2)], "gpt-4o-airline.json")
    second = write([tau_episode(task_id=2)], "renamed.json")
    result = load(first, second)
    assert len(result.episodes) == 2
    (duplicate,) = result.duplicates
    assert duplicate.source.trajectory_id == result.episodes[1].trajectory_id
    assert (duplicate.source.source_file, duplicate.source.source_index) == ("renamed.json", 0)
    assert [report.row.duplicates for report in result.reports] == [0, 1]


@pytest.mark.parametrize("order", [1, -1])
def test_ids_do_not_depend_on_the_order_of_files(load, write, tau_episode, order):
    paths = [write([tau_episode(task_id=n)], f"{n}.json") for n in range(3)]
    made = load(*paths[::order])
    assert sorted(episode.trajectory_id for episode in made.episodes) == sorted(
        load(path).episodes[0].trajectory_id for path in paths
    )


def test_other_runs_of_the_same_task_and_trial_do_not_collide(load, write, tau_episode):
    other = tau_episode()
    other["traj"][4]["content"] = "It is done."
    result = load(write([tau_episode()], "a.json"), write([other], "b.json"))
    assert len({episode.trajectory_id for episode in result.episodes}) == 2
    assert len({episode.trajectory.task_id for episode in result.episodes}) == 1


def test_trials_with_equal_transcripts_stay_apart(load, write, tau_episode):
    result = load(write([tau_episode(trial=0), tau_episode(trial=1)]))
    assert len(result.episodes) == 2
    assert len({episode.trajectory.transcript_sha256 for episode in result.episodes}) == 1


def test_the_same_crash_in_two_runs_is_two_trajectories(load, write, tau_episode):
    crash = tau_episode(traj=[], info={"error": "boom"}, reward=0.0)
    result = load(write([crash], "gpt-4o-airline.json"), write([crash], "grok-3-airline.json"))
    assert len(result.episodes) == 2


def test_key_order_and_null_members_do_not_matter(load, write, tau_episode):
    turned = {**dict(reversed(tau_episode().items()))}
    turned["traj"] = [{**message, "refusal": None} for message in turned["traj"]]
    result = load(write([tau_episode()], "a.json"), write([turned], "b.json"))
    assert (len(result.episodes), len(result.duplicates)) == (1, 1)


def test_models_stated_in_the_file_keep_runs_apart(load, write, tau2_file, simulation):
    other = copy.deepcopy(tau2_file(simulation()))
    other["info"]["agent_info"]["llm"] = "gpt-y"
    result = load(write(tau2_file(simulation()), "a.json"), write(other, "b.json"))
    assert len({episode.trajectory_id for episode in result.episodes}) == 2


def test_a_regraded_copy_brings_its_verdict_along(load, write, tau2_file, simulation):
    regraded = simulation(reward_info={"reward": 1.0})
    result = load(write(tau2_file(simulation()), "a.json"), write(tau2_file(regraded), "b.json"))
    (duplicate,) = result.duplicates
    assert result.episodes[0].trajectory.outcome == "failure"
    assert duplicate.verdict is not None
    digest = duplicate.source.raw_sha256[:8]
    assert duplicate.verdict.source == f"b.json#0 ({digest})"
    assert (duplicate.verdict.outcome, duplicate.verdict.reward) == ("success", 1.0)


NOT_A_NUMBER = [float("nan"), float("inf"), float("-inf"), "1.0", True]
CONTRADICTIONS = [
    (1.0, 0.0),
    (0.0, 1.0),
    (0.0, 0.5),
    (-1.0, 0.0),
    *((1.0, odd) for odd in NOT_A_NUMBER),
    *((odd, 0.0) for odd in NOT_A_NUMBER),
]
AGREEMENTS = [
    (1.0, 1),
    (0.0, 1e-9),
    (1.0, None),
    (0.0, None),
    (None, None),
    *((odd, other) for odd in NOT_A_NUMBER for other in NOT_A_NUMBER),
    *((odd, None) for odd in NOT_A_NUMBER),
]


def stated(row):
    return Stated(row.outcome, row.outcome_rule, row.reward)


@pytest.fixture(params=["in one import", "in a later import"])
def import_both(request, load, write, tau_episode):
    """The result of importing an episode and then a copy with another reward."""

    def both(first, later):
        paths = [write([tau_episode(reward=first)], "a.json")]
        paths.append(write([tau_episode(reward=later)], "b.json"))
        if request.param == "in one import":
            return load(*paths)
        stored = {e.trajectory_id: stated(e.trajectory) for e in load(paths[0]).episodes}
        return load(paths[1], known=Known(stored.get))

    return both


@pytest.mark.parametrize(("first", "later"), CONTRADICTIONS)
def test_a_copy_with_a_contradicting_reward_disputes_the_verdict(import_both, first, later):
    result = import_both(first, later)
    (duplicate,) = result.duplicates
    assert duplicate.verdict is not None
    assert duplicate.verdict.disputed
    (told,) = result.reports[-1].contradictions
    assert told.startswith(duplicate.source.trajectory_id)
    assert "b.json#0 says" in told
    (note,) = json.loads(result.reports[-1].row.notes)
    assert note.startswith("disputed: ")


@pytest.mark.parametrize(("first", "later"), AGREEMENTS)
def test_a_copy_that_says_the_same_or_nothing_disputes_nothing(import_both, first, later):
    result = import_both(first, later)
    assert [duplicate.verdict for duplicate in result.duplicates] == [None]
    assert result.reports[-1].contradictions == ()


@pytest.mark.parametrize(("later", "outcome"), [(1.0, "success"), (0.0, "failure")])
def test_a_verdict_where_there_was_none_settles_it_without_dispute(import_both, later, outcome):
    result = import_both(None, later)
    (duplicate,) = result.duplicates
    assert duplicate.verdict is not None
    assert (duplicate.verdict.outcome, duplicate.verdict.disputed) == (outcome, False)
    assert result.reports[-1].contradictions == ()


def test_a_verdict_that_came_later_can_be_contradicted_too(load, write, tau_episode):
    rewards = (None, 1.0, 1.0, 0.0)
    paths = [write([tau_episode(reward=r)], f"{n}.json") for n, r in enumerate(rewards)]
    verdicts = [duplicate.verdict for duplicate in load(*paths).duplicates]
    assert [verdict and verdict.disputed for verdict in verdicts] == [False, None, True]


def test_a_file_regraded_twice_keeps_every_verdict(load, write, tau_episode):
    stored: dict[str, Stated] = {}
    verdicts = []
    for reward in (1.0, 0.0, 0.5):
        result = load(write([tau_episode(reward=reward)], "a.json"), known=Known(stored.get))
        stored |= {e.trajectory_id: stated(e.trajectory) for e in result.episodes}
        verdicts += [duplicate.verdict for duplicate in result.duplicates]
    assert len({(row.trajectory_id, row.source) for row in verdicts}) == 2


def test_a_file_given_twice_is_reported_once(load, write, tau_episode):
    path = write([tau_episode()])
    result = load(path, path)
    assert len(result.episodes) == 1
    assert [report.is_repeated for report in result.reports] == [False, True]
    assert result.reports[1].row.duplicates == 1
    assert result.reports[1].rows() == ()


def test_what_a_warehouse_holds_is_a_duplicate(load, write, tau_episode):
    path = write([tau_episode()])
    first = load(path)
    stored = {episode.trajectory_id: stated(episode.trajectory) for episode in first.episodes}
    reports = {report.row.import_id for report in first.reports}
    again = load(path, known=Known(stored.get, reports.__contains__))
    assert (again.episodes, len(again.duplicates)) == ((), 1)
    assert again.reports[0].is_repeated


def test_shared_texts_and_tasks_come_once(write, tau_episode, now):
    path = write([tau_episode(trial=0), tau_episode(trial=1)])
    items = list(stream_files([path], harness_of=lambda name: make_id("harn", name), now=now))
    kinds = [[type(row).__name__ for row in item.rows()] for item in items[:2]]
    assert kinds[0][:4] == ["TaskRow", "PromptRow", "PromptRow", "TrajectoryRow"]
    assert kinds[1][0] == "TrajectoryRow"


def test_a_task_known_as_select_stays_so(load, write, tau_episode):
    known = Known(split_of=lambda task: "select" if task.endswith("/3") else "train")
    result = load(write([tau_episode(), tau_episode(task_id=4)]), known=known)
    assert [episode.trajectory.split for episode in result.episodes] == ["select", "train"]
    assert [task.split for task in result.tasks] == ["select", "train"]


def test_importing_again_gives_the_same_rows(load, write, tau_episode):
    path = write([tau_episode()])
    assert load(path) == load(path)
