import json
import subprocess
import sys

import pytest

from tasks.harness.retrieval import find_skill
from tasks.harness.skills import Checkpoint, Trigger, read_skill


def skill(name, description="Nothing in particular.", trigger=""):
    header = f"trigger: {trigger}\n" if trigger else ""
    return read_skill(f"---\nname: {name}\ndescription: {description}\n{header}---\nx\n", name=name)


@pytest.mark.parametrize(
    ("trigger", "text", "holds"),
    [
        ({"any": ["change"]}, "Please CHANGE it", True),
        ({"any": ["change"]}, "unchanged", False),
        ({"any": ["set to"]}, "set, to 5", True),
        ({"any": ["set to"]}, "set it to 5", False),
        ({"all": ["a", "b"]}, "b a", True),
        ({"all": ["a", "b"]}, "a", False),
        ({"any": ["a"], "none": ["b"]}, "a b", False),
        ({"none": ["b"]}, "a", True),
        ({}, "anything", True),
        ({"families": ["update"]}, "anything", True),
        ({"any": ["straße"]}, "STRASSE", True),
    ],
)
def test_a_trigger_matches_whole_words_of_the_text(trigger, text, holds):
    assert Trigger(**trigger).holds(text) is holds


def test_a_trigger_may_be_a_text_or_a_list():
    assert skill("a", trigger="update").trigger.any == ["update"]
    assert skill("a", trigger="[x, y]").trigger.any == ["x", "y"]
    assert not skill("a").has_trigger


def test_nothing_is_given_without_a_match():
    assert find_skill([], "change the name") is None
    assert find_skill([skill("a", trigger="delete")], "change the name") is None
    assert find_skill([skill("a", "Cook an egg.")], "change the name") is None


def test_common_words_are_no_match():
    assert find_skill([skill("a", "This is for the and of it.")], "this is the one for it") is None


def test_a_trigger_that_does_not_hold_shuts_a_better_text_out():
    near = skill("near", "Change the name of a customer.", trigger="invoice")
    far = skill("far", "Change things.")
    assert find_skill([near, far], "change the name of a customer") == far


def test_the_best_of_several_is_given():
    names = skill("names", "Change the name of a customer.")
    prices = skill("prices", "Change the price of an article.")
    assert find_skill([names, prices], "change the price of article 7") == prices
    assert find_skill([prices, names], "change the name of anna") == names


def test_ties_go_to_the_first_name_whatever_the_order():
    one, two = skill("one", "Change it."), skill("two", "Change it.")
    assert find_skill([two, one], "change") == find_skill([one, two], "change") == one


def test_a_holding_trigger_is_a_match_even_among_several():
    due = [skill("a", trigger="update"), skill("b", trigger="name")]
    assert find_skill(due, "update the name") in due


def test_retrieval_writes_nothing_to_the_terminal():
    code = (
        "from tasks.harness.retrieval import find_skill\n"
        "from tasks.harness.skills import read_skill\n"
        "s=[read_skill(f'---\\nname: s{n}\\ndescription: change {n}\\n---\\nx\\n', name=f's{n}')"
        " for n in range(9)]\n"
        "assert find_skill(s, 'change 3').name == 's3'\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_checkpoints_are_tested_on_calls():
    check = Checkpoint(text="t", tool="execute_sql", contains=["select", "DISTINCT"])
    assert check.matches("execute_sql", json.dumps({"sql": "SELECT DISTINCT a FROM t"}))
    assert not check.matches("execute_sql", json.dumps({"sql": "SELECT a FROM t"}))
    assert not check.matches("other", json.dumps({"sql": "SELECT DISTINCT a"}))
    assert Checkpoint(text="t", pattern=r"id\W+\d+").matches("any", '{"id": 5}')


def test_a_checkpoint_without_a_test_matches_nothing():
    check = Checkpoint(text="Say what you found.")
    assert not check.is_mechanical
    assert not check.matches("any", "{}")


@pytest.mark.timeout(10)
def test_an_allowed_pattern_ends_soon_on_hostile_arguments():
    assert not Checkpoint(text="t", pattern="a*a*b").matches("any", "a" * 1_000_000)


def test_skill_text_of_other_agents_is_read():
    text = (
        "---\nname: pdf\ndescription: >\n  Fill in\n  forms.\nlicense: MIT\n"
        "allowed-tools: Read Write\nmetadata:\n  version: '1'\n---\n# PDF\n\nDo it.\n"
    )
    read = read_skill(text, name="pdf")
    assert read.description == "Fill in forms."
    assert read.body == "# PDF\n\nDo it."
