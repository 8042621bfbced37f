"""What a world needs that no package index has: files of the user's own, programs."""

import shutil
from pathlib import Path

from schemas.errors import ConfigError
from tasks.environments.catalogue import KnownWorld, UserData


def install_command(world: KnownWorld) -> str:
    """The command that installs a world."""
    rest = "" if world.data is None else " --path PATH"
    return f"tackroom env install {world.name}{rest}"


def check_program(world: KnownWorld) -> None:
    """Refuse a world whose program is not on this machine.

    Raises:
        ConfigError: it is not found.
    """
    program = world.program
    if program is not None and shutil.which(program.name) is None:
        what = f"the world `{world.name}` needs the program `{program.name}`, which is not found"
        raise ConfigError(what, hint=program.remedy)


def check_data(world: KnownWorld, path: Path | None) -> Path | None:
    """The path of a user's files as a world can use it; null for a world that needs none.

    Raises:
        ConfigError: there is no path, or one that is not what the world needs.
    """
    needs = world.data
    if needs is None:
        if path is not None:
            what = f"the world `{world.name}` needs no files of yours"
            raise ConfigError(what, hint="leave out --path")
        return None
    if path is None:
        what = f"the world `{world.name}` needs {needs.about}"
        raise ConfigError(what, hint=f"{install_command(world)} (from {needs.source})")
    path = path.expanduser().absolute()
    missing = None if path.exists() else "it does not exist"
    missing = missing or _missing(needs, path)
    if missing:
        what = f"the world `{world.name}`: {path} is not {needs.about}: {missing}"
        raise ConfigError(what, hint=f"{install_command(world)} (from {needs.source})")
    return path


def _missing(needs: UserData, path: Path) -> str | None:
    """What is not there; null when a choice is complete."""
    lacking = [name for name in needs.choices[0] if not (path / name).exists()]
    for choice in needs.choices:
        if choice and all((path / name).exists() for name in choice):
            return None
        if not choice and path.is_file():
            return None
    return f"it has no {lacking[0]}"
