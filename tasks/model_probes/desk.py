"""Asking an endpoint within a budget, and what was heard."""

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from schemas.errors import ModelFault
from tasks.agent.endpoint import Endpoint
from tasks.agent.protocols import JsonObject
from tasks.agent.reasoning import Thought, take_reasoning
from tasks.agent.wire import read_reply

MOST_REQUESTS = 120
MOST_S = 300.0
SHOWN = 200
Status = Literal["ok", "missing", "defect", "unknown"]


@dataclass(frozen=True)
class Finding:
    """Answer to one question.

    Attributes:
        seen: what the endpoint did.
        change: what to change in the server or in tackroom.toml; empty when nothing.
    """

    probe: str
    status: Status
    seen: str
    change: str = ""


@dataclass(frozen=True)
class Heard:
    """One response: a choice, or why there is none."""

    payload: JsonObject = field(default_factory=dict[str, Any])
    refusal: str = ""

    @property
    def choice(self) -> JsonObject:
        """The first choice; empty when the endpoint refused."""
        choices: Any = self.payload.get("choices") or [{}]
        return cast("JsonObject", choices[0])

    @property
    def message(self) -> JsonObject:
        """Its message."""
        return cast("JsonObject", self.choice.get("message") or {})

    @property
    def thought(self) -> Thought:
        """Text and reasoning of the message."""
        return take_reasoning(self.message)

    @property
    def text(self) -> str:
        """What was said."""
        return self.thought.text.strip()

    @property
    def calls(self) -> list[JsonObject]:
        """Functions that were called; what is no call is an empty one."""
        listed: Any = self.message.get("tool_calls")
        calls = cast("list[Any]", listed) if isinstance(listed, list) else []
        return [_function(call) for call in calls]

    @property
    def tokens(self) -> int | None:
        """Tokens that were counted; null without a count."""
        usage: Any = self.payload.get("usage")
        total: Any = cast("JsonObject", usage).get("total_tokens") if isinstance(usage, dict) else 0
        return total if isinstance(total, int) and total > 0 else None


def _function(call: Any) -> JsonObject:
    found: Any = cast("JsonObject", call).get("function") if isinstance(call, dict) else None
    return cast("JsonObject", found) if isinstance(found, dict) else {}


class BudgetSpent(Exception):
    """The check may ask no more."""


@dataclass
class Desk:
    """Asks one endpoint; counts requests, tokens and time.

    Attributes:
        endpoint: entered by whoever opens the desk.
        entry: what `/models` says of the model.
    """

    endpoint: Endpoint
    most_requests: int = MOST_REQUESTS
    most_s: float = MOST_S
    entry: JsonObject = field(default_factory=dict[str, Any])
    requests: int = 0
    tokens: int = 0
    _began: float | None = None

    async def ask(
        self,
        content: str | Sequence[Mapping[str, Any]],
        *,
        most: int = 64,
        place: Endpoint | None = None,
        **more: Any,
    ) -> Heard:
        """Ask with a text of the user, or with whole messages; `place` stands for the endpoint.

        Raises:
            BudgetSpent: the check may ask no more.
        """
        messages = [{"role": "user", "content": content}] if isinstance(content, str) else content
        sampling = self.endpoint.settings.sampling
        length = "max_completion_tokens"
        body: JsonObject = {
            "model": self.endpoint.settings.model,
            "messages": list(messages),
            **sampling.extra_body,
            (length if length in sampling.extra_body else "max_tokens"): most,
        }
        if sampling.temperature is not None:
            body["temperature"] = sampling.temperature
        body |= more
        self._spend()
        try:
            payload = await (place or self.endpoint).complete(body, random.Random(0), _checked)
        except ModelFault as error:
            url = self.endpoint.url
            what = error.what.removeprefix(f"{url} ").removeprefix(f"{url}: ")
            return Heard(refusal=what[:SHOWN])
        heard = Heard(payload)
        self.tokens += heard.tokens or 0
        return heard

    def _spend(self) -> None:
        now = asyncio.get_running_loop().time()
        self._began = self._began or now
        self.requests += 1
        if self.requests > self.most_requests or now - self._began > self.most_s:
            raise BudgetSpent


def _checked(payload: object) -> JsonObject:
    """The response as it is, when it is a completion at all."""
    read_reply(payload)
    return cast("JsonObject", payload)
