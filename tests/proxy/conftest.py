"""The service without HTTP, an upstream that says what it is told, and a loop like ours."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any

import pytest

from schemas.traffic import Mode
from tasks.harness import Harness, Sandbox
from tasks.harness.judging import RuleRunner
from tasks.proxy.arms import Policy
from tasks.proxy.chat_form import ChatForm
from tasks.proxy.forms import Form
from tasks.proxy.service import Service
from tests.proxy.desk import NOW, Desk, Scripted, Turn, chat_reply

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
