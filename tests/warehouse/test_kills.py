import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(600)]
ROOT = Path(__file__).parents[2]
POINTS = [
    "landing.py:_write_file",
    "landing.py:sync_folder",
    "ingest.py:live_database",
    "ingest.py:_ingest",
    "batch.py:_insert",
    "batch.py:_suite_results",
    "checks.py:run_checks",
    "batch.py:insert_rows",
    "ingest.py:_report",
    "shutil.py:rmtree",
    "snapshot.py:publish_snapshot",
    "snapshot.py:_copy",
    "snapshot.py:point_current_at",
]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory, two_stages):
    """What every killed and resumed run left behind, by the point at which it was killed."""
    folder = tmp_path_factory.mktemp("kills")
    (folder / "rows.pickle").write_bytes(pickle.dumps(two_stages))
    command = [sys.executable, str(ROOT / "tests" / "warehouse" / "killable.py"), str(folder)]
    done = subprocess.run(
        [*command, str(folder / "rows.pickle"), "-", *POINTS],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=500,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("point", POINTS)
def test_a_run_killed_and_repeated_ends_like_an_undisturbed_one(outcomes, point):
    found = outcomes[point]
    assert (found["killed"], found["done"]) == (True, True)
    assert found["digest"] == outcomes["-"]["digest"]
    assert found["digest"]
