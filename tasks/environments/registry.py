"""Environments by name: embedded ones, installed ones, and what a user's own word starts."""

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from schemas.errors import ConfigError, TackroomError
from tasks.agent.protocols import Environment
from tasks.environments.catalogue import WORLDS, world_of
from tasks.environments.host import open_environment
from tasks.environments.host_child import describe_error
from tasks.environments.installation import WorldFolder

GROUP = "tackroom.environments"
EMBEDDED = {
    "household": "tasks.environments.household:create",
    "sqldesk": "tasks.environments.sqldesk:create",
}
"""What a source checkout offers without being installed."""
IMPORTED = ("tau_bench_", "tau2_")
"""How the names of imported environments begin; their history is kept apart from live worlds."""
_NAME = re.compile(r"[a-z][a-z0-9_]*")


@runtime_checkable
class Closable(Protocol):
    """An environment that holds something, such as a child process."""

    def close(self) -> None:
        """Let go of it."""
        ...


def environment_names(worlds: Path | None = None) -> tuple[str, ...]:
    """Names that can be resolved, sorted; those of the worlds installed in a folder with them."""
    return tuple(sorted({*_entry_points(), *(_installed(worlds) if worlds else ())}))


def resolve_environment(
    word: str, *, python: str | None = None, worlds: Path | None = None
) -> Environment:
    """Open the environment a user named.

    `package.module:factory` is run in a child process with the interpreter `python`,
    `command:PROGRAM` is one; worlds of the catalogue are looked for in the folder `worlds`.

    Raises:
        ConfigError: there is no such environment, it cannot be opened, or it has the name of
            another one.
    """
    known = _entry_points()
    if ":" in word:
        opened = _open_hosted(word, python)
        refuse_taken(word, opened, {*known, *_catalogued()})
        return opened
    if word in known:
        return named_as_installed(word, known[word])
    world = world_of(word)
    if world is None or worlds is None:
        raise _unknown(word, environment_names(worlds))
    return named_as_asked(word, WorldFolder(worlds).open(world, word))


def _catalogued() -> list[str]:
    return [name for world in WORLDS.values() for name in world.environments]


def _installed(worlds: Path) -> list[str]:
    folder = WorldFolder(worlds)
    return [
        name for world in WORLDS.values() if folder.is_current(world) for name in world.environments
    ]


def named_as_installed(word: str, point: EntryPoint) -> Environment:
    """Open an installed environment, which goes by the name of its entry point.

    Raises:
        ConfigError: it cannot be opened, or calls itself otherwise.
    """
    return named_as_asked(word, checked(word, create(word, point)))


def named_as_asked(word: str, opened: Environment) -> Environment:
    """Take an environment that is found by a name.

    Raises:
        ConfigError: it calls itself otherwise.
    """
    if opened.name != word:
        what = f"the installed environment `{word}` calls itself `{opened.name}`"
        raise ConfigError(what, hint="rename it: its entry point and its `name` must agree")
    return opened


def refuse_taken(word: str, opened: Environment, taken: Iterable[str]) -> None:
    """Refuse a user's environment under a name that stands for another one.

    Trajectories, harnesses and cycles are found by that name, so both would be mixed for good.

    Raises:
        ConfigError: the name is taken; the environment is closed.
    """
    if opened.name not in set(taken) and not opened.name.startswith(IMPORTED):
        return
    if isinstance(opened, Closable):
        opened.close()
    kind = "an imported" if opened.name.startswith(IMPORTED) else "another"
    what = f"environment `{word}` calls itself `{opened.name}`, the name of {kind} environment"
    raise ConfigError(what, hint=f"rename it: give what `{word}` makes another `name`")


def _entry_points() -> dict[str, EntryPoint]:
    """Embedded environments cannot be replaced by an installed package of the same name."""
    embedded = {name: EntryPoint(name, value, GROUP) for name, value in EMBEDDED.items()}
    return {point.name: point for point in entry_points(group=GROUP)} | embedded


def _unknown(word: str, known: tuple[str, ...]) -> ConfigError:
    close = get_close_matches(word, known, n=1)
    hint = f"did you mean `{close[0]}`?" if close else f"known: {', '.join(known)}"
    return ConfigError(f"there is no environment `{word}`", hint=hint)


def create(name: str, point: EntryPoint) -> object:
    """Call the factory of an entry point.

    Raises:
        ConfigError: it cannot be imported or breaks.
    """
    try:
        factory = cast("Callable[[], object]", point.load())
        return factory()
    except TackroomError:
        raise
    except Exception as error:
        reason = describe_error(error, point.module)
        what = f"environment `{name}` ({point.value}) cannot be opened: {reason}"
        raise ConfigError(what, hint="mend or reinstall its package") from error


def checked(word: str, opened: object) -> Environment:
    """Take what a factory made, if it is an environment.

    Raises:
        ConfigError: it is none, or has a name that cannot be used.
    """
    if not isinstance(opened, Environment):
        what = f"environment `{word}` lacks parts of the Environment protocol"
        raise ConfigError(what, hint="see tasks/agent/protocols.py")
    if not _NAME.fullmatch(opened.name):
        what = f"environment `{word}` calls itself `{opened.name}`"
        raise ConfigError(what, hint="a name matches [a-z][a-z0-9_]*")
    return opened


def _open_hosted(word: str, python: str | None) -> Environment:
    """Hand a word to the module that runs worlds in a child process."""
    return checked(word, open_environment(word, python=python))
