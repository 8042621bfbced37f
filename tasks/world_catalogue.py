"""Worlds that can be installed: what there is, installing one, removing one."""

from difflib import get_close_matches
from typing import Any

from schemas.errors import ConfigError
from tasks.environments.catalogue import WORLDS, KnownWorld
from tasks.environments.installation import WorldFolder, install, remove
from tasks.progress import doing, in_stage
from tasks.workbench import Workbench

_SHOWN = 60


def list_worlds() -> dict[str, Any]:
    """Environments that can be opened here, and worlds that can be installed."""
    bench = Workbench.open()
    folder = WorldFolder(bench.settings.worlds)
    return {
        "ready": list(bench.environment_names()),
        "worlds": [_told(folder, world) for world in WORLDS.values()],
    }


def install_world(name: str) -> dict[str, Any]:
    """Install a world; `already_done` when it was there.

    Raises:
        ConfigError: there is none of this name.
        InstallError: it cannot be installed.
    """
    world, folder = _known(name), WorldFolder(Workbench.open().settings.worlds)
    with in_stage(f"install {world.name}"):
        is_new = install(folder, world, doing)
    return _told(folder, world) | {"already_done": not is_new}


def remove_world(name: str) -> dict[str, Any]:
    """Remove a world; `already_done` when there was nothing of it.

    Raises:
        ConfigError: there is none of this name.
    """
    world, folder = _known(name), WorldFolder(Workbench.open().settings.worlds)
    with in_stage(f"remove {world.name}"):
        is_removed = remove(folder, world, doing)
    return _told(folder, world) | {"already_done": not is_removed}


def _known(name: str) -> KnownWorld:
    if name in WORLDS:
        return WORLDS[name]
    close = get_close_matches(name, WORLDS, n=1)
    hint = f"did you mean `{close[0]}`?" if close else f"known: {', '.join(WORLDS)}"
    what = f"there is no world `{name[:_SHOWN]}` to install"
    raise ConfigError(what, hint=hint)


def _told(folder: WorldFolder, world: KnownWorld) -> dict[str, Any]:
    record = folder.record(world)
    state = "installed" if folder.is_current(world) else "outdated" if record else "not installed"
    tasks = record["tasks"] if record and state == "installed" else {}
    return {
        "world": world.name,
        "state": state,
        "about": world.about,
        "terms": world.terms,
        "packages": list(world.pins),
        "environments": {name: tasks.get(name) for name in world.environments},
    }
