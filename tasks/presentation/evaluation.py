"""An evaluation as a document: what it says, every cell, what differs, how it was made."""

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.presentation.chart import Gain, draw_gains
from tasks.presentation.cutting import interval, number, on_one_line, percent, points_interval
from tasks.presentation.document import Block, Document, Group, Passage, Table, facts
from tasks.presentation.executable import executable_group
from tasks.presentation.trajectory import SIMULATED

Record = Mapping[str, Any]
Rows = Sequence[Record]
MOST_DRAWN = 24
"""Most differences in one picture; a table holds them all."""
_TITLES = {
    "harness": "Harness against the first",
    "editor": "Evolved harness against the base",
    "loop": "Loop against the first",
    "without_layer": "Whole harness against the same without a layer",
    "with_layer": "One layer alone against none",
    "all_layers": "All layers against none",
}
_PROTOCOLS = {
    "grid": "models in given harnesses",
    "editors": "editors by models",
    "transfer": "transfer from a source model",
}
_UNDEFINED = {
    "base_zero": "base is 0",
    "base_small": "base under 10 %",
    "unbounded": "unbounded",
    "too_few": "too few tasks",
    "reference_harmed": "source harmed",
    "both_zero": "no gain at all",
}


def show_evaluation(record: Record) -> Document:
    """Lay out one evaluation, as `tasks.evaluation_cards` reads it."""
    card = record["card"]
    lead = f"{_PROTOCOLS[record['protocol']]}, {card['cells']} cells, {card['episodes']} episodes"
    badges = (SIMULATED,) if record["simulated"] else ()
    note = f" ({SIMULATED} model)" if record["simulated"] else ""
    groups = (
        *([_together(record["summaries"], note)] if record["summaries"] else []),
        Group("Cells", (_cells(record["cells"], note),)),
        *_contrasts(record["contrasts"], note),
        executable_group(record["cells"], record["contrasts"], note),
        _card(card),
    )
    return Document(f"Evaluation {record['card_id']}", lead, groups, badges)


def contrast_group(kind: str, contrasts: Rows, note: str) -> Group:
    """Differences of one kind, as a picture where there are several and as a table."""
    return Group(_TITLES[kind], _blocks(contrasts, note))


def _blocks(contrasts: Rows, note: str) -> tuple[Block, ...]:
    table = _differences(contrasts, note)
    drawn = [
        Gain(_label(row), row["delta"], row["delta_lo"], row["delta_hi"])
        for row in contrasts[:MOST_DRAWN]
        if None not in (row["delta"], row["delta_lo"], row["delta_hi"])
    ]
    if len(drawn) < 2:
        return (table,)
    caption = f"Difference of success in points with its 95 % interval{note}"
    return (draw_gains(caption, drawn), table)


def _together(summaries: Rows, note: str) -> Group:
    columns = ("what", "over", "cells", "improved", "clear +/-", "mean points", "best", "relative")
    body = tuple(
        (
            str(row["kind"]),
            _member(row),
            number(row["cells"]),
            f"{percent(row['improved'])} ({interval(row['improved_lo'], row['improved_hi'])})",
            f"{row['clear_gains']}/{row['clear_losses']}",
            _points(row["gain"], row["gain_lo"], row["gain_hi"]),
            _points(row["best_gain"]),
            _relative_mean(row),
        )
        for row in summaries
    )
    caption = f"Share of cells improved, mean gain in points and relative{note}"
    return Group("Together", (Table(caption, columns, body, numeric=columns[2:]),))


def _member(row: Record) -> str:
    return "all" if row["axis"] == "all" else f"{row['axis']} {_name(row['member'])}"


def _relative_mean(row: Record) -> str:
    if row["relative_gain"] is None:
        return "undefined"
    spread = points_interval(row["relative_lo"], row["relative_hi"])
    share = f"{100 * row['relative_gain']:+.1f} % ({spread})"
    left_out = row["cells"] - row["relative_cells"]
    return f"{share}, {left_out} left out" if left_out else share


def _cells(cells: Rows, note: str) -> Table:
    """Columns that hold nothing in any cell are left out."""
    made = [_cell(row) for row in cells]
    empty = ("", "-")
    columns = tuple(name for name in made[0] if any(cell[name] not in empty for cell in made))
    body = tuple(tuple(cell[name] for name in columns) for cell in made)
    return Table(f"Success with its 95 % Wilson interval{note}", columns, body, numeric=columns[4:])


