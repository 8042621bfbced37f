"""AgentBench's DBBench over the user's own `standard.jsonl`, in SQLite instead of MySQL.

A question is judged by its `label`; the `sql` that comes with it gives other answers. A change is
judged by the table that its gold statement leaves, since the hashes in the file are MySQL's.
"""

import json
import re
import sqlite3
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from calls import Json, compact, own_tool, refusal
from fingerprints import fingerprint_of
from own_files import WrongData, digest, own_path, read_text
from splits import interleaved

from tasks.environments.sqldesk.database import Answer, Database, Table

MODULES = (
    "agentbench_db",
    "calls",
    "own_files",
    "splits",
    "../sqldesk/database",
    "../sqldesk/guards",
)
FILE = "data/dbbench/standard.jsonl"
QUERY, COMMIT = "execute_sql", "commit_final_answer"
CHANGES = ("INSERT", "UPDATE", "DELETE")
KIND = re.compile(r"[A-Za-z]+(\(\d+(,\s*\d+)?\))?")
NOTHING = frozenset({"none", "null", "undefined", "nan", "inf", "infinity", "-inf", "-infinity"})
CLOSE = 0.01
SHOWN_CHARS = 4_000
OVER = "The final answer was given already."
SYSTEM_PROMPT = (
    f"You work on a table of a SQLite database. `{QUERY}` runs one SQL statement and gives its"
    f" rows. When the question is answered or the change is made, call `{COMMIT}` with the list of"
    " answers, each as the table has it; after a change the list may hold anything."
)
TOOLS = [
    own_tool(QUERY, "Run one SQL statement.", query={"type": "string"}),
    own_tool(
        COMMIT,
        "Give the final answer and end the task.",
        answers={"type": "array", "items": {"type": "string"}},
    ),
]


class Item:
    """One line of the file."""

    def __init__(self, number: int, raw: Json) -> None:
        self.number = number
        self.kind = str(raw["type"][0])
        self.label = [str(one) for one in raw["label"]]
        about = raw.get("add_description") or ""
        self.text = "\n".join(part for part in (about, str(raw["description"])) if part)
        info = raw["table"]["table_info"]
        columns = [(str(one["name"]), affinity(str(one["type"]))) for one in info["columns"]]
        rows = tuple(tuple(cell(value) for value in row) for row in info["rows"])
        self.table = Table(str(raw["table"]["table_name"]), tuple(columns), rows)
        names = [self.table.name, *(name for name, _ in columns)]
        if any('"' in name for name in names):
            message = "a name with a quotation mark"
            raise ValueError(message)

    @property
    def is_change(self) -> bool:
        """Whether the table is judged, not the answer."""
        return self.kind in CHANGES

    @cached_property
    def untouched(self) -> str:
        """Hash of the first content of the table."""
        return Database(self.table).content_hash()

    @cached_property
    def gold(self) -> str:
        """Hash of the content that is right at the end; empty when SQLite cannot run the gold."""
        database = Database(self.table)
        if self.is_change and database.run(self.label[0]).error is not None:
            return ""
        return database.content_hash()

    @property
    def is_judged(self) -> bool:
        """Whether doing nothing can be told from doing right."""
        return self.gold not in ("", self.untouched) if self.is_change else bool(self.label)


def affinity(kind: str) -> str:
    """The declared type of a column, if it is one."""
    return kind if KIND.fullmatch(kind) else "TEXT"


def cell(value: Any) -> Any:
    """A value as SQLite takes it."""
    return value if value is None or type(value) in (int, float, str) else str(value)


