"""tau-bench v1's retail and airline desks over the user's own checkout, with a scripted user.

The tools, the policy, the records and the tasks are those of the checkout; its code runs, and
nothing that a model writes does. The user of the benchmark is a language model: numbers made with
the script are not comparable with published ones.
"""

import json
import pickle
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from absent_packages import pretend
from calls import Json, compact, own_tool, refusal, refuse_expression
from fingerprints import fingerprint_of
from gold_plan import Plan
from own_files import WrongData, digest, own_path
from scripted_user import ScriptedUser, as_first_person, sentences
from splits import by_hash, halves
from time_limit import TooLong, time_limit

MODULES = (
    "absent_packages",
    "calls",
    "gold_plan",
    "own_files",
    "scripted_user",
    "splits",
    "tau_bench_desk",
    "time_limit",
)
RESPOND, DONE, TRANSFER = "respond", "done", "transfer_to_human_agents"
TASKS = {
    "retail": {"test": "TASKS_TEST", "dev": "TASKS_DEV", "train": "TASKS_TRAIN"},
    "airline": {"test": "TASKS"},
}
CALL_S = 5.0
OVER = "The conversation is over."
INSTRUCTIONS = (
    f"You serve a customer and keep to the policy. Talk to the customer with `{RESPOND}`: its"
    f" result is the answer. Call `{DONE}` when everything the customer came for is dealt with, or"
    " has been refused with the reason."
)


class World:
    """One conversation: the user opens with the reason of the call, then says who they are."""

    def __init__(self, environment: "Environment", task: Any) -> None:
        self.environment, self.task = environment, task
        self.records = environment.first_records()
        self.plan = Plan([(one.name, one.kwargs) for one in task.actions if one.name != RESPOND])
        self.user = ScriptedUser(script_of(task.instruction)[1:])
        self.is_over = False

    def act(self, call: Any) -> Any:
        """Execute a call."""
        tool, arguments = call.tool, dict(call.arguments)
        if self.is_over:
            return refusal(OVER, "finished")
        if tool == RESPOND:
            return self.user.answer(str(arguments.get("message", "")))
        self.is_over = tool in (DONE, TRANSFER)
        self.plan.hear(tool, arguments)
        if tool == DONE:
            return {"observation": OVER, "done": True}
        return self.environment.carry_out(self.records, tool, arguments) | {"done": self.is_over}

    def next_gold(self) -> Json:
        """Next call of the gold policy: all actions, a last word, the end; a transfer ends it."""
        call = self.plan.call()
        if call is not None and call["tool"] != TRANSFER:
            return call
        if not self.user.said:
            message = " ".join(["This is done.", *self.task.outputs])
            return {"tool": RESPOND, "arguments": {"message": message}}
        return call or {"tool": DONE, "arguments": {}}

    def snapshot(self) -> str:
        """The whole state as canonical JSON: what was said, and records that have changed."""
        changes = self.environment.changes(self.records)
        return compact([self.is_over, self.plan.place, self.user.said, changes])

    def restore(self, state: bytes) -> None:
        """Return to a state."""
        self.is_over, self.plan.place, self.user.said, changes = json.loads(state)
        self.records = self.environment.first_records()
        for table, records in changes.items():
            for key, record in records:
                if record is None:
                    del self.records[table][key]
                else:
                    self.records[table][key] = record

    def verdict(self) -> Json:
        """Whether the records are as after the gold actions and the user was told what is due.

        Where the gold actions change nothing, they must all have been made and the user told.
        """
        gold = self.environment.gold_changes(self.task)
        told = [one.lower().replace(",", "") for one in self.user.said]
        parts = {
            "ended": self.is_over,
            "records": self.environment.changes(self.records) == gold,
            "told": all(any(due.lower() in one for one in told) for due in self.task.outputs),
        }
        if not any(gold.values()):
            parts["justified"] = self.plan.is_met and bool(self.user.said)
        return {"reward": float(all(parts.values())), "parts": parts}


def script_of(instruction: str) -> list[str]:
    """Why the user calls, who the user is, and the rest, as the user says it.

    Instructions begin with who the user is and go on with what the user wants.
    """
    who, *rest = sentences(as_first_person(instruction)) or [""]
    return [rest[0] if rest else who, who, " ".join(rest[1:])]


