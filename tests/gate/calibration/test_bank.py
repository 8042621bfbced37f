import pytest

from schemas.errors import ConfigError
from tasks.gate.calibration.bank import bank_of_csv


def test_a_table_of_outcomes_is_read_by_task_and_trial():
    bank = bank_of_csv("task_id,trial,reward\n0,1,1\n0,0,0.5\n1,0,1.0\n1,1,1\n", "t.csv")
    assert bank.tasks == ("0", "1")
    assert [run.solved for run in bank.runs["0"]] == [False, True]
    assert (bank.size, bank.depth) == (4, 2)
    assert bank.success == pytest.approx(0.75)
    assert bank.discordant_share == pytest.approx(0.5)


@pytest.mark.parametrize("reward", ["success", "reward", "Passed"])
def test_columns_are_found_by_the_names_that_are_common(reward):
    text = f" Task , Run ,{reward},note\na,1,true,x\na,2,False,y\nb,1,pass,\nb,2,no,\n"
    assert bank_of_csv(text, "t.csv").success == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "no column for the task"),
        ("task_id,reward\na,1\n", "no column for the trial"),
        ("task_id,trial\na,1\n", "no column for the reward"),
        ("task_id,trial,reward\na,0,1\n", "1 tasks"),
        ("task_id,trial,reward\na,0,1\nb,0,1\nb,1,1\n", "task 'a' only once"),
        ("task_id,trial,reward\na,0,maybe\n", "line 2: 'maybe' is no reward"),
        ("task_id,trial,reward\na,0,nan\n", "'nan' is no reward"),
        ("task_id,trial,reward\na,0\n", "`reward` is empty"),
        ("task_id,trial,reward\na,0,1\na,0,0\n", "stands there twice"),
        ("task_id,trial,reward\n" + "x" * 200_000 + ",0,1\n", "no table of outcomes"),
        ("\0\ud800,b\n1,2\n", "no column for the task"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_with_its_place(text, word):
    with pytest.raises(ConfigError, match=word):
        bank_of_csv(text, "t.csv")
