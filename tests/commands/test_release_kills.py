"""A promotion killed at any moment leaves rows and pointer that agree after the next one."""

import os
import signal
import time

import pytest

from tasks.harness_rows import harness_rows
from tasks.release_pointer import draft_file, read_pointer
from tasks.release_store import rebuild_pointer
from tasks.workbench import seed_harness

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
SEED = seed_harness("sqldesk")
FORCED = ("--environment", "sqldesk", "--to", "released", "--force", "--reason", "try")


def test_killed_promotions_leave_a_pointer_that_the_rows_make(home, fill, command_line):
    harnesses = [SEED.put("contract", "Extra", f"Text {n}.") for n in range(9)]
    fill([row for one in harnesses for row in harness_rows(one)])
    tackroom = command_line()
    for number, harness in enumerate(harnesses[:-1]):
        process = tackroom.start("harness", "promote", harness.harness_id, *FORCED)
        time.sleep(0.9 + 0.25 * number)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    tackroom("harness", "promote", harnesses[-1].harness_id, *FORCED)
    pointer = read_pointer(home, "sqldesk")
    assert pointer.released == harnesses[-1].harness_id
    assert rebuild_pointer(home, "sqldesk") == pointer
    assert not draft_file(home, "sqldesk").exists()
    ordinals = tackroom.sql("SELECT count(*) AS n, max(ordinal) AS newest FROM harness_states")
    assert ordinals == [{"n": pointer.ordinal + 1, "newest": pointer.ordinal}]
