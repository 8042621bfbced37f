"""Writing the training examples of a cycle as a file for a trainer."""

from pathlib import Path
from typing import Any

from schemas.data import ExportRow, TrainingExampleRow
from schemas.errors import ConfigError, DataContractError, TackroomError
from schemas.ids import canonical_json, make_id
from schemas.runs import CycleRow
from tasks.cycle import IMPORTED, is_finished
from tasks.exporters.formats import FORMATS, Export, export_rows
from tasks.exporters.jsonl import manifest_path, render, sha256, write_atomically
from tasks.stored_ids import find_cycle
from tasks.workbench import Workbench

_HAS_EXAMPLES = """
EXISTS (SELECT 1 FROM training_examples AS e WHERE e.cycle_id = own_cycles.cycle_id)
"""
_FINAL = "SELECT harness_id FROM evaluations WHERE cycle_id = ? AND purpose = 'final'"
_GAPS = "SELECT count(*) FROM benefit_gaps WHERE cycle_id = ?"


def export_examples(format: str, out: str, cycle: str) -> dict[str, Any]:
    """Write the examples of a cycle; without an id of the newest that has some.

    Without `out` the file goes to the folder `exports` of the data folder. Beside it stands a
    manifest that names the example behind each line.

    Raises:
        ConfigError: format or cycle is unknown, or the file cannot be written.
        DataContractError: no example can be written in this format.
    """
    if format not in FORMATS:
        what = f"there is no export format `{format}`"
        raise ConfigError(what, hint=f"one of {', '.join((*FORMATS, 'chat', 'atif', 'inspect'))}")
    bench = Workbench.open()
    with bench.warehouse.read() as reader:
        cycle_id = find_cycle(reader, cycle, prefer=_HAS_EXAMPLES)
        examples = reader.rows(TrainingExampleRow, "cycle_id = ?", [cycle_id])
    export = export_rows(format, examples)
    if not export.rows:
        raise _nothing(bench, format, cycle_id, export)
    path = Path(out) if out else bench.settings.home / "exports" / f"{cycle_id}.{format}.jsonl"
    content = render(export.rows)
    write_atomically(path, content)
    manifest = _manifest(format, cycle_id, export, sha256(content))
    write_atomically(manifest_path(path), manifest)
    bench.land([_row(bench, format, path, export, content)], "export")
    bench.commit()
    return {
        "file": str(path),
        "format": format,
        "cycle_id": cycle_id,
        "rows": len(export.rows),
        "refused": export.refused.total(),
        "refused_by_reason": dict(sorted(export.refused.items())),
        "unfit": export.unfit,
        "sha256": sha256(content),
        "manifest": str(manifest_path(path)),
        "simulated": any(example.simulated for example in export.examples),
    }


def _nothing(bench: Workbench, format: str, cycle_id: str, export: Export) -> TackroomError:
    """Why there is nothing to write: no fitting example, none at all, or no finished cycle."""
    if export.refused or export.unfit:
        refused = f"; {_reasons(export)}" if export.refused else ""
        what = f"cycle {cycle_id} has no example that fits {format}{refused}"
        hint = f"another --format of {', '.join(FORMATS)}, or the table training_examples"
        return DataContractError(what, table="training_examples", hint=hint)
    with bench.warehouse.read() as reader:
        row = reader.rows(CycleRow, "cycle_id = ?", [cycle_id])[0]
        final, gaps = reader.scalar(_FINAL, [cycle_id]), reader.scalar(_GAPS, [cycle_id])
    if row.model == IMPORTED:
        what = f"cycle {cycle_id} edits imported history, which gives no training example"
        hint = "examples come from `tackroom cycle` in a live world"
    elif not is_finished(bench, cycle_id):
        what = f"cycle {cycle_id} has not come to its end"
        hint = "run the same `tackroom cycle` again; it goes on where it was"
    else:
        reason = _reason(final == row.base_harness_id, int(gaps or 0))
        what = f"cycle {cycle_id} is finished and gave no training example: {reason}"
        hint = f"see `tackroom diagnose --cycle {cycle_id}`"
    return DataContractError(what, table="training_examples", hint=hint)


def _reason(is_unchanged: bool, gaps: int) -> str:  # noqa: FBT001
    if is_unchanged:
        return "no edit was accepted, so there is nothing new to learn to use"
    if not gaps:
        return "diagnosis found no benefit gap"
    return f"none of its {gaps} benefit gaps holds a pair that can be learnt from"


def _reasons(export: Export) -> str:
    return ", ".join(f"{count} refused: {why}" for why, count in sorted(export.refused.items()))


def _manifest(name: str, cycle_id: str, export: Export, digest: str) -> bytes:
    lines = [
        {
            "example_id": example.example_id,
            "kind": example.kind,
            "task_id": example.task_id,
            "trajectory_id": example.trajectory_id,
            "step_index": example.step_index,
            "artifact_id": example.artifact_id,
            "rejected_trajectory_id": example.rejected_trajectory_id,
            "simulated": example.simulated,
        }
        for example in export.examples
    ]
    whole = {
        "format": name,
        "cycle_id": cycle_id,
        "sha256": digest,
        "rows": len(export.rows),
        "refused": dict(sorted(export.refused.items())),
        "unfit": export.unfit,
        "examples": lines,
    }
    return (canonical_json(whole) + "\n").encode()


def _row(bench: Workbench, name: str, path: Path, export: Export, content: bytes) -> ExportRow:
    digest = sha256(content)
    return ExportRow(
        export_id=make_id("exp", [name, path.name, digest, export.refused.total()]),
        format=name,
        file_name=path.name,
        rows=len(export.rows),
        refused=export.refused.total(),
        sha256=digest,
        created_at=bench.now,
    )
