"""Writing the training examples of a cycle as a file for a trainer."""

from pathlib import Path
from typing import Any

from schemas.data import ExportRow, TrainingExampleRow
from schemas.errors import ConfigError, DataContractError
from schemas.ids import canonical_json, make_id
from schemas.runs import CycleRow
from tasks.exporters.formats import FORMATS, Export, export_rows
from tasks.exporters.jsonl import manifest_path, render, sha256, write_atomically
from tasks.workbench import Workbench

_NEWEST = """
SELECT cycles.cycle_id
FROM cycles
WHERE EXISTS (SELECT 1 FROM training_examples AS e WHERE e.cycle_id = cycles.cycle_id)
ORDER BY cycles.created_at DESC, cycles.cycle_id
LIMIT 1
"""


def export_examples(format: str, out: str, cycle: str) -> dict[str, Any]:
    """Write the examples of a cycle; the newest cycle with examples without an id.

    Without `out` the file goes to the folder `exports` of the data folder. Beside it stands a
    manifest that names the example behind each line.

    Raises:
        ConfigError: format or cycle is unknown, or the file cannot be written.
        DataContractError: no example can be written in this format.
    """
    if format not in FORMATS:
        what = f"there is no export format `{format}`"
        raise ConfigError(what, hint=f"one of {', '.join(FORMATS)}")
    bench = Workbench.open()
    cycle_id = _cycle(bench, cycle)
    with bench.warehouse.read() as reader:
        examples = reader.rows(TrainingExampleRow, "cycle_id = ?", [cycle_id])
    export = export_rows(format, examples)
    if not export.rows:
        what = f"cycle {cycle_id} has no example that fits {format}"
        what += f"; {_reasons(export)}" if export.refused else ""
        hint = "look at the table training_examples, or diagnose another cycle"
        raise DataContractError(what, table="training_examples", hint=hint)
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


def _cycle(bench: Workbench, cycle_id: str) -> str:
    with bench.warehouse.read() as reader:
        if not cycle_id:
            newest = reader.scalar(_NEWEST)
            if newest is None:
                what = "no cycle has training examples yet"
                raise ConfigError(what, hint="run `tackroom cycle` first")
            return str(newest)
        if not reader.rows(CycleRow, "cycle_id = ?", [cycle_id]):
            what = f"there is no cycle `{cycle_id}`"
            raise ConfigError(what, hint="list the table `cycles` with `tackroom sql`")
    return cycle_id


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
