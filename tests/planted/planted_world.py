"""A depot with four planted faults, one for each layer; put this folder on the path to install it.

    family   fault                                                          its one cure
    weigh    the answer is written as a sentence                            contract
    shelve   the bay is guessed instead of looked up                        skills
    scan     calls are written as text                                      actions
    trace    the same call is made again and again                          regulation

Simulated models read cures by their facts: bare values in a list, `find_bay` before `place`, a hint
that a call was repeated. Calls in text heed no text at all, so only a rule that reads them helps.
"""

import json
import random
import re
from dataclasses import asdict, dataclass, field

from schemas.ids import canonical_json, sha256_hex
from tasks.agent.protocols import ActResult, Call, RawCall, Task, ToolSpec, Verdict
from tasks.agent.simulated_prose import write_as_text
from tasks.agent.simulated_reading import (
    affirmed,
    denied,
    order_of,
    passages,
    sentences,
    step_order,
    steps,
)
from tasks.agent.simulated_world import Cue, FaultKind, Slip, Tier
from tasks.environments.validation import make_check

NAME = "depot"
FAMILIES = ("weigh", "shelve", "scan", "trace")
SIZES = {"train": 96, "select": 160, "sealed": 80}
FIRST = {"train": 1, "select": 1001, "sealed": 2001}
GOODS = ("glass", "paint", "paper", "tools", "seeds", "cables", "toys", "cloth")
CURES = {"weigh": "contract", "shelve": "skills", "scan": "actions", "trace": "regulation"}


def _tool(name, description, **properties):
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return ToolSpec(name, description, schema | {"additionalProperties": False})


TEXT = {"type": "string"}
TOOLS = (
    _tool("look", "Read the sheet of a parcel.", parcel=TEXT),
    _tool("find_bay", "Say which bay takes goods of a kind.", goods=TEXT),
    _tool("place", "Bring a parcel to a bay.", parcel=TEXT, bay=TEXT),
    _tool("report", "Hand in.", values={"type": "array", "items": TEXT}),
)


@dataclass(frozen=True)
class Problem:
    """A task and what solves it; `bays` are bay codes by goods."""

    task: Task
    parcel: str
    goods: str
    weight: int
    bays: dict[str, str]

    @property
    def bay(self):
        return self.bays[self.goods]

    @property
    def answer(self):
        return {"weigh": str(self.weight), "scan": self.goods, "trace": self.bay}.get(
            self.task.family, ""
        )

    @property
    def plan(self):
        """The calls that solve it."""
        look, find = Call("look", {"parcel": self.parcel}), Call("find_bay", {"goods": self.goods})
        place = Call("place", {"parcel": self.parcel, "bay": self.bay})
        report = Call("report", {"values": [self.answer or "placed"]})
        before = {"weigh": [look], "scan": [look], "shelve": [find, place]}
        return [*before.get(self.task.family, [look, find, place]), report]


def _problem(split, family, number):
    rng = random.Random(f"{NAME}/{split}/{family}/{number}")
    codes = rng.sample([f"{letter}{digit}" for letter in "BCDFGH" for digit in range(1, 9)], 8)
    parcel, goods = f"P-{rng.randint(1000, 9999)}", rng.choice(GOODS)
    texts = {
        "weigh": f"How many kilograms does parcel {parcel} weigh?",
        "shelve": f"Parcel {parcel} holds {goods}. Shelve it where such goods belong.",
        "scan": f"Scan parcel {parcel} and name the goods inside.",
        "trace": f"Trace parcel {parcel}: bring it to the bay of its goods and name that bay.",
    }
    task = Task(f"{NAME}/{family}/{number:04d}", NAME, family, split, texts[family])
    return Problem(task, parcel, goods, rng.randint(11, 99), dict(zip(GOODS, codes, strict=True)))


@dataclass
class State:
    """What has happened; `done` are calls in the order they were made."""

    placed: str = ""
    reported: list[str] | None = None
    done: list[str] = field(default_factory=list)


class DepotWorld:
    """One episode."""

    opening = ""

    def __init__(self, problem, check):
        self.problem, self.state, self._check = problem, State(), check

    def act(self, call):
        refusal = self._check(call)
        if refusal is not None:
            return refusal
        arguments = call.arguments
        if call.tool == "report":
            self.state.reported = list(arguments["values"])
            return ActResult("report received", done=True)
        self.state.done.append(call.tool)
        if call.tool == "look":
            return self._look(arguments["parcel"])
        if call.tool == "find_bay":
            bay = self.problem.bays.get(arguments["goods"])
            return ActResult(f"bay {bay}") if bay else ActResult("no such goods", True, "unknown")
        self.state.placed = arguments["bay"]
        return ActResult("placed")

    def _look(self, parcel):
        if parcel != self.problem.parcel:
            return ActResult("no such parcel", True, "unknown")
        return ActResult(f"goods: {self.problem.goods}; kilograms: {self.problem.weight}")

    def admissible(self):
        return None

    def snapshot(self):
        return canonical_json([self.problem.task.task_id, asdict(self.state)]).encode()

    def restore(self, state):
        self.state = State(**json.loads(state)[1])

    def verdict(self):
        problem, state = self.problem, self.state
        parts = {"is_reported": state.reported is not None}
        if problem.answer:
            parts["is_answer_right"] = state.reported == [problem.answer]
        if problem.task.family in ("shelve", "trace"):
            parts["is_placed_right"] = state.placed == problem.bay
        is_right = all(parts.values())
        return Verdict("success" if is_right else "failure", float(is_right), parts)


