"""Several processes on one data folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from schemas.runs import StageEventRow

ROOT = Path(__file__).parents[2]
WORKER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from schemas.runs import StageEventRow
from warehouse.store import Warehouse

home, worker = Path(sys.argv[1]), sys.argv[2]
store = Warehouse(home)
for number in range(8):
    event = StageEventRow(cycle_id=worker, stage=str(number), state="done", detail="{}",
                          created_at=datetime(2026, 1, 1, tzinfo=UTC))
    store.land([event], stage=worker)
    store.ingest()
    store.publish()
    with store.read() as reader:
        mine = reader.rows(StageEventRow, "cycle_id = ?", [worker])
        assert len(mine) == number + 1, mine
"""


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_processes_that_land_ingest_and_publish_at_once_lose_nothing(store):
    command = [sys.executable, "-c", WORKER, str(store.paths.home)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    workers = [
        subprocess.Popen([*command, name], env=environment, stderr=subprocess.PIPE, text=True)
        for name in ("first", "second", "third")
    ]
    errors = [worker.communicate(timeout=200)[1] for worker in workers]
    assert errors == ["", "", ""]
    with store.read() as reader:
        assert len(reader.rows(StageEventRow)) == 24
    assert len(list(store.paths.snapshots.iterdir())) == 3
