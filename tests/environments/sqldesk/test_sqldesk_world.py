"""The desk: tasks, gold, verdicts, snapshots, words of errors."""

import itertools
import json
import time

import pytest

from schemas.errors import ConfigError
from tasks.agent.protocols import Call, Task
from tasks.environments.sqldesk import create
from tasks.environments.sqldesk.checker import answers_match

SPLITS = {"train": 120, "select": 240, "sealed": 120}


@pytest.fixture(scope="module")
def environment():
    return create()


def solve(environment, task):
    world = environment.start(task, 0)
    for _ in range(environment.step_budget):
        if world.act(environment.expert_call(task, world)).done:
            break
    return world


def query(sql):
    return Call("execute_sql", {"query": sql})


def on_table(world, sql):
    return query(sql.replace("{}", world.problem.table.name))


def commit(*answers):
    return Call("commit_final_answer", {"answers": list(answers)})


def first_of(environment, family, split="train"):
    return next(task for task in environment.tasks(split) if task.family == family)


@pytest.mark.parametrize(
    "answers",
    [(), ("",), ("0",), ("1",), ("10",), ("None",), ("unknown",), ("I cannot do this",), ("done",)],
)
def test_refusing_or_guessing_passes_no_task(environment, answers):
    for task in environment.tasks("select"):
        world = environment.start(task, 0)
        world.act(commit(*answers))
        assert world.verdict().outcome == "failure", task.task_id


def test_values_of_the_task_text_are_no_answer(environment):
    for task in environment.tasks("select"):
        problem = environment.start(task, 0).problem
        if problem.kind == "answer":
            for guess in task.text.replace(",", " ").replace("?", " ").split():
                given = [guess.strip(".")] * len(problem.answers)
                assert not answers_match(given, problem.answers, is_set=problem.draft.is_set)


def test_splits_share_neither_ids_nor_texts(environment):
    tasks = [task for split in SPLITS for task in environment.tasks(split)]
    assert len({task.task_id for task in tasks}) == len(tasks)
    assert len({task.text for task in tasks}) == len(tasks)
    assert all(task.task_id.startswith(f"sqldesk/{task.family}/") for task in tasks)


def test_every_table_has_column_names_with_spaces_that_the_task_leaves_unquoted(environment):
    for task in environment.tasks("train"):
        columns = [name for name, _ in environment.start(task, 0).problem.table.columns]
        spaced = [name for name in columns if " " in name]
        assert len(spaced) >= 3
        assert all(name in task.text and f'"{name}"' not in task.text for name in spaced)


def test_words_of_the_task_are_stored_as_codes(environment):
    for task in environment.tasks("train"):
        problem = environment.start(task, 0).problem
        cells = {str(cell) for row in problem.table.rows for cell in row}
        if task.family.endswith("_coded"):
            assert problem.draft.word in task.text
            assert problem.draft.word not in cells
            assert problem.code in cells


def test_taking_the_word_for_the_code_fails(environment):
    for task in environment.tasks("train"):
        world = environment.start(task, 0)
        if not world.problem.draft.word:
            continue
        world.act(query(world.problem.draft.guess))
        world.act(commit("done"))
        assert world.verdict().outcome == "failure", task.task_id


def test_a_change_needs_the_final_tool_too(environment):
    task = first_of(environment, "update_value")
    world = environment.start(task, 0)
    world.act(query(world.problem.draft.gold))
    assert world.verdict().parts == {"is_committed": False, "is_table_right": True}
    assert world.verdict().outcome == "failure"
    assert world.act(commit("done")).done
    assert world.verdict().outcome == "success"


def test_a_change_that_goes_too_far_fails(environment):
    task = first_of(environment, "insert_row")
    world = environment.start(task, 0)
    world.act(query(world.problem.draft.gold))
    world.act(query(world.problem.draft.gold))
    world.act(commit("done"))
    assert world.verdict().outcome == "failure"


def test_the_order_in_which_rows_were_written_does_not_count(environment):
    task = first_of(environment, "insert_row")
    world = environment.start(task, 0)
    world.act(query(world.problem.draft.gold))
    world.act(on_table(world, "UPDATE {} SET rowid = rowid + 1000 WHERE rowid < 5"))
    world.act(commit("done"))
    assert world.verdict().outcome == "success"


