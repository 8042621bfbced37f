"""However a command that has started a server is ended, the server ends with it."""

import json
import os
import signal
import time

import pytest

from deployments.signals import ended_by_signals


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


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_end_leaves_as_ctrl_c_does_and_handlers_come_back(number):
    before = signal.getsignal(number)
    with pytest.raises(KeyboardInterrupt), ended_by_signals():
        os.kill(os.getpid(), number)
    assert signal.getsignal(number) is before


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("command", "number", "code"),
    [("up", signal.SIGTERM, 0), ("up", signal.SIGINT, 0), ("cycle", signal.SIGTERM, 130)],
)
def test_a_signal_during_the_start_leaves_no_server(command_line, command, number, code):
    run = command_line()
    process = run.start(command)
    record = run.home / "server.json"
    wait_for(record.exists, 120)
    server = json.loads(record.read_text())["pid"]
    process.send_signal(number)
    assert process.wait(60) == code
    wait_for(lambda: not is_running(server), 10)
    assert not record.exists()
