"""The warehouse answers while a cycle runs."""

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(1800)]


def test_sql_answers_during_a_running_cycle(make_command_line, server):
    command = make_command_line("meanwhile", server)
    command("init", "--json")
    process = command.start("cycle", "--tasks", "24", "--rounds", "1", "--json")
    answers = 0
    while process.poll() is None:
        rows = command.sql("SELECT count(*) AS n FROM trajectories")
        assert rows[0]["n"] >= 0
        answers += 1
    assert process.returncode == 0
    assert answers >= 3
