"""The role `user`: gives a world whose user a model plays that model."""

from typing import Protocol, runtime_checkable

from schemas.errors import ConfigError
from schemas.settings import Settings, load_settings
from tasks.agent.models import resolve_model
from tasks.agent.protocols import Environment, Model

PREFIX = "openai:"


@runtime_checkable
class TakesUser(Protocol):
    """An environment that may have a user for a model to play."""

    has_user: bool

    def take_user(self, user: Model) -> None:
        """Let a model play the user."""
        ...


def give_user(opened: Environment, settings: Settings | None) -> None:
    """Let the model of the role play the user, where the environment has one.

    Raises:
        ConfigError: it has one, and no model behind an endpoint has the role.
    """
    if not (isinstance(opened, TakesUser) and opened.has_user):
        return
    settings = settings or load_settings()
    word = settings.roles.user or ""
    if not word.removeprefix(PREFIX) or not word.startswith(PREFIX):
        named = f"`{word}` is no model behind an endpoint" if word else "no model has that role"
        what = f"environment `{opened.name}` needs a model in the role user, and {named}"
        hint = 'write user = "openai:NAME" under [roles] in tackroom.toml'
        raise ConfigError(what, hint=hint)
    opened.take_user(resolve_model(word, settings))