def _cell(row: Record) -> dict[str, str]:
    trials = row["trials"]
    by_trial = ", ".join(percent(value) for value in row["by_trial"]) if trials > 1 else ""
    return {
        "environment": row["environment"],
        "model": _name(row["model"]),
        "harness": row["harness_id"],
        "split": row["split"],
        "tasks": number(row["tasks"]),
        "success": percent(row["success"]),
        "95 %": interval(row["success_lo"], row["success_hi"]),
        "pass^k": _pass_hat(row) if trials > 1 else "",
        "by trial": by_trial,
        "faults": number(row["faults"]) if row["faults"] else "",
        "schema held": number(row["constrained"]) if row["constrained"] else "",
        "steps": number(row["mean_steps"]),
        "prompt tokens": number(row["mean_prompt_tokens"]),
        "completion": number(row["mean_completion_tokens"]),
        "USD": number(row["cost_usd"]),
    }


def _pass_hat(row: Record) -> str:
    """pass^k of the largest k; trials that learn from one another have none."""
    k = row["trials"]
    value = row["pass_hat"].get(str(k))
    return f"k={k}: {'undefined' if value is None else percent(value)}"


def _contrasts(contrasts: Rows, note: str) -> list[Group]:
    kinds = dict.fromkeys(row["kind"] for row in contrasts)
    return [
        contrast_group(kind, [row for row in contrasts if row["kind"] == kind], note)
        for kind in kinds
    ]


def _differences(contrasts: Rows, note: str) -> Table:
    has_ratio = any(row["transfer_status"] for row in contrasts)
    columns = ("environment", "model", "tried", "split", "pairs", "before", "after", "points")
    columns += ("w/l/t", "relative", *(("transfer",) if has_ratio else ()))
    body = tuple(
        (
            row["environment"],
            _name(row["model"]),
            _name(row["subject"]),
            row["split"],
            number(row["pairs"]),
            percent(row["old_success"]),
            percent(row["new_success"]),
            _points(row["delta"], row["delta_lo"], row["delta_hi"]),
            f"{row['wins']}/{row['losses']}/{row['ties']}",
            _relative(row),
            *((_transfer(row),) if has_ratio else ()),
        )
        for row in contrasts
    )
    caption = f"Paired over tasks, 95 % bootstrap intervals{note}"
    return Table(caption, columns, body, numeric=columns[4:])


def _relative(row: Record) -> str:
    if row["relative_gain"] is None:
        return _UNDEFINED[row["relative_status"]]
    spread = points_interval(row["relative_lo"], row["relative_hi"]) or "unbounded"
    return f"{100 * row['relative_gain']:+.1f} % ({spread})"


def _transfer(row: Record) -> str:
    if row["transfer_status"] is None:
        return "source"
    if row["transfer_ratio"] is None:
        return _UNDEFINED[row["transfer_status"]]
    return f"{row['transfer_ratio']:.2f} ({row['transfer_lo']:.2f} to {row['transfer_hi']:.2f})"


def _label(row: Record) -> str:
    return on_one_line(f"{row['model']} {row['subject']} {row['environment']} {row['split']}", 60)


def _card(card: Record) -> Group:
    pools = tuple(
        (
            row["environment"],
            row["split"],
            number(row["raw"]),
            number(row["used"]),
            number(row["held_out"]),
        )
        for row in card["pools"]
    )
    models = tuple(
        (
            _name(row["model"]),
            "yes" if row["simulated"] else "no",
            on_one_line(", ".join(f"{k} {v}" for k, v in row["sampling"].items()), 200) or "-",
            row["fingerprint"],
        )
        for row in card["models"]
    )
    harnesses = tuple(
        (row["harness_id"], row["environment"], _name(row["word"]), ", ".join(row["layers"]))
        for row in card["harnesses"]
    )
    cycles = "; ".join(
        f"{one['editor']} on {one['model']}: {one['cycle_id']}" for one in card["cycles"]
    )
    counts = ("tasks", "used", "held out")
    return Group(
        "Evaluation card",
        (
            facts(
                ("made", str(card["created_at"])[:19].replace("T", " ") + " UTC"),
                ("release", card["release"]),
                ("loops", ", ".join(card["loops"])),
                ("trials", card["trials"]),
                ("most steps", ", ".join(f"{k} {v}" for k, v in card["step_budgets"].items())),
                ("seed", card["seed"]),
                ("noise", on_one_line("; ".join(card["noise"].values()), 1_000)),
                ("source", _name(card["source"])),
                ("cycles", on_one_line(cycles, 2_000)),
            ),
            Table("Task pools", ("environment", "split", *counts), pools, numeric=counts),
            Table("Models", ("model", "simulated", "sampling", "fingerprint"), models),
            Table("Harnesses", ("harness", "environment", "named", "layers"), harnesses),
            *((Passage("", _FAULTS.format(card["faults"]), "mark"),) if card["faults"] else ()),
        ),
    )


_FAULTS = "{} episodes ended by infrastructure are left out; the same command runs them again."


def _points(value: float | None, lo: float | None = None, hi: float | None = None) -> str:
    if value is None:
        return "-"
    spread = points_interval(lo, hi)
    return f"{100 * value:+.1f}" + (f" ({spread})" if spread else "")


def _name(value: object) -> str:
    return on_one_line(str(value), 200)
