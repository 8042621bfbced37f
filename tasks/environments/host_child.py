"""Runs a user's worlds in the user's interpreter: JSON lines on stdin and stdout, nothing else.

This file is started by path with an interpreter that has none of our packages, so it imports only
the standard library and its neighbour, and runs on Python 3.8. What the user's code prints goes to
stderr.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import inspect
import json
import os
import queue
import sys
import threading
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
from host_wire import (
    describe_error,
    is_worded,
    listen,
    plain,
    put_user_first,
    send,
    take_over_streams,
)

SPLITS = ("train", "select", "sealed")
FIXED = (
    "name",
    "fingerprint",
    "tools",
    "system_prompt",
    "step_budget",
    "terminal_tools",
    "non_progress",
    "is_forkable",
)
OPTIONS = (
    "order_constraints",
    "write_tools",
    "handover_tools",
    "talk_tools",
    "noise",
    "together",
)
NEEDED = ("name", "tools", "tasks", "start")


class Shown:
    """A value of the protocol as the user's code gets it: attributes and keys alike."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)

    def __getitem__(self, key: str) -> Any:
        """Read a field as a key."""
        return self.__dict__[key]

    def get(self, key: str, default: Any = None) -> Any:
        """Read a field that may be missing."""
        return self.__dict__.get(key, default)

    def __repr__(self) -> str:
        """Show all fields."""
        return repr(self.__dict__)


class NoEnvironment(Exception):
    """What the factory returned cannot be used as an environment."""

    hint = "docs/environments.md"


def refuse_other(made: Any) -> None:
    """Refuse what lacks the attributes every environment needs."""
    missing = [name for name in NEEDED if not hasattr(made, name)]
    if not missing:
        return
    told = "None" if made is None else f"{type(made).__name__} without {', '.join(missing)}"
    expected = f"{', '.join(NEEDED[:-1])} and {NEEDED[-1]}"
    message = f"the factory returned {told}; expected an environment with {expected}"
    raise NoEnvironment(message)


class Host:
    """The user's environment and its running worlds."""

    def __init__(self, word: str) -> None:
        self.module_name, _, factory = word.partition(":")
        self.module = importlib.import_module(self.module_name)
        made: Any = self.module
        for part in factory.split("."):
            made = getattr(made, part)
        self.environment: Any = made() if callable(made) else made
        refuse_other(self.environment)
        self.worlds: dict[int, Any] = {}
        self.tasks: dict[str, Any] = {}

    def describe(self) -> dict[str, Any]:
        """Everything that does not change, tasks included."""
        environment = self.environment
        found = {name: plain(getattr(environment, name, None)) for name in FIXED}
        for name in OPTIONS:
            if hasattr(environment, name):
                found[name] = plain(getattr(environment, name))
        if callable(getattr(environment, "gold_texts", None)):
            found["gold_texts"] = plain(environment.gold_texts())
        found["has_expert"] = callable(getattr(environment, "expert_call", None))
        found["has_user"] = bool(getattr(environment, "has_user", False))
        return {**found, "tasks": self.list_tasks(), "source": self.hash_source()}

    def hash_source(self) -> str:
        """Hash of the factory's module; empty when its source is not there."""
        try:
            return hashlib.sha256(inspect.getsource(self.module).encode()).hexdigest()
        except (OSError, TypeError):
            return ""

    def list_tasks(self) -> list[Any]:
        """Tasks of all splits; an environment without splits is asked once."""
        list_them = self.environment.tasks
        takes_split = bool(inspect.signature(list_them).parameters)
        found = []
        for split in SPLITS if takes_split else (None,):
            for task in list_them(split) if takes_split else list_them():
                values = plain(task)
                if split is not None:
                    values["split"] = split
                self.tasks[str(values.get("task_id"))] = task
                found.append(values)
        return found

    def task_of(self, values: dict[str, Any]) -> Any:
        """The user's own task object."""
        if not self.tasks:
            self.list_tasks()
        given = self.tasks.get(values["task_id"])
        return Shown(values) if given is None else given

    def start(self, world: int, task: dict[str, Any], seed: int) -> dict[str, Any]:
        """Begin an episode."""
        self.worlds[world] = self.environment.start(self.task_of(task), seed)
        opening = getattr(self.worlds[world], "opening", "")
        return {"opening": plain(opening() if callable(opening) else opening)}

    def act(self, world: int, tool: str, arguments: dict[str, Any]) -> Any:
        """Execute a call."""
        return plain(self.worlds[world].act(Shown({"tool": tool, "arguments": arguments})))

    def user(self, world: int) -> Any:
        """What the user has been told and has said; null while it is not the user's turn."""
        ask = getattr(self.worlds[world], "user_turn", None)
        return plain(ask()) if callable(ask) else None

    def hear(self, world: int, words: str) -> Any:
        """Take what the user says."""
        return plain(self.worlds[world].hear(words))

    def admissible(self, world: int) -> Any:
        """List commands; null for a world that lists none."""
        ask = getattr(self.worlds[world], "admissible", None)
        return plain(ask()) if callable(ask) else None

    def snapshot(self, world: int) -> str | None:
        """The state as text; null for a world without snapshots.

        Bytes that are no UTF-8 travel as lone surrogates.
        """
        ask = getattr(self.worlds[world], "snapshot", None)
        if not callable(ask):
            return None
        state: Any = ask()
        if not isinstance(state, (bytes, str)):
            state = json.dumps(plain(state), sort_keys=True, separators=(",", ":"))
        data = state.encode("utf-8", "surrogatepass") if isinstance(state, str) else state
        return data.decode("utf-8", "surrogateescape")

    def restore(self, world: int, state: str) -> None:
        """Return to a state."""
        self.worlds[world].restore(state.encode("utf-8", "surrogateescape"))

    def verdict(self, world: int) -> Any:
        """Judge the present state."""
        return plain(self.worlds[world].verdict())

    def expert(self, world: int, task: dict[str, Any]) -> Any:
        """Next call of the user's policy."""
        return plain(self.environment.expert_call(self.task_of(task), self.worlds[world]))

    def close(self, world: int) -> None:
        """Forget a world."""
        end = getattr(self.worlds.pop(world, None), "close", None)
        if callable(end):
            end()


