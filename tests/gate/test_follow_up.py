"""Promises of accepted edits against later runs."""

import pytest

from tasks.gate.follow_up import LEAST_PROMISES, LEAST_RUNS, compare, lost_tasks, take_back
from tasks.harness import Harness

FAILED_BEFORE = {f"t{i}": False for i in range(40)}


def outcomes(*solved: str) -> dict[str, bool]:
    return {task: task in solved for task in FAILED_BEFORE}


def test_one_promise_kept_holds():
    found = compare(["t1", "t2"], [], FAILED_BEFORE, outcomes("t2"))
    assert (found.observed_fixes, found.realised_fixes, found.verdict) == (2, 1, "holds")


def test_no_promise_kept_is_falsified_only_when_enough_could_have_been():
    few = [f"t{i}" for i in range(LEAST_PROMISES - 1)]
    assert compare(few, [], FAILED_BEFORE, outcomes()).verdict == "unknown"
    assert compare([*few, "t30"], [], FAILED_BEFORE, outcomes()).verdict == "falsified"


def test_chance_alone_leaves_that_many_promises_unkept_at_most_once_in_twenty():
    assert 0.5**LEAST_PROMISES <= 0.05 < 0.5 ** (LEAST_PROMISES - 1)


def test_a_task_not_run_again_or_solved_before_says_nothing():
    after = {task: False for task in FAILED_BEFORE if task != "t1"}
    found = compare(["t1", "t2", "t3"], [], FAILED_BEFORE | {"t3": True}, after)
    assert found.observed_fixes == 1


def test_more_losses_than_fixes_falsify_and_foreseen_ones_do_not_count():
    after = outcomes("t1")
    assert compare(["t1"], [], FAILED_BEFORE, after, ["t5", "t6"]).verdict == "falsified"
    assert compare(["t1"], ["t5"], FAILED_BEFORE, after, ["t5", "t6"]).verdict == "holds"


def test_too_few_runs_decide_nothing():
    after = {f"t{i}": False for i in range(LEAST_RUNS - 1)}
    assert compare(list(after), [], FAILED_BEFORE, after).verdict == "unknown"


def test_lost_tasks_are_those_solved_before_and_failed_now():
    assert lost_tasks({"a": True, "b": True, "c": False}, {"a": False, "c": False}) == ["a"]


@pytest.fixture
def parent() -> Harness:
    return Harness.from_files({"harness.yaml": "api: 1\nenvironment: desk\n"})


def test_taking_an_edit_back_leaves_the_others(parent):
    one = parent.put("contract", "One", "Say one.")
    both = one.put("contract", "Two", "Say two.")
    assert take_back(both, parent, one) == parent.put("contract", "Two", "Say two.")


def test_a_changed_artifact_gets_its_old_text_back(parent):
    old = parent.put("contract", "One", "Say one.")
    new = old.put("contract", "One", "Say uno.")
    assert take_back(new, old, new) == old


def test_an_artifact_that_a_later_edit_changed_stays(parent):
    one = parent.put("contract", "One", "Say one.")
    assert take_back(one.put("contract", "One", "Say more."), parent, one) is None
