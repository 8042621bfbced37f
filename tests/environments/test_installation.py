"""Installing worlds: once, again, killed, two at once, from nowhere, and by name."""

import os
import signal
import subprocess
import sys
import textwrap
import time
import zipfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from deployments.cli import run
from schemas.errors import ConfigError
from schemas.settings import Settings
from tasks.environments.catalogue import WORLDS, KnownWorld
from tasks.environments.installation import RECORD, InstallError, WorldFolder, install, remove
from tasks.environments.registry import close, environment_names, resolve_environment

ROOT = Path(__file__).parents[2]
TOY = """
class World:
    def act(self, call):
        return {"observation": "ok", "done": True}
    def verdict(self):
        return True
class Toy:
    name = "toy"
    tools = [{"name": "go", "parameters": {"type": "object"}}]
    def tasks(self):
        import os
        seen = sorted(name for name in os.environ if "SECRET" in name)
        return [{"task_id": "toy/a/%d" % i, "text": "Go. %s" % seen} for i in range(10)]
    def start(self, task, seed):
        return World()
"""
INSTALL = """
import sys
sys.path.insert(0, {root!r})
from contextlib import contextmanager
from pathlib import Path
from tasks.environments.catalogue import KnownWorld
from tasks.environments.installation import WorldFolder, install
@contextmanager
def doing(text):
    print(text, flush=True)
    yield
world = KnownWorld("toy", "", "", ({wheel!r},), (), {{"toy": "toy_package:Toy"}})
print("new", install(WorldFolder(Path({folder!r})), world, doing), flush=True)
"""


@contextmanager
def doing(text):
    yield


def write_wheel(folder: Path) -> str:
    """A wheel with one module, made by hand so that nothing has to be built."""
    path = folder / "toy_package-1.0-py3-none-any.whl"
    info = "toy_package-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("toy_package.py", TOY)
        wheel.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: toy-package\nVersion: 1.0\n"
        )
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")
    return str(path)


@pytest.fixture
def toy(tmp_path) -> KnownWorld:
    """A world whose only package is a file."""
    environments = {"toy": "toy_package:Toy"}
    return KnownWorld("toy", "a toy", "none", (write_wheel(tmp_path),), (), environments)


@pytest.fixture
def folder(tmp_path) -> WorldFolder:
    return WorldFolder(tmp_path / "worlds")


def spawn(toy, folder):
    script = INSTALL.format(root=str(ROOT), wheel=toy.bare[0], folder=str(folder.root))
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True
    )


@pytest.mark.slow
def test_a_world_is_installed_once_opened_by_name_and_removed(toy, folder, monkeypatch):
    monkeypatch.setenv("MY_SECRET_KEY", "x")
    catalogue = {"toy": toy}
    settings = Settings(home=folder.root.parent)
    assert install(folder, toy, doing)
    assert not install(folder, toy, doing)
    assert "toy" in environment_names(folder.root, catalogue)
    environment = resolve_environment("toy", settings=settings, catalogue=catalogue)
    assert {task.text for task in environment.tasks("train")} == {"Go. []"}
    close(environment)
    assert remove(folder, toy, doing)
    assert not remove(folder, toy, doing)
    assert "toy" not in environment_names(folder.root, catalogue)
    with pytest.raises(ConfigError, match=r"is not installed .tackroom env install toy"):
        resolve_environment("toy", settings=settings, catalogue=catalogue)


@pytest.mark.slow
def test_a_killed_installation_is_begun_anew_after_the_rest_of_it_has_ended(toy, folder):
    process = spawn(toy, folder)
    assert process.stdout is not None
    assert process.stdout.readline() == "making a virtual environment\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert folder.record(toy) is None
    with pytest.raises(ConfigError, match="is not installed"):
        folder.open(toy, "toy")
    assert install(folder, toy, doing)
    folder.open(toy, "toy").close()


@pytest.mark.slow
def test_two_at_once_install_once(toy, folder):
    both = [spawn(toy, folder) for _ in range(2)]
    said = [process.communicate(timeout=110)[0].splitlines()[-1] for process in both]
    assert sorted(said) == ["new False", "new True"]


@pytest.mark.slow
def test_a_package_that_is_nowhere_is_one_clear_line_and_nothing_stays(
    tmp_path, folder, monkeypatch
):
    monkeypatch.setenv("PIP_INDEX_URL", "http://me:hunter2secret@127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    world = KnownWorld("far", "", "", ("no-such-package-anywhere==1.0",), (), {})
    with pytest.raises(InstallError) as caught:
        install(folder, world, doing)
    assert "world `far` cannot be installed" in str(caught.value)
    assert "no-such-package-anywhere" in str(caught.value)
    assert "package index" in caught.value.hint
    assert "hunter2" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (folder.root / "far").exists()


def test_half_an_installation_does_not_count(toy, folder):
    (folder.root / "toy" / "bin").mkdir(parents=True)
    (folder.root / "toy" / RECORD).write_text('{"pins": "half')
    assert folder.record(toy) is None
    assert not folder.is_current(toy)


def test_other_pins_are_an_outdated_world(toy, folder):
    (folder.root / "toy").mkdir(parents=True)
    (folder.root / "toy" / RECORD).write_text('{"pins": "old", "tasks": {}}')
    with pytest.raises(ConfigError, match="is installed in another version"):
        folder.open(toy, "toy")


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_environments_of_a_known_world_are_called_after_it_and_all_is_pinned(world):
    assert all(
        name == world.name or name.startswith(f"{world.name}_") for name in world.environments
    )
    assert all("==" in pin for pin in world.pins)


def test_the_commands_say_what_there_is_and_what_is_wrong(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path))
    assert run(["env", "list"]) == 0
    listed = capsys.readouterr().out
    assert "not installed" in listed
    assert "bfcl_base" in listed
    assert run(["env", "install", "bfclx"]) == 2
    assert "did you mean `bfcl`?" in capsys.readouterr().err
    assert run(["env", "remove", "tau2"]) == 0
    assert "was not there" in capsys.readouterr().out
    assert run(["collect", "--environment", "bfcl_base", "--model", "gold"]) == 2
    assert "tackroom env install bfcl" in capsys.readouterr().err
