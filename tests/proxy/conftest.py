"""The service without HTTP, an upstream that says what it is told, and a loop like ours."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from schemas.traffic import Mode
from tasks.harness import Harness, Sandbox
from tasks.harness.session import RuleRunner
from tasks.proxy.arms import Policy
from tasks.proxy.chat_form import ChatForm
from tasks.proxy.forms import Form
from tasks.proxy.service import Exchanged, Service
from tasks.proxy.upstream import Answered

NOW = datetime(2030, 1, 1, tzinfo=UTC)
SETTINGS = "api: 1\nname: sample\nenvironment: sqldesk\n"
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": f"Runs {name}.",
            "parameters": {"type": "object"},
        },
    }
    for name in ("execute_sql", "commit_final_answer")
]
Turn = str | list[tuple[str, str]]
"""What a model says: prose, or calls as (name, raw argument text)."""


SKILL = """---
name: count-rows
description: How many rows a table has.
---
Use count(*).
"""


@pytest.fixture(scope="session")
def tools() -> list[dict[str, Any]]:
    return TOOLS


@pytest.fixture(scope="session")
def skill() -> str:
    return SKILL


@pytest.fixture(scope="session")
def run() -> Callable[[Coroutine[Any, Any, Any]], Any]:
    return asyncio.run


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    box = Sandbox(workers=2)
    asyncio.run(box.__aenter__())
    yield box
    asyncio.run(box.__aexit__(None, None, None))


@pytest.fixture(scope="session")
def make() -> Callable[..., Harness]:
    def build(*, skills: dict[str, str] | None = None, settings: str = SETTINGS, **layers: str):
        files = {"harness.yaml": settings}
        files |= {"contract.md": layers.get("contract", "")}
        files |= {f"{name}.py": layers.get(name, "") for name in ("actions", "regulation")}
        files |= {f"skills/{name}/SKILL.md": text for name, text in (skills or {}).items()}
        return Harness.from_files(files)

    return build


@pytest.fixture(scope="session", name="chat_reply")
def give_chat_reply() -> Callable[[Turn, int], dict[str, Any]]:
    return chat_reply


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


@pytest.fixture
def open_desk(sandbox) -> Callable[..., Desk]:
    def build(
        harness: Harness,
        turns: Sequence[Turn],
        *,
        mode: Mode = "enforce",
        share: float = 1.0,
        rules: RuleRunner | None = sandbox,
        form: Form | None = None,
        render: Callable[[Turn, int], dict[str, Any]] = chat_reply,
        **options: Any,
    ) -> Desk:
        upstream, kept = Scripted(turns, render), []
        service = Service(
            upstream=upstream,
            policy=lambda: Policy(mode, share, harness),
            sandbox=rules,
            record=kept.append,
            now=lambda: NOW,
            empty=Harness.from_files({"harness.yaml": SETTINGS}),
            **options,
        )
        return Desk(service, upstream, kept, form or ChatForm())

    return build
