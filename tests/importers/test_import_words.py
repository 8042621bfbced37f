"""What an import says of files that it refuses, beside what it stores of them."""

import io
from contextlib import redirect_stderr
from datetime import UTC, datetime
from pathlib import Path

import pytest

from deployments.progress import StageLines
from schemas.trajectory_forms import ImportForm
from tasks.importers.engine import stream_files
from tasks.importers.results import RefusedEpisode
from tasks.importing import import_trajectories
from tasks.progress import heard_by

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def refused(path):
    items = stream_files([path], harness_of=lambda name: name, now=NOW)
    (one,) = [item for item in items if isinstance(item, RefusedEpisode)]
    return one


@pytest.mark.parametrize("content", [None, b"", b"hello", b"[7]"])
def test_a_refusal_is_told_by_the_path_and_stored_by_the_name(
    write, tmp_path, monkeypatch, content
):
    monkeypatch.chdir(tmp_path)
    if content is not None:
        write(content, "in/run.json")
    one = refused(Path("in/run.json"))
    assert one.place.startswith("in/run.json#0 (")
    assert one.row.place.startswith("run.json#0 (")


@pytest.mark.gx
def test_only_episodes_that_came_in_are_counted(write, tmp_path, monkeypatch, tau_episode):
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path / "home"))
    write([tau_episode(), 7], "in/good.json")
    write([tau_episode()], "in/known.json")
    for number in range(3):
        write(b"", f"in/empty{number}.json")
    out = io.StringIO()
    with redirect_stderr(out), heard_by(StageLines()):
        result = import_trajectories(ImportForm(paths=[str(tmp_path / "in")]))
    assert (result["imported"], result["duplicates"], result["refused"]) == (1, 1, 4)
    assert out.getvalue().startswith("import: 5 files · 2 episodes · ")
