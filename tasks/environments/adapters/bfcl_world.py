"""BFCL v4 multi-turn conversations as environments: one for each category, one for all.

The user's turns are scripted. The agent ends a turn by calling `respond`; what the user says next
is the result. After each turn the state and the results are compared with those of the gold calls
by the package's own checkers, as in its evaluation.
"""

import json
from functools import cache
from typing import Any

import object_state
from bfcl_data import CATEGORIES, PACKAGE, Entry, Json, desks, entries, perform, split_of, tools
from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker import (
    response_checker,
    state_checker,
)
from calls import own_tool, refusal
from fingerprints import fingerprint
from time_limit import TooLong, time_limit

MODULES = ("bfcl_data", "bfcl_world", "calls", "object_state", "splits", "time_limit")
RESPOND = "respond"
CLOCKS = frozenset({"_last_modified"})
CALL_S = 5.0
OVER = "The conversation is over."
SYSTEM_PROMPT = (
    "You work for a user through tools. The user speaks in turns. Do what the turn asks for with"
    f" the tools, then call `{RESPOND}`: its result is what the user says next. When a request"
    f" cannot be carried out with the tools you have or lacks something only the user knows, say"
    f" so with `{RESPOND}` instead of guessing."
)
RESPOND_TOOL = own_tool(
    RESPOND,
    "Answer the user and end the turn. The result is what the user says next.",
    message={"type": "string", "description": "What the user is told."},
)


