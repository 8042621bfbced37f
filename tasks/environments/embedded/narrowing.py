"""Takes a world as one of a certain environment."""

from collections.abc import Callable
from typing import TypeVar

from schemas.errors import ConfigError
from tasks.agent.protocols import World

W = TypeVar("W", bound=World)


def narrow_to(name: str, kind: type[W]) -> Callable[[World], W]:
    """A function that takes worlds of one environment and refuses all others."""

    def narrow(world: World) -> W:
        if not isinstance(world, kind):
            what = f"{name} was given a world of type {type(world).__name__}"
            raise ConfigError(what, hint="pass a world made by `start`")
        return world

    return narrow
