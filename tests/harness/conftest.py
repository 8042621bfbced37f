import asyncio
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from tasks.harness import Harness, Sandbox, Session

SETTINGS = "api: 1\nname: sample\nenvironment: sqldesk\n"
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": f"Runs {name}.",
            "parameters": {"type": "object", "properties": {}},
        },
    }
    for name in ("execute_sql", "commit_final_answer")
]


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
def tools() -> list[dict[str, Any]]:
    return TOOLS


@pytest.fixture(scope="session")
def make() -> Callable[..., Harness]:
    def build(
        *,
        actions: str = "",
        regulation: str = "",
        contract: str = "",
        skills: dict[str, str] | None = None,
        settings: str = SETTINGS,
    ) -> Harness:
        files = {
            "harness.yaml": settings,
            "contract.md": contract,
            "actions.py": actions,
            "regulation.py": regulation,
        }
        files.update({f"skills/{name}/SKILL.md": text for name, text in (skills or {}).items()})
        return Harness.from_files(files)

    return build


@pytest.fixture(scope="session")
def open_session(sandbox, tools) -> Callable[..., Session]:
    def build(harness: Harness, *, task: str = "Change the name.", budget: int | None = 10):
        return Session(harness, task, tools, sandbox=sandbox, budget=budget)

    return build


@pytest.fixture(scope="session")
def skill_text() -> Callable[..., str]:
    def build(name: str, description: str, extra: str = "", body: str = "Do it well.") -> str:
        return f"---\nname: {name}\ndescription: {description}\n{extra}---\n{body}\n"

    return build
