"""The scores of a report: success by round, and what the same budget bought in other ways."""

from dataclasses import dataclass
from typing import Any

from tasks.presentation.chart import Score, draw_scores
from tasks.presentation.cutting import interval, number, on_one_line, percent
from tasks.presentation.document import Group, Passage, Table

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class ScoreRows:
    """Rows about scores, and the words that stand beside numbers of a simulated model."""

    scores: Rows
    arms: Rows
    note: str


def score_groups(rows: ScoreRows) -> tuple[Group, ...]:
    """Lay out the scores of a cycle; arms only where others than the cycle itself were tried."""
    return (_scores(rows), _arms(rows)) if len(rows.arms) > 1 else (_scores(rows),)


def _scores(rows: ScoreRows) -> Group:
    if not rows.scores:
        text = "No harness has been scored yet."
        return Group("Success by round", (Passage("", text, "dim"),))
    marks = [
        Score(_stage(row), row["split"], row["success"], row["success_lo"], row["success_hi"])
        for row in rows.scores
        if None not in (row["success"], row["success_lo"], row["success_hi"])
    ]
    columns = (
        "harness in force",
        "split",
        "tasks",
        "solved",
        "success",
        "95 % interval",
        "executable",
        "its 95 %",
        "steps",
        "prompt tokens",
        "faults",
    )
    body = tuple(
        (
            f"{_stage(row)} {row['harness_id']}",
            row["split"],
            number(row["tasks"]),
            number(row["successes"]),
            percent(row["success"]),
            interval(row["success_lo"], row["success_hi"]),
            percent(row["executable"]),
            interval(row["executable_lo"], row["executable_hi"]),
            number(row["mean_steps"]),
            number(row["mean_prompt_tokens"]),
            number(row["faults"]),
        )
        for row in rows.scores
    )
    caption = f"Success with its 95 % Wilson interval{rows.note}"
    table = Table(f"The same in numbers{rows.note}", columns, body, numeric=columns[2:])
    blocks = (draw_scores(caption, marks), table) if marks else (table,)
    return Group("Success by round", blocks)


def _stage(row: dict[str, Any]) -> str:
    """`base`, `round 2`, `final`: when a score was made."""
    purpose = on_one_line(row["purpose"], 200)
    if purpose == "baseline":
        return "base"
    return f"round {row['round']}" if purpose.startswith("train:") else purpose


def _arms(rows: ScoreRows) -> Group:
    """What the same number of rollouts bought in other ways."""
    columns = ("arm", "sealed success", "95 %", "tasks", "rollouts", "note")
    body = tuple(
        (
            row["arm"],
            percent(row["success"]),
            interval(row["success_lo"], row["success_hi"]),
            number(row["tasks"]),
            number(row["rollouts"]),
            on_one_line(row["note"], 200),
        )
        for row in rows.arms
    )
    caption = f"Arms of the same budget{rows.note}"
    table = Table(caption, columns, body, numeric=("sealed success", "tasks", "rollouts"))
    return Group("Budget-matched arms", (table,))
