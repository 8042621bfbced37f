"""A cycle that is killed at any moment and run again ends as if nothing had happened."""

import os
import random
import signal
import time

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(3600)]

SMALL = (
    *("cycle", "--environment", "depot", "--seed", "1", "--json"),
    *("--tasks", "24", "--rounds", "2", "--slots", "1"),
)
KILLS = 10


def test_ten_random_kills_leave_the_digest_of_an_undisturbed_run(
    make_command_line, server, planted
):
    environ = server | {"PYTHONPATH": str(planted)}
    calm = make_command_line("calm", environ)
    began = time.monotonic()
    summary = calm(*SMALL, timeout=900).json
    took = time.monotonic() - began
    assert summary["edits"]["accepted"] >= 1
    expected = calm.digest()
    moments = random.Random(20260529)
    for number in range(KILLS):
        disturbed = make_command_line(f"kill{number}", environ)
        process = disturbed.start(*SMALL)
        time.sleep(moments.uniform(0.05, 0.95) * took)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        disturbed(*SMALL, timeout=900)
        assert disturbed.digest() == expected, f"kill {number}"
