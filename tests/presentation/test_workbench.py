"""What words stand for depends on what a warehouse holds."""

import sys

import pytest

from schemas.errors import ConfigError
from tasks.harness_rows import harness_rows
from tasks.workbench import Workbench, seed_harness

WORLD = """
class World:
    def act(self, call):
        return "ok"
    def verdict(self):
        return True
class Mine:
    name = "mine"
    tools = [{"name": "f", "parameters": {"type": "object"}}]
    def tasks(self):
        return [{"task_id": "t%d" % i, "text": "Go."} for i in range(10)]
    def start(self, task, seed):
        return World()
"""


def test_a_users_world_cannot_go_by_the_name_of_imported_history(build, fill_home, tmp_path):
    fill_home(build.rows(build.episode("a", origin="import", environment="mine")))
    (tmp_path / "own_world.py").write_text(WORLD)
    with pytest.raises(ConfigError, match="`own_world:Mine` calls itself `mine`"):
        Workbench.open().environment("own_world:Mine")


def test_its_own_trajectories_are_no_reason_to_refuse_it(build, fill_home, tmp_path):
    fill_home(build.rows(build.episode("a", environment="mine")))
    (tmp_path / "own_world.py").write_text(WORLD)
    assert Workbench.open().environment("own_world:Mine").name == "mine"


def test_the_interpreter_of_a_users_world_is_a_setting(fill_home, tmp_path, monkeypatch):
    fill_home([])
    (tmp_path / "own_world.py").write_text(WORLD)
    own = tmp_path / "own-python"
    own.write_text(f'#!/bin/sh\ntouch "{tmp_path}/was-used"\nexec "{sys.executable}" "$@"\n')
    own.chmod(0o755)
    monkeypatch.setenv("TACKROOM_PYTHON", str(own))
    assert Workbench.open().environment("own_world:Mine").name == "mine"
    assert (tmp_path / "was-used").exists()


def test_an_interpreter_that_is_none_is_named_with_the_setting(fill_home, tmp_path, monkeypatch):
    fill_home([])
    monkeypatch.setenv("TACKROOM_PYTHON", str(tmp_path / "nowhere"))
    with pytest.raises(ConfigError, match=r"nowhere.*TACKROOM_PYTHON"):
        Workbench.open().environment("own_world:Mine")


def test_every_word_the_help_names_for_a_harness_is_taken(build, fill_home, tmp_path):
    seed = seed_harness("sqldesk")
    fill_home(harness_rows(seed))
    seed.save(tmp_path / "folder")
    bench = Workbench.open()
    for word in (
        "seed",
        "current",
        seed.harness_id,
        seed.harness_id[:12],
        str(tmp_path / "folder"),
    ):
        assert bench.harness("sqldesk", word).harness_id == seed.harness_id