ASKED = frozenset(
    {"describe", "start", "act", "hear", "user", "admissible", "snapshot", "restore", "verdict"}
    | {"expert", "close"}
)
CHANGING = frozenset({"start", "act", "hear", "restore"})


def answer(host: Host, request: dict[str, Any]) -> dict[str, Any]:
    """Carry out one request."""
    op = request.pop("op")
    if op not in ASKED:
        return {"error": f"unknown request {op!r}"}
    try:
        done = {"ok": getattr(host, op)(**request)}
    except Exception as error:
        return {"error": describe_error(error, host.module_name)}
    return {**done, "look": look(host, request["world"])} if op in CHANGING else done


def look(host: Host, world: int) -> dict[str, Any]:
    """What is asked next anyway; what breaks here breaks again when it is asked by itself."""
    seen: dict[str, Any] = {}
    with contextlib.suppress(Exception):
        seen["snapshot"] = host.snapshot(world)
        seen["admissible"] = host.admissible(world)
        seen["user"] = host.user(world)
    return seen


def remedy(error: BaseException, word: str) -> str:
    """What to do about an environment that did not open."""
    if is_worded(error):
        return str(getattr(error, "hint"))  # noqa: B009
    module_name, _, factory = word.partition(":")
    if isinstance(error, ModuleNotFoundError) and f"{module_name}.".startswith(f"{error.name}."):
        return "check the name, and run in the folder that holds the module"
    code = f"import {module_name}"
    # An import that fails leaves no module behind, so the factory is what broke.
    if module_name in sys.modules:
        code += f"; {module_name}.{factory}()"
    return f'mend the module, or run `python -c "{code}"` to see the whole error'


def main() -> None:
    """Serve until stdin ends."""
    incoming, out = take_over_streams()
    lines: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=listen, args=(incoming, lines), daemon=True).start()
    put_user_first()
    sys.argv = sys.argv[1:]
    word = sys.argv[0]
    try:
        host = Host(word)
    except BaseException as error:
        module_name = word.partition(":")[0]
        send(out, 0, {"error": describe_error(error, module_name), "hint": remedy(error, word)})
        os._exit(1)
    send(out, 0, {"ok": True})
    while True:
        request = json.loads(lines.get())
        number = request.pop("id")
        send(out, number, answer(host, request))


if __name__ == "__main__":
    main()
