"""However `up` is ended, its server ends with it."""

import json
import os
import signal
import time

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for(condition, seconds):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_during_the_start_leaves_no_server(command_line, number):
    run = command_line()
    process = run.start("up")
    record = run.home / "server.json"
    wait_for(record.exists, 120)
    server = json.loads(record.read_text())["pid"]
    process.send_signal(number)
    assert process.wait(60) == 0
    wait_for(lambda: not is_running(server), 10)
    assert not record.exists()