class World:
    """One conversation."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.desks = desks(entry)
        self.turn = 0
        self.done_of_turn = 0
        self.calls_of_turn = 0
        self.seen: list[str] = []
        self.failed = ""
        self._gold: tuple[int, dict[str, Any]] = (0, desks(entry))

    def act(self, call: Any) -> Any:
        """Execute a call."""
        if self.is_over:
            return refusal(OVER, "finished")
        if call.tool == RESPOND:
            return self.respond()
        if call.tool not in offered(self.entry):
            return refusal(f"There is no tool {call.tool}.", "unknown_tool")
        if self.entry.withheld.get(call.tool, 0) > self.turn:
            return refusal(f"{call.tool} is not available yet.", "unavailable")
        return self.perform(call.tool, dict(call.arguments))

    def perform(self, tool: str, arguments: Json) -> Json:
        """Call a tool and remember what the checkers will ask for."""
        self.calls_of_turn += 1
        plan = self.entry.gold[self.turn]
        if self.done_of_turn < len(plan) and plan[self.done_of_turn] == (tool, arguments):
            self.done_of_turn += 1
        try:
            with time_limit(CALL_S):
                text, is_error = perform(self.desks, tool, arguments)
        except TooLong:
            text, is_error = f"Error during execution: no result in {CALL_S:g} s", True
        if text in wanted(self.entry):
            self.seen.append(text)
        kind = "execution" if is_error else None
        return {"observation": text, "is_error": is_error, "error_kind": kind}

    def respond(self) -> Any:
        """End the turn; the user speaks."""
        self.failed = self.failed or self.fault_of_turn()
        self.turn += 1
        self.done_of_turn = self.calls_of_turn = 0
        if self.is_over:
            return {"observation": OVER, "done": True}
        return self.entry.turns[self.turn]

    @property
    def is_over(self) -> bool:
        """Whether the user has no more turns."""
        return self.turn >= len(self.entry.turns)

    def fault_of_turn(self) -> str:
        """What is wrong with the turn that ends; empty when nothing is."""
        plan = self.entry.gold[self.turn]
        gold = self.gold_after(self.turn + 1)
        if not plan:
            return ""
        if not self.calls_of_turn:
            return f"turn {self.turn}: nothing was done"
        if not state_checker(self.desks, gold)["valid"]:
            return f"turn {self.turn}: the state differs"
        results = gold_results(self.entry)[self.turn]
        if not response_checker(self.seen, results, self.turn)["valid"]:
            return f"turn {self.turn}: a result is missing"
        return ""

    def gold_after(self, turns: int) -> dict[str, Any]:
        """Instances after the gold calls of so many turns."""
        done, made = self._gold
        if done > turns:
            done, made = 0, desks(self.entry)
        for plan in self.entry.gold[done:turns]:
            for tool, arguments in plan:
                perform(made, tool, arguments)
        self._gold = (turns, made)
        return made

    def next_gold(self) -> Json:
        """Next call of the gold policy."""
        plan = () if self.is_over else self.entry.gold[self.turn]
        if self.done_of_turn < len(plan):
            tool, arguments = plan[self.done_of_turn]
            return {"tool": tool, "arguments": arguments}
        return {"tool": RESPOND, "arguments": {"message": "That is all for this turn."}}

    def snapshot(self) -> str:
        """The whole state as canonical JSON."""
        held = object_state.write(self.desks, PACKAGE, CLOCKS)
        place = [self.turn, self.done_of_turn, self.calls_of_turn, self.seen, self.failed]
        return json.dumps([place, held], separators=(",", ":"))

    def restore(self, state: bytes) -> None:
        """Return to a state."""
        place, held = json.loads(state)
        self.turn, self.done_of_turn, self.calls_of_turn, self.seen, self.failed = place
        self.desks = object_state.read(held, PACKAGE)

    def verdict(self) -> Json:
        """Whether every turn was carried out and answered."""
        failed = self.failed or ("" if self.is_over else f"turn {self.turn}: not ended")
        parts = {"turns": len(self.entry.turns), "ended": self.turn, "failed": failed}
        return {"reward": float(not failed), "parts": parts}


@cache
def offered(entry: Entry) -> tuple[str, ...]:
    """Names of the tools of a conversation."""
    found = [name for name, tool in tools().items() if tool["owner"] in entry.classes]
    return tuple(name for name in found if name not in entry.excluded)


@cache
def gold_results(entry: Entry) -> list[list[str]]:
    """Results of the gold calls, turn by turn."""
    made = desks(entry)
    return [[perform(made, tool, args)[0] for tool, args in plan] for plan in entry.gold]


@cache
def wanted(entry: Entry) -> frozenset[str]:
    """Results that a checker asks for."""
    return frozenset(text for turn in gold_results(entry) for text in turn)


class Environment:
    """The conversations of one category, or of all."""

    system_prompt = SYSTEM_PROMPT
    step_budget = 40
    is_forkable = True
    talk_tools = (RESPOND,)

    def __init__(self, name: str, categories: tuple[str, ...]) -> None:
        self.name = name
        self.entries: dict[str, Entry] = {}
        for category in categories:
            for entry in entries(category):
                family = category if len(categories) > 1 else entry.desk
                self.entries[f"{name}/{family}/{entry.number}"] = entry
        used = {owner for entry in self.entries.values() for owner in entry.classes}
        keys = ("name", "description", "parameters")
        known = [tool for tool in tools().values() if tool["owner"] in used]
        self.fingerprint = fingerprint(name, "bfcl-eval", MODULES)
        self.tools = [{key: tool[key] for key in keys} for tool in known] + [RESPOND_TOOL]

    def tasks(self) -> list[Json]:
        """All tasks, families interleaved."""
        ranked: dict[str, list[tuple[str, Entry]]] = {}
        for task_id, entry in self.entries.items():
            ranked.setdefault(task_id.split("/")[1], []).append((task_id, entry))
        rows = [row for family in ranked.values() for row in enumerate(family)]
        return [
            {
                "task_id": task_id,
                "text": entry.turns[0],
                "split": split_of(entry),
                "tools": [*offered(entry), RESPOND],
            }
            for _, (task_id, entry) in sorted(rows, key=lambda row: row[0])
        ]

    def start(self, task: Any, seed: int) -> World:  # noqa: ARG002
        """Begin a conversation; nothing is left to chance."""
        return World(self.entries[task["task_id"]])

    def expert_call(self, task: Any, world: World) -> Json:  # noqa: ARG002
        """Next gold call."""
        return world.next_gold()

    def gold_texts(self) -> list[str]:
        """Texts that gold calls write and no user says."""
        found: set[str] = set()
        for entry in self.entries.values():
            told = " ".join(entry.turns)
            for plan in entry.gold:
                for _, arguments in plan:
                    texts = (value for value in arguments.values() if isinstance(value, str))
                    found.update(text for text in texts if text not in told)
        return sorted(found)


def every_category() -> Environment:
    """All four categories; a family each."""
    return Environment("bfcl", CATEGORIES)


def base() -> Environment:
    """Every turn can be carried out as it is said."""
    return Environment("bfcl_base", ("base",))


def miss_func() -> Environment:
    """In one turn a tool that is needed comes only later."""
    return Environment("bfcl_miss_func", ("miss_func",))


def miss_param() -> Environment:
    """In one turn the user leaves out something that is needed."""
    return Environment("bfcl_miss_param", ("miss_param",))


def long_context() -> Environment:
    """Results are long."""
    return Environment("bfcl_long_context", ("long_context",))