class Environment:
    """The conversations of one desk.

    Splits: retail's test split is sealed, its dev split select, and its train split is divided by
    hash into train and select. Airline has a test split only, which is divided 40/40/20 by hash.
    """

    step_budget = 40
    is_forkable = True
    terminal_tools = (DONE, TRANSFER)
    handover_tools = (TRANSFER,)
    talk_tools = (RESPOND,)

    def __init__(self, domain: str, path: Path) -> None:
        self.name = f"tau_bench_{domain}_scripted"
        folder = path / "tau_bench" / "envs" / domain
        load, kit, policy, self.problems = read_checkout(path, domain)
        self.pristine = pickle.dumps(load())
        self.first = self.first_records()
        self.kit = {one.get_info()["function"]["name"]: one for one in kit}
        self.system_prompt = f"{INSTRUCTIONS}\n\n{policy}"
        message = {"type": "string", "description": "What the customer is told or asked."}
        talk = own_tool(RESPOND, "Say something to the customer.", message=message)
        self.tools = [*(one.get_info() for one in kit), talk]
        self.tools.append(own_tool(DONE, "End the conversation."))
        content = digest(*sorted(one for one in folder.rglob("*") if is_content(one)))
        self.fingerprint = fingerprint_of(self.name, [content], MODULES)
        self.gold: dict[int, Json] = {}

    def first_records(self) -> Json:
        """The records as every conversation finds them."""
        return pickle.loads(self.pristine)

    def carry_out(self, records: Json, tool: str, arguments: Json) -> Json:
        """Execute a call of one of the desk's tools."""
        if reason := refuse_expression(tool, arguments):
            return refusal(reason, "execution")
        try:
            with time_limit(CALL_S):
                text = str(self.kit[tool].invoke(data=records, **arguments))
        except TooLong:
            text = f"Error: no result in {CALL_S:g} s"
        except Exception as error:
            text = f"Error: {error}"
        if text.startswith("Error"):
            return refusal(text, "execution")
        return {"observation": text}

    def changes(self, records: Json) -> Json:
        """Records that are not as at first, by table; null for one that is gone."""
        found = {}
        for name, first in self.first.items():
            now = records[name]
            new = [key for key in now if key not in first]
            keys = [key for key in first if key not in now or now[key] != first[key]]
            found[name] = [[key, now.get(key)] for key in [*keys, *new]]
        return found

    def gold_changes(self, task: Any) -> Json:
        """What the gold actions change."""
        if id(task) not in self.gold:
            records = self.first_records()
            for action in task.actions:
                if action.name not in (RESPOND, TRANSFER):
                    self.carry_out(records, action.name, action.kwargs)
            self.gold[id(task)] = self.changes(records)
        return self.gold[id(task)]

    def tasks(self) -> list[Json]:
        """All tasks."""
        return [
            {
                "task_id": f"{self.name}/talks/{task_id}",
                "text": script_of(task.instruction)[0],
                "split": self.splits[task_id],
            }
            for task_id, task in self.problems.items()
        ]

    @property
    def splits(self) -> dict[str, str]:
        """Split of each conversation."""
        return draw_splits(tuple(self.problems))

    def start(self, task: Any, seed: int) -> World:  # noqa: ARG002
        """Begin a conversation; nothing is left to chance."""
        return World(self, self.problems[task["task_id"].partition("/talks/")[2]])

    def expert_call(self, task: Any, world: World) -> Json:  # noqa: ARG002
        """Next gold call."""
        return world.next_gold()

    def gold_texts(self) -> list[str]:
        """What the user must be told."""
        return sorted({text for task in self.problems.values() for text in task.outputs})


def is_content(path: Path) -> bool:
    """Whether a file of the checkout determines an episode."""
    return path.suffix in (".py", ".json", ".md")


@cache
def draw_splits(ids: tuple[str, ...]) -> dict[str, str]:
    """Split of each `official-number`."""
    official: dict[str, list[str]] = {}
    for one in ids:
        official.setdefault(one.partition("-")[0], []).append(one)
    if set(official) == {"test"}:
        return by_hash(official["test"])
    drawn = halves(official["train"])
    drawn |= dict.fromkeys(official["dev"], "select")
    return drawn | dict.fromkeys(official["test"], "sealed")


def read_checkout(path: Path, domain: str) -> tuple[Any, Any, str, dict[str, Any]]:
    """Loader of the records, tools, policy and tasks of a desk.

    Raises:
        WrongData: the checkout has another layout.
    """
    pretend("litellm")
    sys.path.insert(0, str(path))
    package = f"tau_bench.envs.{domain}"
    try:
        load = import_module(f"{package}.data").load_data
        kit = import_module(f"{package}.tools").ALL_TOOLS
        policy = import_module(f"{package}.wiki").WIKI
        found = {
            f"{split}-{number}": task
            for split, name in TASKS[domain].items()
            for number, task in enumerate(getattr(import_module(f"{package}.tasks_{split}"), name))
        }
    except Exception as error:
        message = f"{path} is no checkout of tau-bench: {type(error).__name__}: {error}"
        raise WrongData(message) from error
    return load, kit, policy, found


def retail() -> Environment:
    """Orders, exchanges, returns."""
    return Environment("retail", own_path())


def airline() -> Environment:
    """Bookings, changes, refunds."""
    return Environment("airline", own_path())
