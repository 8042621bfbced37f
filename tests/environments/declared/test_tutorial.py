"""docs/own-world.md and the files it speaks of agree."""

import re
import tomllib
from pathlib import Path

import pytest

from tasks.environments.declared import form
from tests.own_world import desk_service

TEXT = (Path(__file__).parents[3] / "docs" / "own-world.md").read_text()
TABLES = (
    form.HttpWorld,
    form.McpWorld,
    form.PythonWorld,
    form.HttpService,
    form.McpService,
    form.Reset,
    form.ByState,
    form.ByPython,
    form.ByJudge,
)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_every_key_is_explained(table):
    explained = set(re.findall(r"`([a-z_]+)", TEXT))
    assert table.model_fields.keys() - {"service", "reset", "verdict"} <= explained


def test_the_world_of_the_tutorial_is_one():
    [text] = re.findall(r"(?s)```toml\n(.*?)```", TEXT)
    world = form.HttpWorld.model_validate(tomllib.loads(text))
    assert world.step_budget == 10


def test_the_rows_shown_are_rows_of_the_desk(tmp_path):
    desk_service.write_files(tmp_path)
    written = (tmp_path / "tasks.csv").read_text().splitlines()
    shown = re.search(r"(?s)```\n(task_id.*?)```", TEXT)
    assert shown
    for line in shown[1].splitlines():
        assert line in written or line.rstrip(",") in [one.rstrip(",") for one in written]
