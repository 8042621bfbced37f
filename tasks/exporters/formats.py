"""The formats by name, and examples brought into one of them."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from schemas.data import TrainingExampleRow
from schemas.errors import ConfigError
from tasks.exporters.messages import RefusedError
from tasks.exporters.trl import TrlRow, dpo_rows, sft_rows

Convert = Callable[[TrainingExampleRow], list[TrlRow]]
FORMATS: Mapping[str, Convert] = {"trl-sft": sft_rows, "trl-dpo": dpo_rows}


@dataclass
class Export:
    """Rows of one format with the examples they came from, and what was left out.

    Attributes:
        examples: the example behind each row.
        refused: examples that break the format or hold a secret, counted by reason.
        unfit: examples that the format has no place for.
    """

    rows: list[TrlRow] = field(default_factory=list[TrlRow])
    examples: list[TrainingExampleRow] = field(default_factory=list[TrainingExampleRow])
    refused: Counter[str] = field(default_factory=Counter[str])
    unfit: int = 0


def export_rows(name: str, examples: Iterable[TrainingExampleRow]) -> Export:
    """Bring examples into a format, in the order of their ids.

    Raises:
        ConfigError: there is no such format.
    """
    if name not in FORMATS:
        what = f"there is no export format `{name}`"
        raise ConfigError(what, hint=f"one of {', '.join(FORMATS)}")
    export = Export()
    for example in sorted(examples, key=lambda example: example.example_id):
        _add(export, FORMATS[name], example)
    return export


def _add(export: Export, convert: Convert, example: TrainingExampleRow) -> None:
    if example.split != "train":
        export.refused["it is no train example"] += 1
        return
    try:
        rows = convert(example)
    except RefusedError as reason:
        export.refused[str(reason)] += 1
        return
    export.unfit += not rows
    export.rows += rows
    export.examples += [example] * len(rows)
