"""The service without HTTP, and an upstream that says what it is told."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tasks.proxy.forms import Form
from tasks.proxy.service import Exchanged, Service
from tasks.proxy.upstream import Answered

NOW = datetime(2030, 1, 1, tzinfo=UTC)
Turn = str | list[tuple[str, str]]
"""What a model says: prose, or calls as (name, raw argument text)."""


def chat_reply(said: Turn, number: int) -> dict[str, Any]:
    """A chat completion that says this."""
    message: dict[str, Any] = {"role": "assistant", "content": said, "refusal": None}
    if not isinstance(said, str):
        message["content"] = None
        message["tool_calls"] = [
            {
                "id": f"c{number}_{place}",
                "type": "function",
                "function": {"name": name, "arguments": arguments},
            }
            for place, (name, arguments) in enumerate(said)
        ]
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    if not isinstance(said, str):
        choice["finish_reason"] = "tool_calls"
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [choice],
        "usage": usage,
    }


@dataclass
class Scripted:
    """An upstream that says one turn after the other; keeps what it was asked."""

    turns: Sequence[Turn]
    render: Callable[[Turn, int], dict[str, Any]] = chat_reply
    asked: list[dict[str, Any]] = field(default_factory=list)

    async def ask(self, path, body, headers):
        number = len(self.asked)
        self.asked.append(body)
        value = self.render(self.turns[number], number)
        return Answered(
            200, json.dumps(value).encode(), {"Content-Type": "application/json"}, value
        )


@dataclass
class Desk:
    """A service with everything around it."""

    service: Service
    upstream: Scripted
    kept: list[Exchanged]
    form: Form

    async def post(self, body: dict[str, Any], **headers: str) -> dict[str, Any]:
        answer = await self.service.answer(self.form, json.dumps(body).encode(), headers)
        assert answer is not None
        return json.loads(answer.body)

    def interventions(self) -> list[tuple[int, tuple[Any, ...]]]:
        """What the harness did, with the turn it did it at."""
        found: list[tuple[int, Any]] = []
        for kept in self.kept:
            account = kept.account
            if account.opening:
                found += [(0, one) for one in account.opening.acted.interventions]
            found += [(t.index, one) for t in account.turns for one in t.acted.interventions]
            found += [(a.turn, one) for a in account.answers for one in a.acted.interventions]
        return [(turn, _row(one)) for turn, one in found]


def _row(one: Any) -> tuple[Any, ...]:
    return (one.layer, one.artifact_id, one.kind, one.before, one.after, one.suppressed)
