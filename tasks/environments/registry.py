"""Environments by name: embedded ones, installed ones, and what a user's own word starts."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

from schemas.errors import ConfigError, TackroomError
from schemas.settings import Settings, load_settings
from tasks.agent.protocols import Environment
from tasks.environments.catalogue import WORLDS, Catalogue, world_of
from tasks.environments.embedded.frame import Blueprint, EmbeddedEnvironment
from tasks.environments.host import open_environment
from tasks.environments.host_wire import describe_error
from tasks.environments.installation import WorldFolder
from tasks.environments.user_role import give_user

GROUP = "tackroom.environments"
FOLDER = "world:"
FILE = "world.toml"
EMBEDDED = {
    "household": "tasks.environments.household:create",
    "orderdesk": "tasks.environments.orderdesk:create",
    "sqldesk": "tasks.environments.sqldesk:create",
    "webshop": "tasks.environments.webshop:create",
}
"""What a source checkout offers without being installed."""
IMPORTED = ("tau_bench_", "tau2_")
"""How the names of imported environments begin; their history is kept apart from live worlds."""
MOST_STEPS = 500
_NAME = re.compile(r"[a-z][a-z0-9_]*")


@runtime_checkable
class Closable(Protocol):
    """An environment that holds something, such as a child process."""

    def close(self) -> None:
        """Let go of it."""
        ...


def close(environment: Environment) -> None:
    """Let go of what an environment holds."""
    if isinstance(environment, Closable):
        environment.close()


def environment_names(worlds: Path | None = None, catalogue: Catalogue = WORLDS) -> tuple[str, ...]:
    """Names that can be resolved, sorted; those of the worlds installed in a folder with them."""
    folder = WorldFolder(worlds) if worlds else None
    current = [world for world in catalogue.values() if folder and folder.is_current(world)]
    installed = {name for world in current for name in world.environments}
    return tuple(sorted({*_entry_points(), *installed}))


def taken_names() -> frozenset[str]:
    """Names that stand for an environment whether it is installed or not."""
    return frozenset({*_entry_points(), *(n for one in WORLDS.values() for n in one.environments)})


def resolve_environment(
    word: str,
    *,
    python: str | None = None,
    settings: Settings | None = None,
    catalogue: Catalogue = WORLDS,
) -> Environment:
    """Open the environment a user named.

    `NAME?steps=N` gives an embedded world another step budget.
    `package.module:factory` is run in a child process with the interpreter `python`,
    `command:PROGRAM` is one; a folder with a `world.toml` takes variables and endpoints from the
    settings, worlds of the catalogue are looked for where the settings say, and so is the model
    that plays a user.

    Raises:
        ConfigError: there is no such environment, it cannot be opened, it has the name of
            another one, or nobody plays its user.
    """
    opened = _open(word, python, settings, catalogue)
    try:
        give_user(opened, settings)
    except BaseException:
        close(opened)
        raise
    return opened


def _open(
    word: str, python: str | None, settings: Settings | None, catalogue: Catalogue
) -> Environment:
    known = _entry_points()
    if not is_own(word):
        name, mark, query = word.partition("?")
        if mark:
            return _with_steps(name, query, named_as_installed(name, _embedded(name, known)))
        if word in known:
            return named_as_installed(word, known[word])
        return _open_named(word, settings or load_settings(), catalogue)
    folder = folder_of(word)
    if folder is None:
        opened = _open_hosted(word, python)
    else:
        opened = checked(word, _open_folder(folder, settings or load_settings()))
    refuse_taken(word, opened, taken_names())
    return opened


def _embedded(name: str, known: Mapping[str, EntryPoint]) -> EntryPoint:
    if name not in EMBEDDED:
        what = f"`{name[:60]}` is no embedded environment, so its steps cannot be set"
        raise ConfigError(what, hint=f"embedded: {', '.join(EMBEDDED)}")
    return known[name]


def _with_steps(name: str, query: str, opened: Environment) -> Environment:
    """Set the step budget of an embedded world: `NAME?steps=N`."""
    key, _, value = query.partition("=")
    is_number = value.isascii() and value.isdigit() and len(value) <= len(str(MOST_STEPS))
    if key != "steps" or not is_number or not 1 <= int(value) <= MOST_STEPS:
        what = f"`{name}?{query[:60]}` is not understood"
        raise ConfigError(what, hint=f"it looks like {name}?steps=8; at most {MOST_STEPS} steps")
    blueprint: Blueprint[Any, Any] = cast("EmbeddedEnvironment[Any, Any]", opened).blueprint
    return EmbeddedEnvironment(_shortened(blueprint, int(value)))


@lru_cache(maxsize=64)
def _shortened(blueprint: Blueprint[Any, Any], steps: int) -> Blueprint[Any, Any]:
    """Kept, so that the problems are drawn once in a process here as well."""
    return replace(blueprint, step_budget=steps)


def _open_named(word: str, settings: Settings, catalogue: Catalogue) -> Environment:
    world = world_of(word, catalogue)
    if world is None:
        raise _unknown(word, environment_names(settings.worlds, catalogue))
    return named_as_asked(word, WorldFolder(settings.worlds).open(world, word))


def is_own(word: str) -> bool:
    """Whether a word names a world of the user's own, rather than one that is installed."""
    return ":" in word or folder_of(word) is not None


def folder_of(word: str) -> Path | None:
    """The folder of a world that a word names: `world:FOLDER`, or a path.

    An installed world goes before a folder of its name.
    """
    if word.startswith(FOLDER):
        return Path(word.removeprefix(FOLDER))
    if word in taken_names() or ":" in word:
        return None
    is_path = "/" in word or word.startswith(".")
    return Path(word) if is_path or _holds_world(word) else None


def _holds_world(word: str) -> bool:
    try:
        return bool(word) and (Path(word) / FILE).is_file()
    except OSError:  # such as a name that is too long for one
        return False


def _open_folder(folder: Path, settings: Settings) -> Environment:
    """Worlds over services bring clients that other worlds need not load."""
    from tasks.environments.declared.environment import open_folder

    return open_folder(folder, settings)


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
    close(opened)
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
