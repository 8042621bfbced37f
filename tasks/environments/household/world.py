"""One running episode of the household: a state, the commands it admits, what they do to it."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from schemas.errors import EnvironmentFault
from schemas.ids import canonical_json
from tasks.agent.protocols import ActResult, Call, Verdict
from tasks.environments.embedded.narrowing import narrow_to
from tasks.environments.household.checker import judge
from tasks.environments.household.problems import LAMP, NAME, Problem
from tasks.environments.household.things import (
    APPLIANCES,
    CLOSABLE,
    kind_of,
    preposition,
    with_article,
)

TOOL = "take_action"
ARGUMENT = "action"
NOTHING = "Nothing happens."
MIDDLE = "the middle of the room"
MAX_COMMAND = 200
_DONE = {"clean": "clean", "heat": "hot", "cool": "cold"}


@dataclass
class State:
    """Everything that changes.

    Attributes:
        at: place the agent stands at; empty in the middle of the room.
        hand: item it holds; empty when none.
        where: place of each item that is not held.
        marks: what was done to items, by item.
        opened: closable places that are open.
        known: places whose content the agent has been told.
        is_lit: whether the lamp is on.
    """

    at: str
    hand: str
    where: dict[str, str]
    marks: dict[str, list[str]]
    opened: list[str]
    known: list[str]
    is_lit: bool


class HouseholdWorld:
    """Holds the state of one episode."""

    def __init__(self, problem: Problem, check: Callable[[Call], ActResult | None]) -> None:
        self.problem = problem
        self.state = State("", "", dict(problem.items), {}, [], [], is_lit=False)
        self._check = check
        self._admissible: tuple[str, ...] | None = None

    @property
    def opening(self) -> str:
        """Where the agent is and what it can go to."""
        told = f"You stand in {MIDDLE}. You can see: {', '.join(self.problem.places)}."
        lamp = self.problem.lamp_place
        return f"{told} There is a {LAMP} on the {lamp}." if lamp else told

    def act(self, call: Call) -> ActResult:
        """Execute a call; whatever is not admissible changes nothing."""
        if self.is_over():
            return ActResult("The task is over.", True, "finished", True)
        refusal = None if _is_plain(call) else self._check(call)
        if refusal is not None:
            return refusal
        command = " ".join(call.arguments[ARGUMENT].lower().split())
        if command not in self.admissible():
            return ActResult(NOTHING, True, "inadmissible")
        observation = self._execute(command)
        if not self.is_over():
            return ActResult(observation)
        return ActResult(f"{observation} The task is done.", done=True)

    def is_over(self) -> bool:
        """Whether the goal is reached."""
        return self.verdict().outcome == "success"

    def is_reachable(self, place: str) -> bool:
        """Whether things can be put into a place and taken out of it."""
        return kind_of(place) not in CLOSABLE or place in self.state.opened

    def items_at(self, place: str) -> list[str]:
        """Items in a place, in the order of the problem."""
        where = self.state.where
        return [item for item, _ in self.problem.items if where.get(item) == place]

    def admissible(self) -> tuple[str, ...]:
        """Commands that do something now; what can be done here first."""
        if self._admissible is None:
            self._admissible = tuple(self._list())
        return self._admissible

    def _list(self) -> list[str]:
        here = [*self._with_things()]
        here += [f"go to {place}" for place in self.problem.places if place != self.state.at]
        return [*here, *self._looks(), "look", "inventory"]

    def _with_things(self) -> Iterator[str]:
        state, at = self.state, self.state.at
        if not at:
            return
        if not self.is_reachable(at):
            yield f"open {at}"
        elif state.hand:
            yield f"move {state.hand} to {at}"
        else:
            yield from (f"take {item} from {at}" for item in self.items_at(at))
        if state.hand:
            for verb, kind in APPLIANCES.items():
                if kind_of(at) == kind:
                    yield f"{verb} {state.hand} with {at}"
        if at == self.problem.lamp_place and not state.is_lit:
            yield f"use {LAMP}"

    def _looks(self) -> Iterator[str]:
        if self.state.at:
            if self.state.at in self.state.opened:
                yield f"close {self.state.at}"
            yield f"examine {self.state.at}"
        if self.state.hand:
            yield f"examine {self.state.hand}"

    def _execute(self, command: str) -> str:
        self._admissible = None
        verb, _, rest = command.partition(" ")
        return getattr(self, f"_do_{verb}")(rest)

    def _do_go(self, rest: str) -> str:
        self.state.at = rest.removeprefix("to ")
        return f"You walk to the {self.state.at}. {self._tell()}"

    def _tell(self) -> str:
        """Say what can be seen where the agent stands, and note that it was told."""
        at = self.state.at
        if not self.is_reachable(at):
            return f"The {at} is closed."
        if at not in self.state.known:
            self.state.known = sorted([*self.state.known, at])
        items = [with_article(item) for item in self.items_at(at)]
        if at == self.problem.lamp_place:
            items.append(f"a {LAMP}")
        where = preposition(at).capitalize()
        return f"{where} it you see {', '.join(items)}." if items else f"{where} it is nothing."

    def _do_open(self, place: str) -> str:
        self.state.opened = sorted([*self.state.opened, place])
        return f"The {place} is open now. {self._tell()}"

    def _do_close(self, place: str) -> str:
        self.state.opened.remove(place)
        return f"The {place} is closed now."

    def _do_take(self, rest: str) -> str:
        item, _, place = rest.partition(" from ")
        del self.state.where[item]
        self.state.hand = item
        return f"You now hold the {item} from the {place}."

    def _do_move(self, rest: str) -> str:
        item, _, place = rest.partition(" to ")
        self.state.where[item] = place
        self.state.hand = ""
        return f"The {item} is now {preposition(place)} the {place}."

    def _treat(self, verb: str, rest: str) -> str:
        item, _, place = rest.partition(" with ")
        marks = [
            mark for mark in self.state.marks.get(item, []) if verb == "clean" or mark == "clean"
        ]
        self.state.marks[item] = sorted({*marks, verb})
        return f"The {item} is {_DONE[verb]} now, thanks to the {place}."

    def _do_clean(self, rest: str) -> str:
        return self._treat("clean", rest)

    def _do_heat(self, rest: str) -> str:
        return self._treat("heat", rest)

    def _do_cool(self, rest: str) -> str:
        return self._treat("cool", rest)

    def _do_use(self, lamp: str) -> str:
        self.state.is_lit = True
        return f"The {lamp} shines on the {self.state.at}."

    def _do_look(self, rest: str) -> str:  # noqa: ARG002 - all commands are called alike
        at = self.state.at
        return f"You stand at the {at}. {self._tell()}" if at else self.opening

    def _do_inventory(self, rest: str) -> str:  # noqa: ARG002 - all commands are called alike
        hand = self.state.hand
        return f"You hold the {hand}." if hand else "Your hands are empty."

    def _do_examine(self, thing: str) -> str:
        if thing == self.state.at:
            return self._tell()
        marks = [_DONE[mark] for mark in self.state.marks.get(thing, [])]
        return f"The {thing} is {' and '.join(marks) or 'as you found it'}."

    def snapshot(self) -> bytes:
        """Task and state as canonical JSON."""
        return canonical_json([self.problem.task.task_id, vars(self.state)]).encode()

    def restore(self, state: bytes) -> None:
        """Return to a state of the same task."""
        task_id, loaded = json.loads(state)
        if task_id != self.problem.task.task_id:
            what = f"household: state of {task_id} given to {self.problem.task.task_id}"
            raise EnvironmentFault(what, hint="restore a state into a world of its own task")
        self.state = State(**loaded)
        self._admissible = None

    def verdict(self) -> Verdict:
        """Judge the present state."""
        parts: dict[str, Any] = judge(self.problem, self.state)
        is_right = all(parts.values())
        return Verdict("success" if is_right else "failure", float(is_right), parts)


def _is_plain(call: Call) -> bool:
    """Whether a call is so plain that its schema need not be asked."""
    text = call.arguments.get(ARGUMENT)
    is_short = isinstance(text, str) and len(text) <= MAX_COMMAND
    return call.tool == TOOL and is_short and len(call.arguments) == 1


as_household = narrow_to(NAME, HouseholdWorld)
