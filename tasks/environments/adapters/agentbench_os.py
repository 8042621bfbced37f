"""AgentBench's OS interaction over the user's own checkout, each task in a sandbox of its own.

The benchmark runs its tasks in containers of Ubuntu; here the programs are those of this machine.
So a task counts only where it can be prepared, is solved by its own example, and is not solved
by doing nothing: that is tried when the world is installed.
"""

import contextlib
import json
import os
import re
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from agentbench_os_items import Item, as_text, read_items
from calls import Json, compact, own_tool, refusal
from fingerprints import fingerprint_of
from own_files import WrongData, own_path
from sandbox import Machine, NoMachine, accounts
from splits import by_hash, interleaved

MODULES = (
    "agentbench_os",
    "agentbench_os_items",
    "calls",
    "own_files",
    "sandbox",
    "sandbox_inside",
    "splits",
)
BASH, ANSWER, FINISH = "bash_action", "answer_action", "finish_action"
ARGUMENTS = {BASH: "script", ANSWER: "answer", FINISH: "thought"}
SHOWN_CHARS = 800
SCRIPT_S, CHECK_S = 10.0, 30.0
TRIED = "tried.json"
OVER = "The task is over."
GONE = "The machine is down."
EMPTY = "The output is empty."
CUT = "\n[cut off, as the output is too long]"
LATE = f"\n[no end in {SCRIPT_S:g} s; the shell was begun anew]"
SYSTEM_PROMPT = (
    f"You work as root in a shell of a Linux machine. `{BASH}` runs a script in it and gives what"
    f" it writes; no script may wait for input. Answer a question with `{ANSWER}`; when something"
    f" was to be done and is done, call `{FINISH}`. Either ends the task."
)
TOOLS = [
    own_tool(BASH, "Run a bash script.", script={"type": "string"}),
    own_tool(ANSWER, "Give the answer and end the task.", answer={"type": "string"}),
    own_tool(FINISH, "End a task in which something was to be done.", thought={"type": "string"}),
]


class World:
    """One task on a machine of its own."""

    def __init__(self, item: Item) -> None:
        self.item = item
        self.machine = Machine()
        self.calls: list[Any] = []
        self.answer: str | None = None
        self.is_over, self.is_down = False, False
        self.told = ""
        self.judged: bool | None = None
        self.prepare()

    def prepare(self) -> None:
        """Bring the machine to where the agent finds it."""
        self.machine.alone(["bash", "-c", accounts()], CHECK_S)
        for script in self.item.first:
            done = self.machine.alone(script.words(), CHECK_S)
            if done["code"] != 0:
                said = str(done["out"]).strip()[-SHOWN_CHARS:]
                message = f"task {self.item.number} cannot be prepared on this machine: {said}"
                raise RuntimeError(message)
        if self.item.start is not None:
            self.machine.script(self.item.start.text, SCRIPT_S)

    def act(self, call: Any) -> Json:
        """Execute a call."""
        if self.is_over:
            return refusal(OVER, "finished")
        if call.tool not in ARGUMENTS:
            return refusal(f"there is no tool {call.tool}", "unknown_tool")
        name = ARGUMENTS[call.tool]
        given = call.arguments.get(name)
        if not isinstance(given, str):
            return refusal(f"{name}: must be a text", "schema")
        self.calls.append([call.tool, given])
        if call.tool == BASH:
            return self.run(given)
        self.is_over = True
        self.answer = given if call.tool == ANSWER else None
        return {"observation": OVER, "done": True}

    def run(self, script: str) -> Json:
        """Run a script of the agent; one that ends the machine ends the task."""
        try:
            done = self.machine.script(script, SCRIPT_S)
        except NoMachine:
            self.is_over = self.is_down = True
            return refusal(GONE, "execution") | {"done": True}
        self.told = str(done["out"]).strip()
        text = self.told[:SHOWN_CHARS] + (CUT if len(self.told) > SHOWN_CHARS else "")
        return {"observation": (text or EMPTY) + (LATE if done["code"] is None else "")}

    def next_gold(self) -> Json:
        """Next call of the gold policy: the example, then the answer it gives, or the end."""
        item = self.item
        if item.match is not None:
            return {"tool": ANSWER, "arguments": {"answer": str(item.match.get("answer", ""))}}
        if not self.calls:
            script = item.example.text if item.example else ":"
            return {"tool": BASH, "arguments": {"script": script}}
        if item.is_asking:
            return {"tool": ANSWER, "arguments": {"answer": self.told}}
        return {"tool": FINISH, "arguments": {"thought": ""}}

    def snapshot(self) -> str:
        """What was done so far: a machine cannot be copied."""
        return compact([self.item.number, self.calls])

    def verdict(self) -> Json:
        """Whether the answer matches or every check ends well; asked once: checks change things."""
        if self.is_over and self.judged is None:
            self.judged = not self.is_down and self.is_right()
        return {"reward": float(self.judged or False), "parts": {"ended": self.is_over}}

    def is_right(self) -> bool:
        """Judge as the benchmark does."""
        match = self.item.match
        if match is not None:
            given = self.answer or ""
            given = given.strip() if match.get("strip") else given
            if "answer" in match:
                return given == match["answer"]
            return re.search(match["regex"], given) is not None
        told = [str(self.answer)]
        for check in self.item.checks:
            script = check or self.item.example
            if script is None:
                return False
            try:
                done = self.machine.alone(script.words(*told), CHECK_S)
            except NoMachine:
                return False
            if done["code"] != 0:
                return False
            told.append(done["out"])
        return True

    def close(self) -> None:
        """End the machine."""
        self.machine.close()


