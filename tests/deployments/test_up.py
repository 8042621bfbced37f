"""What `up` refuses before it starts anything."""

import os

import pytest

from deployments.up import check_inputs, served_once
from schemas.errors import ConfigError


@pytest.mark.parametrize("port", [-1, 65_536, 70_000])
def test_a_port_that_cannot_be_is_refused(port):
    with pytest.raises(ConfigError, match="--port"):
        check_inputs(port, "")


@pytest.mark.parametrize("schedule", ["often", "* * *", "0 2 * * * *", "0 2 * * ; rm"])
def test_what_is_no_cron_expression_is_refused(schedule):
    with pytest.raises(ConfigError, match="no cron expression"):
        check_inputs(None, schedule)


@pytest.mark.parametrize("schedule", ["", " ", "0 2 * * *", "*/15 0-6 1,15 * MON-FRI"])
def test_cron_expressions_and_none_are_taken(schedule):
    check_inputs(None, schedule)


def test_a_data_folder_is_served_once_at_a_time(tmp_path):
    with (
        served_once(tmp_path),
        pytest.raises(ConfigError, match=f"already served by process {os.getpid()}"),
        served_once(tmp_path),
    ):
        pass
    with served_once(tmp_path):
        pass
