"""One running episode of the desk: books, talk, and what has been looked at."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from schemas.errors import EnvironmentFault
from schemas.ids import canonical_json
from tasks.agent.protocols import ActResult, Call, Verdict
from tasks.environments.embedded.narrowing import narrow_to
from tasks.environments.orderdesk.checker import judge
from tasks.environments.orderdesk.customer import Answer, answer
from tasks.environments.orderdesk.desk import READS, WRITES
from tasks.environments.orderdesk.problems import NAME, Problem
from tasks.environments.orderdesk.shop import Books

TALK_TOOL = "respond"
HANDOVER_TOOL = "transfer_to_human"


@dataclass
class State:
    """Everything that changes.

    Attributes:
        books: the books as they are.
        read: ids of records that were shown.
        told: facts that the customer has told, `agreed` among them.
        last_said: the agent's last message.
        end: how the talk ended; empty while it goes on.
        is_known: whether the customer was found by the email address.
        is_changed: whether a change was made.
        is_unasked: whether one was made before the customer agreed.
    """

    books: Books
    read: list[str] = field(default_factory=list[str])
    told: list[str] = field(default_factory=list[str])
    last_said: str = ""
    end: str = ""
    is_known: bool = False
    is_changed: bool = False
    is_unasked: bool = False


class DeskWorld:
    """Holds the state of one episode."""

    opening = ""

    def __init__(self, problem: Problem, check: Callable[[Call], ActResult | None]) -> None:
        self.problem = problem
        self.state = State(problem.books)
        self._check = check

    @property
    def is_agreed(self) -> bool:
        """Whether the customer has agreed to a change."""
        return "agreed" in self.state.told

    def act(self, call: Call) -> ActResult:
        """Execute a call; what the shop refuses is an error result."""
        if self.state.end:
            return ActResult("The talk is over.", True, "finished", True)
        refusal = self._check(call)
        if refusal is not None:
            return refusal
        if call.tool == TALK_TOOL:
            return self._say(call.arguments["message"])
        if call.tool == HANDOVER_TOOL:
            self.state.end = "handover"
            return ActResult("A colleague takes over.", done=True)
        if call.tool in READS:
            return self._read(call)
        return self._write(call)

    def _say(self, message: str) -> ActResult:
        told, own = tuple(self.state.told), tuple(self.problem.books["orders"])
        answered: Answer = answer(self.problem.wish, own, told, message)
        self.state.told = list(answered.told)
        self.state.last_said = message.encode("utf-8", "replace").decode()
        if answered.is_over:
            self.state.end = answered.act
        return ActResult(answered.text, done=answered.is_over)

    def _read(self, call: Call) -> ActResult:
        found = READS[call.tool](self.state.books, **call.arguments)
        if isinstance(found, str):
            return ActResult(found, True, "not_found")
        shown = next(iter(found.values()))
        if call.tool == "find_customer":
            self.state.is_known = True
        elif shown not in self.state.read:
            self.state.read = [*self.state.read, shown]
        return ActResult(json.dumps(found, ensure_ascii=False, sort_keys=True))

    def _write(self, call: Call) -> ActResult:
        books, refusal = WRITES[call.tool](self.state.books, **call.arguments)
        if refusal:
            return ActResult(refusal, True, "refused")
        self.state.books = books
        self.state.is_changed = True
        self.state.is_unasked = self.state.is_unasked or not self.is_agreed
        order_id = call.arguments["order_id"]
        status = books["orders"][order_id]["status"]
        return ActResult(json.dumps({"order_id": order_id, "status": status}))

    def admissible(self) -> tuple[str, ...] | None:
        """Calls cannot be listed."""
        return None

    def snapshot(self) -> bytes:
        """Task and state as canonical JSON."""
        return canonical_json([self.problem.task.task_id, vars(self.state)]).encode()

    def restore(self, state: bytes) -> None:
        """Return to a state of the same task."""
        task_id, loaded = json.loads(state)
        if task_id != self.problem.task.task_id:
            what = f"orderdesk: state of {task_id} given to {self.problem.task.task_id}"
            raise EnvironmentFault(what, hint="restore a state into a world of its own task")
        self.state = State(**loaded)

    def verdict(self) -> Verdict:
        """Judge the present state."""
        parts: dict[str, Any] = judge(self.problem, self.state)
        is_right = all(parts.values())
        return Verdict("success" if is_right else "failure", float(is_right), parts)


as_desk = narrow_to(NAME, DeskWorld)
