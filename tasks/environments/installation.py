"""Installing worlds, each into a virtual environment of its own below one folder.

A world counts as installed once its record is written, which is the last step: an installation
that was killed leaves none and is begun anew. A lock is held by whoever installs or removes, and
by the package installer it started, so that two at once do not meet, nor one and the rest of a
killed one.
"""

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schemas.errors import ConfigError, TackroomError
from schemas.ids import canonical_json, sha256_hex
from schemas.redaction import redact_text
from schemas.text import clean_text
from tasks.environments.catalogue import ADAPTERS, KnownWorld
from tasks.environments.host import HostedEnvironment
from tasks.environments.host_commands import CHILD
from tasks.environments.host_process import Command
from tasks.environments.user_data import check_data, check_program, install_command

RECORD = "installed.json"
PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR")
"""Variables a world's child gets; keys of ours are none of its business."""
FIXED = {"PYTHONHASHSEED": "0", "PYTHONNOUSERSITE": "1", "TZ": "UTC"}
"""Sets iterate alike in every child, and times are those of everywhere else."""
OURS = ADAPTERS.parents[2]
"""Where our packages are found by a world that runs in our interpreter."""
DATA = "TACKROOM_WORLD_DATA"
"""Variable by which an adapter finds the user's own files."""
SHOWN = 400
Doing = Callable[[str], AbstractContextManager[None]]
"""Hears what a block does."""


class InstallError(TackroomError):
    """A world could not be installed."""


@dataclass(frozen=True)
class WorldFolder:
    """Where worlds are installed."""

    root: Path

    def python(self, world: KnownWorld) -> Path:
        """Its interpreter; ours for a world without packages."""
        own = self.root / world.name / "bin" / "python"
        return own if world.pins else Path(sys.executable)

    def record(self, world: KnownWorld) -> dict[str, Any] | None:
        """What its installation left; null when it is not, or not wholly, installed."""
        try:
            found = json.loads((self.root / world.name / RECORD).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def data(self, world: KnownWorld) -> Path | None:
        """The user's own files it was installed with."""
        found = (self.record(world) or {}).get("data")
        return Path(found) if isinstance(found, str) else None

    def is_current(self, world: KnownWorld) -> bool:
        """Whether what is installed is what would be installed now."""
        found = self.record(world)
        return found is not None and found.get("pins") == _digest(world)

    def command(self, world: KnownWorld, environment: str, data: Path | None) -> Command:
        """How a child that runs one of its environments is started."""
        python = str(self.python(world).absolute())
        own = {} if world.pins else {"PYTHONPATH": str(OURS)}
        own |= {} if data is None else {DATA: str(data)}
        return Command(
            word=environment,
            words=(python, str(CHILD), world.environments[environment]),
            folder=ADAPTERS,
            environ=_variables() | FIXED | dict(world.variables) | own,
            remedy=install_command(world),
        )

    def open(self, world: KnownWorld, environment: str) -> HostedEnvironment:
        """Open an environment of an installed world.

        Raises:
            ConfigError: the world is not installed, or breaks.
        """
        if not self.is_current(world):
            state = "is installed in another version" if self.record(world) else "is not installed"
            what = f"environment `{environment}`: the world `{world.name}` {state}"
            raise ConfigError(what, hint=install_command(world))
        check_program(world)
        data = check_data(world, self.data(world))
        return HostedEnvironment(self.command(world, environment, data), start_s=world.start_s)


def install(folder: WorldFolder, world: KnownWorld, doing: Doing, data: Path | None = None) -> bool:
    """Install a world, over the user's own files where it needs some; false when it was there.

    Raises:
        ConfigError: the files, or a program on this machine, are not what it needs.
        InstallError: a package cannot be installed, or the world does not open; nothing stays.
    """
    check_program(world)
    data = check_data(world, data or folder.data(world))
    if folder.is_current(world) and folder.data(world) == data:
        return False
    with _alone(folder, world, doing) as lock:
        if folder.is_current(world) and folder.data(world) == data:
            return False
        place = folder.root / world.name
        try:
            _wipe(place)
            _install(folder, world, doing, lock, data)
        except BaseException:
            _wipe(place)
            raise
    return True


def remove(folder: WorldFolder, world: KnownWorld, doing: Doing) -> bool:
    """Remove a world; false when there was nothing of it."""
    place = folder.root / world.name
    if not place.exists():
        return False
    with _alone(folder, world, doing):
        _wipe(place)
    return True


def _install(
    folder: WorldFolder, world: KnownWorld, doing: Doing, lock: int, data: Path | None
) -> None:
    place = folder.root / world.name
    if world.pins:
        _install_packages(folder, world, doing, lock)
    place.mkdir(exist_ok=True)
    tasks = {}
    for environment in world.environments:
        with doing(f"opening {environment}"):
            command = folder.command(world, environment, data)
            tasks[environment] = _count_tasks(command, world.start_s)
    record = {"pins": _digest(world), "tasks": tasks}
    _write(place / RECORD, record if data is None else record | {"data": str(data)})


def _install_packages(folder: WorldFolder, world: KnownWorld, doing: Doing, lock: int) -> None:
    with doing("making a virtual environment"):
        _run([sys.executable, "-m", "venv", str(folder.root / world.name)], world, lock)
    pip = [str(folder.python(world)), "-m", "pip", "install", "--no-input", "--quiet"]
    pip += ["--disable-pip-version-check", "--retries", "1", "--timeout", "20"]
    if world.packages:
        with doing(f"installing what it needs: {', '.join(world.packages)}"):
            _run([*pip, *world.packages], world, lock)
    if world.bare:
        with doing(f"installing {', '.join(world.bare)}"):
            _run([*pip, "--no-deps", *world.bare], world, lock)


def _variables() -> dict[str, str]:
    return {name: os.environ[name] for name in PASSED_ON if name in os.environ}


def _count_tasks(command: Command, start_s: float) -> dict[str, int]:
    opened = HostedEnvironment(command, start_s=start_s)
    try:
        return {split: len(opened.tasks(split)) for split in ("train", "select", "sealed")}
    finally:
        opened.close()


def _run(words: Sequence[str], world: KnownWorld, lock: int) -> None:
    try:
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=(lock,),
            check=False,
        )
    except OSError as error:
        what = f"world `{world.name}`: {words[0]!r} cannot be started: {error.strerror}"
        raise InstallError(what) from error
    if done.returncode == 0:
        return
    said = clean_text(redact_text(done.stdout.decode("utf-8", "replace"))[0])
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith(("error", "fatal"))] or lines[-1:]
    what = f"world `{world.name}` cannot be installed: {' '.join(errors)[:SHOWN]}"
    hint = "check the package index that pip uses and the free space, then run the command again"
    raise InstallError(what, hint=hint)


@contextmanager
def _alone(folder: WorldFolder, world: KnownWorld, doing: Doing) -> Iterator[int]:
    """Hold the lock of a world; gives the descriptor that holds it."""
    folder.root.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder.root / f"{world.name}.lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with doing("waiting for another installation of it"):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def _wipe(place: Path) -> None:
    """Take the record away first, so that what is left of a killed removal is not taken for it."""
    (place / RECORD).unlink(missing_ok=True)
    if place.exists():
        shutil.rmtree(place)


def _write(path: Path, value: object) -> None:
    draft = path.with_suffix(".draft")
    with draft.open("w", encoding="utf-8") as stream:
        stream.write(canonical_json(value))
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(path)


def _digest(world: KnownWorld) -> str:
    return sha256_hex(canonical_json(world.pins))[:16]
