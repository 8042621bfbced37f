"""Rows of what differs between cells, one by one and together."""

from collections.abc import Callable, Mapping, Sequence

from schemas.evaluation import EvaluationContrastRow, EvaluationRow, EvaluationSummaryRow
from schemas.ids import make_id
from tasks.matrix.cells import Cell, Contrast
from tasks.statistics.evidence import mcnemar_one_sided
from tasks.statistics.matrix import (
    CellPair,
    TransferRatio,
    relative_gain,
    summarize,
    transfer_ratio,
)
from tasks.statistics.noninferiority import paired_lower_bound
from tasks.statistics.resampling import paired_delta

Means = Mapping[str, float]
_AXES: Mapping[str, Callable[[Contrast], str]] = {
    "environment": lambda one: one.new.environment,
    "model": lambda one: one.new.arm.word,
    "loop": lambda one: one.new.arm.loop,
    "subject": lambda one: one.subject,
}


def contrast_rows(
    contrasts: Sequence[Contrast],
    means: Mapping[Cell, Means],
    scores: Mapping[Cell, EvaluationRow],
    shares: Mapping[Cell, Means],
    *,
    source: str,
    seed: int,
) -> list[EvaluationContrastRow]:
    """One row for each pair of cells.

    `means` are the task means of the cells, `scores` their rows and `shares` their executable
    shares by task; `source` is the word of the model whose gain the others' is set against, empty
    for none.
    """
    pairs = {one: _pair(one, means) for one in contrasts}
    return [
        _contrast_row(one, pairs[one], scores, _transfer(one, pairs, source), seed).model_copy(
            update=_executable(_pair(one, shares), seed)
        )
        for one in contrasts
    ]


def _executable(pair: CellPair, seed: int) -> dict[str, float | None]:
    """What differs in the share of executable actions."""
    delta = paired_delta(*_paired(pair), seed=seed)
    return {
        "executable_delta": delta.value,
        "executable_lo": delta.lo,
        "executable_hi": delta.hi,
    }


def _paired(pair: CellPair) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Scores before and after of the tasks that both cells have."""
    before = {task: [pair.old[task]] for task in pair.shared}
    return before, {task: [pair.new[task]] for task in pair.shared}


def summary_rows(
    contrasts: Sequence[Contrast],
    means: Mapping[Cell, Means],
    rows: Sequence[EvaluationContrastRow],
    *,
    seed: int,
) -> list[EvaluationSummaryRow]:
    """What the contrasts of a kind say together, over all and along each axis.

    `rows` are those of the contrasts, in their order.
    """
    found: list[EvaluationSummaryRow] = []
    for kind in dict.fromkeys(one.kind for one in contrasts):
        for (axis, member), places in _groups(contrasts, kind).items():
            base = {"kind": kind, "axis": axis, "member": member}
            picked = [rows[place] for place in places]
            pairs = [_pair(contrasts[place], means) for place in places]
            found.append(_summary_row(base, picked, pairs, seed))
    return found


def _groups(contrasts: Sequence[Contrast], kind: str) -> dict[tuple[str, str], list[int]]:
    """Places of contrasts by axis and member; axes that part nothing or everything are left out."""
    chosen = [place for place, one in enumerate(contrasts) if one.kind == kind]
    groups = {("all", ""): chosen}
    for axis, value in _AXES.items():
        members: dict[str, list[int]] = {}
        for place in chosen:
            members.setdefault(value(contrasts[place]), []).append(place)
        is_same = axis == "loop" and kind == "loop"  # what is tried is the loop
        if 1 < len(members) < len(chosen) and not is_same:
            groups |= {(axis, member): places for member, places in members.items()}
    return groups


def _pair(contrast: Contrast, means: Mapping[Cell, Means]) -> CellPair:
    pool = f"{contrast.new.environment}:{contrast.new.split}"
    return CellPair(pool, means[contrast.old], means[contrast.new])


def _transfer(
    contrast: Contrast, pairs: Mapping[Contrast, CellPair], source: str
) -> TransferRatio | None:
    """Gain against that of the source model in the same place; null for the source itself."""
    if not source or contrast.kind != "harness" or contrast.new.arm.word == source:
        return None
    for other, pair in pairs.items():
        new = other.new
        same = (other.kind, other.subject) == (contrast.kind, contrast.subject)
        place = (new.environment, new.split, new.arm.loop)
        wanted = (contrast.new.environment, contrast.new.split, contrast.new.arm.loop)
        if same and place == wanted and new.arm.word == source:
            return transfer_ratio(pair, pairs[contrast])
    return None


def _contrast_row(
    contrast: Contrast,
    pair: CellPair,
    scores: Mapping[Cell, EvaluationRow],
    transfer: TransferRatio | None,
    seed: int,
) -> EvaluationContrastRow:
    old, new, shared = scores[contrast.old], scores[contrast.new], pair.shared
    delta = paired_delta(*_paired(pair), seed=seed)
    bound = paired_lower_bound(delta.wins, delta.losses, len(shared), len(shared))
    relative = relative_gain(pair)
    return EvaluationContrastRow(
        card_id=new.card_id or "",
        contrast_id=make_id(
            "con", [contrast.kind, contrast.subject, old.evaluation_id, new.evaluation_id]
        ),
        kind=contrast.kind,
        subject=contrast.subject,
        environment=new.environment,
        model=new.model,
        loop=new.loop,
        split=new.split,
        old_evaluation_id=old.evaluation_id,
        new_evaluation_id=new.evaluation_id,
        pairs=len(shared),
        old_success=pair.base,
        new_success=sum(pair.new[task] for task in shared) / len(shared) if shared else None,
        delta=delta.value,
        delta_lo=delta.lo,
        delta_hi=delta.hi,
        delta_bound=bound.lo if bound else None,
        wins=delta.wins,
        losses=delta.losses,
        ties=delta.ties,
        p_value=mcnemar_one_sided(delta.wins, delta.losses),
        relative_gain=relative.value,
        relative_lo=relative.lo,
        relative_hi=relative.hi,
        relative_status=relative.status,
        transfer_ratio=transfer.value if transfer else None,
        transfer_lo=transfer.lo if transfer else None,
        transfer_hi=transfer.hi if transfer else None,
        transfer_status=transfer.status if transfer else None,
        seed=seed,
    )


def _summary_row(
    base: Mapping[str, str],
    rows: Sequence[EvaluationContrastRow],
    pairs: Sequence[CellPair],
    seed: int,
) -> EvaluationSummaryRow:
    said = summarize(pairs, seed=seed)
    improved, gain, relative = said.improved, said.gain, said.relative_gain
    return EvaluationSummaryRow.model_validate(
        {
            **base,
            "card_id": rows[0].card_id,
            "cells": said.cells,
            "improved": improved.value if improved else None,
            "improved_lo": improved.lo if improved else None,
            "improved_hi": improved.hi if improved else None,
            "clear_gains": sum((row.delta_lo or 0) > 0 for row in rows),
            "clear_losses": sum((row.delta_hi or 0) < 0 for row in rows),
            "gain": gain.value if gain else None,
            "gain_lo": gain.lo if gain else None,
            "gain_hi": gain.hi if gain else None,
            "best_gain": said.best_gain,
            "relative_gain": relative.value if relative else None,
            "relative_lo": relative.lo if relative else None,
            "relative_hi": relative.hi if relative else None,
            "relative_cells": said.relative_cells,
        }
    )
