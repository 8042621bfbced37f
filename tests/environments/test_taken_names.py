"""An environment of a user's own cannot go by the name of another one."""

from importlib.metadata import EntryPoint

import pytest

from schemas.errors import ConfigError
from tasks.environments import registry
from tasks.environments.host import HostedEnvironment
from tasks.environments.registry import environment_names, refuse_taken, resolve_environment

WORLD = """
class World:
    def act(self, call):
        return "ok"
    def verdict(self):
        return True
class Mine:
    name = "{name}"
    tools = [{{"name": "f", "parameters": {{"type": "object"}}}}]
    def tasks(self):
        return [{{"task_id": "t%d" % i, "text": "Go."}} for i in range(10)]
    def start(self, task, seed):
        return World()
"""


@pytest.fixture
def named(tmp_path, monkeypatch):
    """Writes a world of a name into the folder the command is called from."""
    monkeypatch.chdir(tmp_path)

    def write(name):
        (tmp_path / "mine.py").write_text(WORLD.format(name=name))
        return "mine:Mine"

    return write


@pytest.mark.parametrize("name", [*environment_names(), "tau_bench_airline", "tau2_mine"])
def test_the_name_of_another_environment_is_refused_with_what_to_rename(named, name):
    with pytest.raises(ConfigError) as caught:
        resolve_environment(named(name))
    assert f"`mine:Mine` calls itself `{name}`" in str(caught.value)
    assert "rename it" in caught.value.hint


def test_a_name_of_its_own_is_taken(named):
    environment = resolve_environment(named("sqldesk_mine"))
    assert isinstance(environment, HostedEnvironment)
    assert environment.name == "sqldesk_mine"
    environment.close()


def test_a_refused_environment_is_closed(named):
    opened = resolve_environment(named("mine"))
    assert isinstance(opened, HostedEnvironment)
    child = opened.child()
    with pytest.raises(ConfigError):
        refuse_taken("mine:Mine", opened, ["mine"])
    assert not child.is_alive


def test_an_installed_environment_goes_by_the_name_of_its_entry_point():
    with pytest.raises(ConfigError, match="`other` calls itself `sqldesk`"):
        registry.named_as_installed(
            "other", EntryPoint("other", "tasks.environments.sqldesk:create", registry.GROUP)
        )


@pytest.mark.parametrize("name", environment_names())
def test_embedded_environments_go_by_the_names_they_are_found_by(name):
    assert resolve_environment(name).name == name