class World:
    """One question or change."""

    def __init__(self, item: Item) -> None:
        self.item = item
        self.database = Database(item.table)
        self.committed: list[str] | None = None
        self.has_changed = False

    def act(self, call: Any) -> Json:
        """Execute a call."""
        if self.committed is not None:
            return refusal(OVER, "finished")
        if call.tool == COMMIT:
            return self.commit(call.arguments.get("answers"))
        query = call.arguments.get("query")
        if not isinstance(query, str):
            return refusal("query: must be a text", "schema")
        return self.execute(query)

    def commit(self, answers: Any) -> Json:
        """Take the final answer."""
        if not isinstance(answers, list):
            return refusal("answers: must be a list of texts", "schema")
        self.committed = [str(one) for one in answers]
        return {"observation": "The final answer was received.", "done": True}

    def execute(self, query: str) -> Json:
        """Run a statement."""
        answer: Answer = self.database.run(query)
        if answer.error is not None:
            return refusal(answer.error, "sql")
        self.has_changed = self.has_changed or bool(answer.changed)
        return {"observation": show(answer)}

    def next_gold(self) -> Json:
        """Next call of the gold policy."""
        if self.item.is_change and not self.has_changed:
            return {"tool": QUERY, "arguments": {"query": self.item.label[0]}}
        return {"tool": COMMIT, "arguments": {"answers": self.item.label}}

    def snapshot(self) -> str:
        """The whole state as canonical JSON."""
        return compact([self.committed, self.has_changed, json.loads(self.database.dump())])

    def restore(self, state: bytes) -> None:
        """Return to a state."""
        self.committed, self.has_changed, rows = json.loads(state)
        self.database.load(rows)

    def verdict(self) -> Json:
        """Whether the answer is right and the table is as it should be."""
        parts = {
            "committed": self.committed is not None,
            "table": self.database.content_hash() == self.item.gold,
        }
        if not self.item.is_change:
            parts["answer"] = is_same(self.committed or [], self.item.label)
        return {"reward": float(all(parts.values())), "parts": parts}


def show(answer: Answer) -> str:
    """What a statement gave, as text of bounded length."""
    if answer.rows is None:
        return f"{answer.changed or 0} rows changed"
    text = str(list(answer.rows)).encode("utf-8", "replace").decode()
    if len(text) <= SHOWN_CHARS and not answer.has_more:
        return text
    return f"{text[:SHOWN_CHARS]}… (cut off; ask for fewer rows)"


def is_same(given: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether answers are those of the label in any order, read as the benchmark reads them."""
    left, right = ([plain(one) for one in side] for side in (given, wanted))
    numbers = [number for number in map(as_number, [*left, *right]) if number is not None]
    if not left or len(numbers) < len(left) + len(right):
        return bool(left) and set(left) == set(right)
    pairs = zip(sorted(numbers[: len(left)]), sorted(numbers[len(left) :]), strict=False)
    return len(left) == len(right) and all(abs(one - two) <= CLOSE for one, two in pairs)


def plain(text: str) -> str:
    """An answer without percent signs and separators of thousands; nothing is 0."""
    text = text.strip().strip("'\"").removesuffix("%").strip().replace(",", "")
    return "0" if text.lower() in NOTHING else text


def as_number(text: str) -> float | None:
    """The number a text is."""
    try:
        return float(text)
    except ValueError:
        return None


class Environment:
    """The items of the file that can be judged; a family for each kind of question or change."""

    name = "agentbench_db"
    system_prompt = SYSTEM_PROMPT
    tools = TOOLS
    step_budget = 20
    is_forkable = True
    terminal_tools = (COMMIT,)

    def __init__(self, path: Path) -> None:
        file = path if path.is_file() else path / FILE
        self.fingerprint = fingerprint_of(
            self.name, [digest(file), sqlite3.sqlite_version], MODULES
        )
        found = [item for item in read_items(file) if item.is_judged]
        self.items = {f"{self.name}/{item.kind.lower()}/{item.number}": item for item in found}

    def tasks(self) -> list[Json]:
        """All tasks, families interleaved; their splits are drawn by hash."""
        return interleaved(
            [{"task_id": task_id, "text": item.text} for task_id, item in self.items.items()]
        )

    def start(self, task: Any, seed: int) -> World:  # noqa: ARG002
        """Begin a task; nothing is left to chance."""
        return World(self.items[task["task_id"]])

    def expert_call(self, task: Any, world: World) -> Json:  # noqa: ARG002
        """Next gold call."""
        return world.next_gold()

    def gold_texts(self) -> list[str]:
        """Right answers and gold statements."""
        return sorted({text for item in self.items.values() for text in item.label})


def read_items(file: Path) -> list[Item]:
    """The items of a file.

    Raises:
        WrongData: a line is no item, or its table cannot be made.
    """
    found = []
    for number, line in enumerate(read_text(file).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            item = Item(number, json.loads(line))
            _ = item.untouched
        except (ValueError, KeyError, TypeError, IndexError, sqlite3.Error) as error:
            reason = f"{type(error).__name__}: {error}"
            message = f"{file}, line {number}: no item of DBBench with a table: {reason}"
            raise WrongData(message) from error
        found.append(item)
    if not found:
        message = f"{file} holds no items"
        raise WrongData(message)
    return found


def create() -> Environment:
    """DBBench over the file of the user."""
    return Environment(own_path())