class Call:
    """A call of the gold policy."""

    def __init__(self, made: Json) -> None:
        self.tool, self.arguments = made["tool"], made["arguments"]


def is_sound(item: Item) -> bool:
    """Whether gold passes a task here and doing nothing does not."""
    try:
        with contextlib.closing(World(item)) as idle:
            idle.act(Call({"tool": FINISH, "arguments": {"thought": ""}}))
            if idle.verdict()["reward"] > 0:
                return False
        with contextlib.closing(World(item)) as world:
            while not world.is_over:
                world.act(Call(world.next_gold()))
            return world.verdict()["reward"] > 0
    except (RuntimeError, NoMachine):
        return False


def sound_items(items: Mapping[str, Item], system: str) -> list[str]:
    """Items that are sound here; tried once, then kept beside the world's packages."""
    text = [as_text(item) for item in items.values()]
    key = fingerprint_of("tried", [system, *text], MODULES)
    place = Path(sys.prefix) / TRIED
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        kept = json.loads(place.read_text(encoding="utf-8"))
        if kept["key"] == key:
            return list(kept["sound"])
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        tried = list(pool.map(is_sound, items.values()))
    found = [one for one, good in zip(items, tried, strict=True) if good]
    with contextlib.suppress(OSError):
        draft = place.with_suffix(f".{os.getpid()}")
        draft.write_text(json.dumps({"key": key, "sound": found}), encoding="utf-8")
        draft.replace(place)
    return found


def this_system() -> str:
    """Name and version of the system whose programs the tasks use."""
    with contextlib.suppress(OSError):
        return Path("/etc/os-release").read_text(encoding="utf-8")
    return "unknown"


class Environment:
    """The tasks that are sound on this machine; a family for each set of the checkout."""

    name = "agentbench_os"
    system_prompt = SYSTEM_PROMPT
    tools = TOOLS
    step_budget = 8
    terminal_tools = (ANSWER, FINISH)
    write_tools = (BASH,)
    non_progress = (GONE, OVER)
    noise = "scripts see the clock, process numbers and one another's pace"
    together = 16

    def __init__(self, path: Path) -> None:
        with contextlib.closing(Machine()) as machine:
            machine.alone(["true"], CHECK_S)
        found, system = read_items(path), this_system()
        sound = sound_items(found, system)
        if not sound:
            message = f"no task of {path} can be prepared and solved on this machine"
            raise WrongData(message)
        self.items = {f"{self.name}/{one.partition('-')[0]}/{one}": found[one] for one in sound}
        parts = [system, *(as_text(item) for item in self.items.values())]
        self.fingerprint = fingerprint_of(self.name, parts, MODULES)

    def tasks(self) -> list[Json]:
        """All tasks, families interleaved; their splits are drawn by hash."""
        splits = by_hash(list(self.items))
        return interleaved(
            [
                {"task_id": task_id, "text": item.text, "split": splits[task_id]}
                for task_id, item in self.items.items()
            ]
        )

    def start(self, task: Any, seed: int) -> World:  # noqa: ARG002
        """Begin a task on a new machine."""
        return World(self.items[task["task_id"]])

    def expert_call(self, task: Any, world: World) -> Json:  # noqa: ARG002
        """Next gold call."""
        return world.next_gold()

    def gold_texts(self) -> list[str]:
        """Right answers and examples."""
        answers = {str((item.match or {}).get("answer", "")) for item in self.items.values()}
        examples = {item.example.text for item in self.items.values() if item.example}
        return sorted((answers | examples) - {""})


def create() -> Environment:
    """The tasks of the user's checkout."""
    return Environment(own_path())
