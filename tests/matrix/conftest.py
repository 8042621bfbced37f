"""Cells with scores, made up task by task."""

import pytest

from schemas.evaluation import EvaluationRow
from schemas.ids import make_id
from tasks.matrix.cells import Arm, Cell, Contrast
from tasks.matrix.comparing import contrast_rows, summary_rows
from tasks.statistics.proportions import wilson

BASE, NEW = make_id("harn", "base"), make_id("harn", "new")
TASKS = [f"desk/f/{n}" for n in range(40)]


def make_cell(word, harness_id, solved, environment="desk"):
    """A cell whose first `solved` of 40 tasks are solved, with its means and its row."""
    cell = Cell(environment, Arm(word, "tool_call", word, ("select",)), harness_id, "select")
    means = {task: float(n < solved) for n, task in enumerate(TASKS)}
    interval = wilson(solved, len(TASKS))
    row = EvaluationRow(
        evaluation_id=make_id("eval", [environment, word, harness_id]),
        environment=environment,
        model=word,
        harness_id=harness_id,
        split="select",
        purpose="evaluate",
        cycle_id=None,
        round=None,
        tasks=len(TASKS),
        successes=solved,
        faults=0,
        success=solved / len(TASKS),
        success_lo=interval.lo if interval else None,
        success_hi=interval.hi if interval else None,
        mean_steps=3.0,
        mean_prompt_tokens=900.0,
        card_id=make_id("card", 1),
    )
    return cell, means, row


@pytest.fixture
def compared():
    """Contrast and summary rows of models by what they solve before and after."""

    def compare(solved, *, source=""):
        means, rows, contrasts = {}, {}, []
        for word, (before, after) in solved.items():
            old, new = (make_cell(word, name, n) for name, n in ((BASE, before), (NEW, after)))
            for cell, mean, row in (old, new):
                means[cell], rows[cell] = mean, row
            contrasts.append(Contrast("harness", NEW, old[0], new[0]))
        found = contrast_rows(contrasts, means, rows, means, source=source, seed=7)
        return found, summary_rows(contrasts, means, found, seed=7), list(rows.values())

    return compare
