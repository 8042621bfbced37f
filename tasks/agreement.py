"""How far stored labels agree with a reference, or those of a judge with those of the rules."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schemas.errors import ConfigError
from schemas.failures import FailureLabelRow
from schemas.trajectory_forms import AgreementForm
from tasks.annotator.agreement import Agreement, Interval, ReferenceLabel, measure_agreement
from tasks.annotator.reference_file import ReferenceRecord, read_reference
from tasks.workbench import Workbench
from warehouse.reader import Reader

_SOURCES = "SELECT DISTINCT source_file, source_index, trajectory_id FROM trajectory_sources"
_KNOWN = "SELECT trajectory_id FROM trajectories"
_OF_SOURCE = "taxonomy_version = ? AND (source = ? OR starts_with(source, ?))"


@dataclass(frozen=True)
class _Named:
    """A reference label with what its user calls it and the file it came from."""

    key: str
    file: str
    label: ReferenceLabel


def measure_stored(form: AgreementForm) -> dict[str, Any]:
    """Agreement of the labels of a source with a reference, whole and with each file left out.

    Raises:
        ConfigError: there are no such labels, or nothing in common.
    """
    bench = Workbench.open()
    with bench.warehouse.read() as reader:
        labels = _labels(reader, form.source, form.version)
        named, unknown = _reference(reader, form)
    reference = [one.label for one in named]
    found = measure_agreement(reference, labels, seed=form.seed)
    if not found.items:
        what = f"none of {len(named) + len(unknown)} reference labels names a labelled failure"
        raise ConfigError(what, hint="import the episodes and run `tackroom annotate` first")
    names = {one.label.trajectory_id: one.key for one in named}
    return {
        "source": form.source,
        "reference": form.reference or "rules",
        "taxonomy_version": form.version,
        "items": found.items,
        "unmatched": unknown,
        "kappa": _interval(found.kappa),
        "category_share": _rounded(found.category_share),
        "bullet_share": _rounded(found.bullet_share),
        "near_steps": _rounded(found.near_steps),
        "classes": _classes(found),
        "confusion": _confusion(found),
        "rules": dict(sorted(found.rules.items(), key=lambda item: (-item[1], item[0]))),
        "disagreements": _disagreements(found, reference, labels, names),
        "without_file": _left_out(named, labels, form.seed),
    }


def _labels(reader: Reader, source: str, version: str) -> list[FailureLabelRow]:
    """Labels of one source; `judge` is whichever judge there is."""
    prefix = "judge:" if source == "judge" else source
    rows = reader.rows(FailureLabelRow, _OF_SOURCE, [version, source, prefix])
    if not rows:
        hint = "run `tackroom annotate` first"
        hint += " with --judge openai:NAME" if source.startswith("judge") else ""
        what = f"there are no labels of the source `{source}` in taxonomy version {version}"
        raise ConfigError(what, hint=hint)
    sources = sorted({row.source for row in rows})
    if len(sources) > 1:
        what = f"there are several judges: {', '.join(sources)}"
        raise ConfigError(what, hint="name one of them with --source")
    return rows


def _reference(reader: Reader, form: AgreementForm) -> tuple[list[_Named], list[str]]:
    if not form.reference:
        if form.source == "rules":
            what = "rules agree with themselves"
            raise ConfigError(what, hint="name a file with --reference, or a judge with --source")
        return [_of_rules(row) for row in _labels(reader, "rules", form.version)], []
    records = read_reference(Path(form.reference))
    places = {(file, index): name for file, index, name in reader.frame(_SOURCES).rows()}
    known = {str(row[0]) for row in reader.frame(_KNOWN).rows()}
    found = [(record, _trajectory(record, places, known)) for record in records]
    named = {
        trajectory_id: _Named(record.key, record.file, _label(record, trajectory_id))
        for record, trajectory_id in found
        if trajectory_id is not None
    }
    return list(named.values()), [record.key for record, name in found if name is None]


def _of_rules(row: FailureLabelRow) -> _Named:
    label = ReferenceLabel(row.trajectory_id, row.category, (row.bullet,), row.step_index)
    return _Named(row.trajectory_id, "", label)


def _trajectory(
    record: ReferenceRecord, places: Mapping[tuple[str, int], str], known: set[str]
) -> str | None:
    """A key resolves through any place its episode was found at."""
    if record.index is None:
        return record.key if record.key in known else None
    name = record.file.replace("\\", "/").rpartition("/")[2]
    return places.get((name, record.index))


def _label(record: ReferenceRecord, trajectory_id: str) -> ReferenceLabel:
    return ReferenceLabel(trajectory_id, record.category, record.bullets, record.step)


def _classes(found: Agreement) -> list[dict[str, Any]]:
    """Support of each class with how much of it was found, and how much of what was given is it."""
    names = sorted({name for pair in found.confusion for name in pair})
    rows: list[dict[str, Any]] = []
    for name in names:
        right = found.confusion.get((name, name), 0)
        given = sum(count for (_, other), count in found.confusion.items() if other == name)
        support = found.support.get(name, 0)
        recall, precision = (right / n if n else None for n in (support, given))
        rows.append(
            {
                "category": name,
                "support": support,
                "recall": _rounded(recall),
                "precision": _rounded(precision),
            }
        )
    return rows


def _confusion(found: Agreement) -> list[dict[str, Any]]:
    return [
        {"reference": left, "given": right, "items": count}
        for (left, right), count in sorted(found.confusion.items())
    ]


def _disagreements(
    found: Agreement,
    reference: Iterable[ReferenceLabel],
    labels: Iterable[FailureLabelRow],
    names: Mapping[str, str],
) -> list[dict[str, Any]]:
    left = {label.trajectory_id: label for label in reference}
    right = {label.trajectory_id: label for label in labels}
    return [
        {
            "key": names[name],
            "reference": "|".join(left[name].bullets) or left[name].category,
            "given": right[name].bullet,
            "rule": right[name].rule,
            "step": right[name].step_index,
            "reference_step": left[name].step_index,
        }
        for name in found.disagreements
    ]


def _left_out(
    named: Sequence[_Named], labels: Sequence[FailureLabelRow], seed: int
) -> list[dict[str, Any]]:
    """Agreement without each file, and on it alone."""
    groups: dict[str, list[ReferenceLabel]] = defaultdict(list)
    for one in named:
        groups[one.file].append(one.label)
    if len(groups) < 2:
        return []
    rows: list[dict[str, Any]] = []
    for file, group in sorted(groups.items()):
        others = [one.label for one in named if one.file != file]
        rest = measure_agreement(others, labels, seed=seed)
        alone = measure_agreement(group, labels, seed=seed)
        rows.append(
            {
                "file": file,
                "items": alone.items,
                "category_share": _rounded(alone.category_share),
                "near_steps": _rounded(alone.near_steps),
                "kappa_of_others": _rounded(rest.kappa.value),
            }
        )
    return rows


def _interval(interval: Interval) -> dict[str, float | None]:
    return {name: _rounded(value) for name, value in vars(interval).items()}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
