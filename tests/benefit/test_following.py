"""Whether a run obeyed its skill, told from executed calls."""

from tasks.benefit.following import check_following, drift_step, is_followed, repaired_at
from tasks.benefit.use import GIVEN
from tasks.harness.skills import read_skill

ORDERED = """---
name: s
description: d
checkpoints:
- {text: Look., tool: look}
- {text: Write., tool: write}
---
x
"""
CAREFUL = """---
name: s
description: d
checkpoints:
- {text: Never burn., tool: burn, kind: avoid}
- {text: Write., tool: write}
---
x
"""
VAGUE = """---
name: s
description: d
checkpoints: [Be nice.]
---
x
"""


def skill(text):
    return read_skill(text, name="s")


def verdicts(episode, text, loaded_at=0):
    return [check.verdict for check in check_following(episode, skill(text), loaded_at)]


def test_a_run_that_keeps_every_checkpoint_followed(episode_of):
    run = episode_of("?load_skill", "look", "write", "hand_in")
    assert verdicts(run, ORDERED) == ["followed", "followed"]
    assert is_followed(check_following(run, skill(ORDERED), 0)) is True


def test_a_skipped_checkpoint_is_omitted_and_shows_where_it_is_passed_by(episode_of):
    run = episode_of("?load_skill", "talk", "write", "hand_in")
    checks = check_following(run, skill(ORDERED), 0)
    assert [check.verdict for check in checks] == ["omitted", "followed"]
    assert is_followed(checks) is False
    assert drift_step(run, skill(ORDERED), checks, 0) == 2


def test_an_omission_that_nothing_passes_by_shows_at_the_last_step(episode_of):
    run = episode_of("?load_skill", "look", "hand_in")
    checks = check_following(run, skill(ORDERED), 0)
    assert drift_step(run, skill(ORDERED), checks, 0) == 2


def test_a_call_that_failed_or_was_never_run_keeps_no_checkpoint(episode_of):
    run = episode_of("?load_skill", "!look", "?look", "write", "hand_in")
    assert verdicts(run, ORDERED) == ["omitted", "followed"]


def test_a_run_cut_off_before_a_checkpoint_says_nothing_about_it(episode_of):
    run = episode_of("?load_skill", "look", termination="budget")
    assert verdicts(run, ORDERED) == ["followed", "unobserved"]
    assert is_followed(check_following(run, skill(ORDERED), 0)) is True


def test_a_run_cut_off_behind_a_checkpoint_has_still_passed_it_by(episode_of):
    run = episode_of("?load_skill", "write", termination="budget")
    assert verdicts(run, ORDERED) == ["omitted", "followed"]


def test_what_was_done_before_the_load_need_not_be_done_again(episode_of):
    run = episode_of("look", "?load_skill", "write", "hand_in")
    assert verdicts(run, ORDERED, loaded_at=1) == ["followed", "followed"]


def test_something_to_avoid_counts_only_once_the_skill_is_known(episode_of):
    early = episode_of("burn", "?load_skill", "write", "hand_in")
    late = episode_of("?load_skill", "burn", "write", "hand_in")
    assert verdicts(early, CAREFUL, loaded_at=1) == ["followed", "followed"]
    assert verdicts(late, CAREFUL) == ["violated", "followed"]
    assert drift_step(late, skill(CAREFUL), check_following(late, skill(CAREFUL), 0), 0) == 1


def test_a_skill_that_only_a_reader_can_check_is_neither_followed_nor_not(episode_of):
    run = episode_of("?load_skill", "hand_in")
    assert verdicts(run, VAGUE) == ["unobserved"]
    assert is_followed(check_following(run, skill(VAGUE), 0)) is None
    assert drift_step(run, skill(VAGUE), check_following(run, skill(VAGUE), 0), 0) is None


def test_a_skill_that_was_given_can_be_left_at_the_first_step(episode_of):
    run = episode_of("write", "hand_in")
    checks = check_following(run, skill(ORDERED), GIVEN)
    assert drift_step(run, skill(ORDERED), checks, GIVEN) == 0


def test_a_repair_is_done_once_the_last_failing_checkpoint_is_kept(episode_of):
    run = episode_of("?load_skill", "talk", "look", "write", "hand_in")
    assert repaired_at(run, skill(ORDERED), [0], 1) == 2
    assert repaired_at(run, skill(ORDERED), [0, 1], 1) == 3


def test_a_continuation_that_never_makes_up_for_it_is_no_repair(episode_of):
    run = episode_of("?load_skill", "look", "write", "hand_in")
    assert repaired_at(run, skill(ORDERED), [0], 2) is None
    burnt = episode_of("?load_skill", "burn", "write", "hand_in")
    assert repaired_at(burnt, skill(CAREFUL), [0], 1) is None
    assert repaired_at(run, skill(CAREFUL), [0], 1) == 1
