"""Writing stored trajectories in formats that other tools read."""

import hashlib
import itertools
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from schemas.data import ExportRow
from schemas.episode import Episode
from schemas.errors import ConfigError, DataContractError
from schemas.ids import make_id
from schemas.redaction import Redactor
from schemas.trajectory_forms import TrajectoryExportForm
from tasks.exporters.trajectories.atif import atif_document, trial_result
from tasks.exporters.trajectories.chat import chat_row
from tasks.exporters.trajectories.inspect_log import log_head, sample
from tasks.progress import count, expect, in_stage
from tasks.workbench import Workbench

AT_ONCE = 200
"""Episodes that are held in memory."""
SECRET = "it holds a secret"
_WANTED = """
SELECT trajectory_id FROM trajectories
WHERE arm = 'run' AND (? = '' OR environment = ?) AND (? = '' OR split = ?)
ORDER BY environment, model, task_id, trajectory_id
"""
_WRITTEN = "trajectories written"


class _Out:
    """Files below a folder that takes the place of another when all is written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._digest = hashlib.sha256()
        self.refused: Counter[str] = Counter()
        self.rows = 0

    @property
    def sha256(self) -> str:
        """Hash over all that was written, in its order."""
        return self._digest.hexdigest()

    def admit(self, *values: Any) -> bool:
        """Count a row; one in which a secret is left is refused."""
        redactor = Redactor()
        for value in values:
            redactor.value(value)
        if redactor.count:
            self.refused[SECRET] += 1
            return False
        self.rows += 1
        return True

    def write(self, name: str, text: str) -> None:
        """Append to a file."""
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        content = text.encode("utf-8", "replace")
        self._digest.update(content)
        with path.open("ab") as file:
            file.write(content)


def _chat(out: _Out, episodes: Iterator[Episode]) -> None:
    for episode in episodes:
        row = chat_row(episode)
        if out.admit(row):
            out.write("trajectories.jsonl", _json(row) + "\n")


def _atif(out: _Out, episodes: Iterator[Episode]) -> None:
    for episode in episodes:
        document, result = atif_document(episode), trial_result(episode)
        if out.admit(document, result):
            name = episode.trajectory_id
            out.write(f"{name}/agent/trajectory.json", _json(document) + "\n")
            out.write(f"{name}/result.json", _json(result) + "\n")


def _inspect(out: _Out, episodes: Iterator[Episode]) -> None:
    """One log for each environment and model; samples of a task are its epochs."""
    groups = itertools.groupby(
        episodes, key=lambda e: (e.trajectory.environment, e.trajectory.model)
    )
    for key, group in groups:
        name = f"{make_id('log', list(key))}.json"
        epochs: Counter[str] = Counter()
        last: Episode | None = None
        for episode in group:
            task = episode.trajectory.task_id
            written = sample(episode, epochs[task] + 1)
            if out.admit(written):
                out.write(name, (", " if last else '{"samples": [') + _json(written))
                epochs[task] += 1
                last = episode
        if last is not None:
            head = log_head(last.trajectory, sum(epochs.values()))
            out.write(name, "], " + _json(head)[1:] + "\n")


WRITERS: Mapping[str, Callable[[_Out, Iterator[Episode]], None]] = {
    "chat": _chat,
    "atif": _atif,
    "inspect": _inspect,
}


@in_stage("export")
def export_trajectories(form: TrajectoryExportForm) -> dict[str, Any]:
    """Write trajectories into a folder; without `out` into `exports` of the data folder.

    Raises:
        ConfigError: the folder is there already, or cannot be written.
        DataContractError: there is no such trajectory.
    """
    bench = Workbench.open()
    with bench.warehouse.read() as reader:
        given = [form.environment] * 2 + [form.split] * 2
        wanted = [str(row[0]) for row in reader.frame(_WANTED, given).rows()]
    if not wanted:
        what = "there is no trajectory to export"
        hint = "`tackroom sql` shows `environment` and `split` of what is stored in `trajectories`"
        raise DataContractError(what, table="trajectories", hint=hint)
    expect(_WRITTEN, len(wanted))
    default = bench.settings.home / "exports" / f"trajectories.{form.format}"
    folder = Path(form.out) if form.out else default
    with _placed(folder, is_ours=not form.out) as part:
        out = _Out(part)
        WRITERS[form.format](out, _episodes(bench, wanted))
        if not out.rows:
            what = f"each of {len(wanted)} trajectories was refused: {SECRET}"
            raise DataContractError(what, table="trajectories", hint="import them with redaction")
    bench.land([_row(bench, form, folder, out)], "export")
    bench.commit()
    return {
        "folder": str(folder),
        "format": form.format,
        "rows": out.rows,
        "refused": out.refused.total(),
        "refused_by_reason": dict(out.refused),
        "sha256": out.sha256,
    }


def _episodes(bench: Workbench, wanted: list[str]) -> Iterator[Episode]:
    for start in range(0, len(wanted), AT_ONCE):
        with bench.warehouse.read() as reader:
            episodes = reader.episodes(wanted[start : start + AT_ONCE])
        for episode in episodes:
            yield episode
            count(_WRITTEN)


@contextmanager
def _placed(folder: Path, *, is_ours: bool) -> Iterator[Path]:
    """A folder beside the wanted one, which it becomes when the block ends well."""
    if folder.exists() and not is_ours:
        what = f"{folder} is there already"
        raise ConfigError(what, hint="name another --out, or remove it")
    part = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        yield part
        shutil.rmtree(folder, ignore_errors=True)
        part.rename(folder)
    except OSError as error:
        what = f"cannot write {folder}: {error.strerror or error}"
        raise ConfigError(what, hint="name another --out") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _row(bench: Workbench, form: TrajectoryExportForm, folder: Path, out: _Out) -> ExportRow:
    return ExportRow(
        export_id=make_id("exp", [form.format, folder.name, out.sha256, out.refused.total()]),
        format=form.format,
        file_name=folder.name,
        rows=out.rows,
        refused=out.refused.total(),
        sha256=out.sha256,
        created_at=bench.now,
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
