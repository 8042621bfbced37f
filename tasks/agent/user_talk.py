"""The user of a world whom a model plays: asked here, within the caps of the run.

The user's model sees the user's own instructions and the talk, never tools, policy or gold: a
world gives no more out. What goes wrong with it is a fault of the user's and no end of the agent's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.errors import ConfigError, ModelFault, UserFault
from schemas.text import clean_text
from tasks.agent.capabilities import HasUser
from tasks.agent.protocols import (
    Conversation,
    Environment,
    EpisodeContext,
    Model,
    ModelReply,
)
from tasks.agent.run_limits import run_limits, usd_per_token, within_caps

MAX_WORDS = 20_000
"""Longest thing a user says, in characters."""


@dataclass
class UserTalk:
    """The user of one episode.

    Attributes:
        replies: what the model has answered so far.
    """

    name: str
    conversation: Conversation
    replies: list[ModelReply]

    async def say(self, turn: Sequence[Mapping[str, Any]]) -> str:
        """What the user says next.

        Raises:
            UserFault: the model cannot be asked, or says nothing that could be passed on.
            CapReached: the run may spend no more.
        """
        try:
            reply = await self.conversation.reply(turn, [])
        except ModelFault as error:
            what = f"{self.name}, who plays the user, could not be asked: {error.what}"
            raise UserFault(what, kind=error.kind, hint=error.hint) from error
        self.replies.append(reply)
        words = clean_text(reply.text).strip()
        if words and len(words) <= MAX_WORDS:
            return words
        said = f"said {len(words)} characters at once" if words else "said nothing"
        what = f"{self.name}, who plays the user, {said}"
        raise UserFault(what, kind="silent", hint="take a stronger model for the role user")


def user_of(environment: Environment) -> Model | None:
    """The model that plays the user; null where none does."""
    return environment.user if isinstance(environment, HasUser) else None


def open_user(context: EpisodeContext) -> UserTalk | None:
    """The user of an episode; null where no model plays one."""
    user = user_of(context.environment)
    if user is None:
        return None
    return UserTalk(user.name, within_caps(user.open(context), user), [])


def require_price(environment: Environment) -> None:
    """Refuse to cap dollars where nobody knows what the user costs.

    Raises:
        ConfigError: nobody does.
    """
    user = user_of(environment)
    if user is None or not run_limits().spending.max_usd or usd_per_token(user) is not None:
        return
    what = f"dollars cannot be capped: `{user.name}`, who plays the user, has no price"
    hint = f"add [models.{user.name.partition(':')[2]}.price], or cap tokens instead"
    raise ConfigError(what, hint=hint)