def test_numbers_are_compared_with_a_tolerance(environment):
    tasks = [task for task in environment.tasks("train") if task.family == "select_aggregate"]
    world = environment.start(tasks[0], 0)
    gold = float(world.problem.answers[0])
    state = world.snapshot()
    for given, outcome in ((gold + 0.004, "success"), (gold + 0.02, "failure")):
        world.act(commit(str(given)))
        assert world.verdict().outcome == outcome
        world.restore(state)


def test_answers_of_a_set_can_come_in_any_order_and_others_cannot(environment):
    seen = set()
    for task in environment.tasks("select"):
        problem = environment.start(task, 0).problem
        if len(set(problem.answers)) < 2:
            continue
        world = environment.start(task, 0)
        world.act(commit(*reversed(problem.answers)))
        expected = "success" if problem.draft.is_set else "failure"
        assert world.verdict().outcome == expected, task.task_id
        seen.add(expected)
    assert seen == {"success", "failure"}


def test_an_unknown_task_is_a_clear_error(environment):
    with pytest.raises(ConfigError, match="has no task"):
        environment.start(Task("sqldesk/none/1", "sqldesk", "none", "train", ""), 0)


@pytest.mark.parametrize(
    ("call", "text", "kind"),
    [
        (
            Call("commit_final_answer", {"answers": "x"}),
            "answers: 'x' is not of type 'array'",
            "schema",
        ),
        (
            Call("commit_final_answer", {"answers": [5]}),
            "answers[0]: 5 is not of type 'string'",
            "schema",
        ),
        (Call("commit_final_answer", {}), "'answers' is a required property", "schema"),
        (Call("run_sql", {"query": "SELECT 1"}), "tool 'run_sql' not found", "unknown_tool"),
        (query("SELECT 1; SELECT 2"), "Only one statement can be executed at a time", "sql"),
        (query("SELECT Nix FROM sqlite_master"), "no such column: Nix", "sql"),
        (query("SELECT 1 FROM nowhere"), "no such table: nowhere", "sql"),
        (query("SELECT Order Date FROM x"), 'near "Order": syntax error', "sql"),
        (query("  "), "not an executable statement", "sql"),
    ],
)
def test_what_cannot_run_is_answered_as_an_api_would(environment, call, text, kind):
    result = environment.start(environment.tasks("train")[0], 0).act(call)
    assert (result.observation, result.is_error, result.error_kind) == (text, True, kind)


def test_long_results_are_cut_and_say_so(environment):
    world = environment.start(environment.tasks("train")[0], 0)
    result = world.act(on_table(world, "SELECT * FROM {}"))
    total = len(world.problem.table.rows)
    assert result.observation.endswith(f"of {total} rows shown)")
    assert len(result.observation) < 1500


def test_nothing_can_be_done_after_the_final_answer(environment):
    task = first_of(environment, "update_value")
    world = environment.start(task, 0)
    world.act(commit("done"))
    late = world.act(query(world.problem.draft.gold))
    assert late.is_error
    assert late.done
    assert not world.verdict().parts["is_table_right"]


def test_untrusted_text_does_not_break_the_world(environment):
    world = environment.start(environment.tasks("train")[0], 0)
    texts = ("\ud800", "SELECT '\ud800'", "SELECT 1\0", "x" * 10_000_000, "SELECT " + "(" * 5000)
    for text in texts:
        observation = world.act(query(text)).observation
        assert len(observation.encode()) < 5000
    deep = json.loads("[" * 500 + "]" * 500)
    assert world.act(Call("commit_final_answer", {"answers": deep})).is_error
    world.act(commit("\ud800", "x"))
    assert world.verdict().outcome == "failure"
    world.restore(world.snapshot())


def test_a_step_with_its_snapshot_takes_less_than_a_millisecond(environment):
    tasks = environment.tasks("select")
    steps = itertools.count()
    began = time.process_time()
    for task in tasks:
        world = environment.start(task, 0)
        for _ in range(environment.step_budget):
            next(steps)
            done = world.act(environment.expert_call(task, world)).done
            world.snapshot()
            if done:
                break
    assert (time.process_time() - began) / next(steps) < 0.002  # twice the aim: shared machines
