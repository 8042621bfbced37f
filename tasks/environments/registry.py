"""Environments by name: embedded ones, installed ones, and factories of the user's own."""

import re
from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, cast

from schemas.errors import ConfigError, TackroomError
from tasks.agent.protocols import Environment

GROUP = "tackroom.environments"
HOST_MODULE = "tasks.environments.host"
EMBEDDED = {
    "household": "tasks.environments.household:create",
    "sqldesk": "tasks.environments.sqldesk:create",
}
"""What a source checkout offers without being installed."""
_NAME = re.compile(r"[a-z][a-z0-9_]*")


def environment_names() -> tuple[str, ...]:
    """Names that can be resolved, sorted."""
    return tuple(sorted(_entry_points()))


def resolve_environment(word: str, *, python: str | None = None) -> Environment:
    """Open the environment a user named.

    `package.module:factory` is run in a child process with the interpreter `python`.

    Raises:
        ConfigError: there is no such environment, or it cannot be opened.
    """
    if ":" in word:
        return _open_hosted(word, python)
    known = _entry_points()
    if word not in known:
        raise _unknown(word, tuple(sorted(known)))
    return checked(word, create(word, known[word]))


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
        reason = f"{type(error).__name__}: {error}"
        what = f"environment `{name}` ({point.value}) cannot be opened: {reason}"
        raise ConfigError(what) from error


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
    """Hand a factory to the module that runs worlds in a child process."""
    try:
        host: Any = import_module(HOST_MODULE)
    except ModuleNotFoundError as error:
        what = f"environment `{word}` needs a child process, which this installation cannot start"
        raise ConfigError(what, hint="use an installed environment") from error
    return checked(word, host.open_environment(word, python=python))