def _rates(family: str, weak: float, mid: float, strong: float) -> dict[str, dict[Tier, float]]:
    return {family: {"weak": weak, "mid": mid, "strong": strong}}


class DepotSimulation:
    """Where the planted faults strike and what cures them."""

    kinds = (
        FaultKind(
            "sentence",
            _rates("weigh", 0.65, 0.55, 0.3),
            {"system": 1.0, "tools": 1.0, "skill": 0.2},
        ),
        FaultKind("guess", _rates("shelve", 0.7, 0.55, 0.3), {"skill": 1.0, "system": 0.2}),
        FaultKind("text", _rates("scan", 0.6, 0.5, 0.3)),
        FaultKind("again", _rates("trace", 0.6, 0.5, 0.3), {"recent": 1.0}),
    )

    def opportunity(self, kind, view):
        tool, last = view.expert.tool, view.last
        if kind == "sentence":
            return 1.0 if tool == "report" and view.world.problem.answer else None
        if kind == "guess":
            return 1.0 if tool == "find_bay" else None
        if kind == "again":
            return 1.0 if last is not None and last.tool != tool and tool != "report" else None
        return 1.0

    def slip(self, kind, view, roll, detail):
        problem = view.world.problem
        if kind == "sentence":
            said = (f"The answer is {problem.answer}.", f"It comes to {problem.answer} in all.")
            return _call("report", {"values": [said[int(roll * 2)]]})
        if kind == "guess":
            if view.world.state.placed:
                return _call("report", {"values": ["placed"]})
            return _call("place", {"parcel": problem.parcel, "bay": f"{problem.goods} bay"})
        if kind == "again":
            return _call(view.last.tool, view.last.arguments)
        return Slip(text=write_as_text(view.expert, roll))

    def read(self, text, source):
        cues = []
        for sentence in sentences(text):
            if _REPORT.search(sentence):
                if affirmed(sentence, _BARE) or denied(sentence, _PROSE):
                    cues.append(Cue("sentence", True))
                elif affirmed(sentence, _PROSE):
                    cues.append(Cue("sentence", False))
            if source == "recent" and _REPEATED.search(sentence):
                cues.append(Cue("again", True))
        orders = [order_of(passage, _FIND, _PLACE) for passage in passages(text)]
        orders.append(step_order(steps(text), _FIND, _PLACE))
        cues += [Cue("guess", order == "ab") for order in orders if order]
        return tuple(cues)

    def skill_fit(self, name, description, view):
        words = set(re.findall(r"[a-z]{4,}", f"{name} {description}".lower()))
        return float(len(words & set(re.findall(r"[a-z]{4,}", view.task.text.lower()))))


_I = re.IGNORECASE
_REPORT = re.compile(r"`?report`?|\bvalues\b", _I)
_BARE = re.compile(
    r"\b(?:bare|raw|plain|single) (?:values?|words?|numbers?)\b|\b(?:only|just) (?:the )?values?\b"
    r"|\[\s*\"[^\" ]{1,12}\"",
    _I,
)
_PROSE = re.compile(r"\bsentences?\b|\bprose\b|\bexplanations?\b|\[\s*\"(?:\w+ ){2,}", _I)
_FIND = re.compile(r"\bfind_bay\b", _I)
_PLACE = re.compile(r"\bplace\b", _I)
_REPEATED = re.compile(r"\bsame (?:call|result|action)\b|\brepeat\w*\b|\balready\b|\bagain\b", _I)


def _call(tool, arguments):
    return Slip(calls=(RawCall(tool, json.dumps(arguments)),))


class Depot:
    """The environment."""

    name = NAME
    tools = TOOLS
    system_prompt = "You work in a depot. Use the tools, then hand in."
    step_budget = 10
    terminal_tools = frozenset({"report"})
    non_progress: tuple[str, ...] = ()
    is_forkable = True
    simulation = DepotSimulation()

    def __init__(self):
        self._problems = {
            split: [
                _problem(split, family, FIRST[split] + number)
                for number in range(size // len(FAMILIES))
                for family in FAMILIES
            ]
            for split, size in SIZES.items()
        }
        every = [problem for some in self._problems.values() for problem in some]
        self._by_id = {problem.task.task_id: problem for problem in every}
        self._check = make_check(TOOLS)
        self.fingerprint = sha256_hex(canonical_json([asdict(problem) for problem in every]))[:16]

    def tasks(self, split):
        return tuple(problem.task for problem in self._problems[split])

    def start(self, task, seed):
        return DepotWorld(self._by_id[task.task_id], self._check)

    def expert_call(self, task, world):
        plan, done = world.problem.plan, set(world.state.done)
        return next((call for call in plan if call.tool not in done), plan[-1])

    def gold_texts(self):
        return tuple(problem.answer for problem in self._by_id.values() if problem.answer)


def create():
    """Entry point."""
    return Depot()
