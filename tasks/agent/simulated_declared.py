"""Faults for worlds that have a policy and no faults of their own, from what they declare.

The world declares tools with schemas, terminal tools and order constraints, and nothing else is
known of it. Which tools a tier is weak at is drawn from their names, so that two tiers are weak at
different ones. Each kind has cures in one layer or two:

    alias:TOOL       another name for the tool           contract, actions (rewrite)
    shape:TOOL       arguments of another shape          contract, actions (rewrite)
    prose            the call is written as text         actions (rescue)
    again            the last call is made again         regulation (hint)
    early:A:B        B is called where A is due          contract, skills
    done_in_words    says it is done, ends nothing       contract, regulation (force)
    wrong_value      a value that is not right           none

How long episodes are and how many tools they use is not known either. So chances fade with the
opportunities an episode had: a call that was made right is known, and success lies in the same
bands whether a task takes five calls or twenty.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import cast
from weakref import WeakKeyDictionary

from tasks.agent.protocols import Call, Environment, JsonObject, RawCall, ToolSpec
from tasks.agent.simulated_declared_cues import (
    AGAIN,
    ALIAS,
    EARLY,
    IN_WORDS,
    SHAPE,
    DeclaredCues,
    alias_of,
)
from tasks.agent.simulated_prose import write_as_text
from tasks.agent.simulated_world import (
    ANY_FAMILY,
    TIERS,
    Cue,
    FaultKind,
    Slip,
    Source,
    Tier,
    View,
)

PROSE, WRONG = "prose", "wrong_value"
WEAK_AT: Mapping[str, float] = {ALIAS: 0.3, SHAPE: 0.3}
"""Shares of the tools that a tier is weak at in each way; it knows the others."""
RATES: Mapping[str, tuple[float, float, float]] = {
    ALIAS: (0.22, 0.15, 0.12),
    SHAPE: (0.22, 0.15, 0.12),
    PROSE: (0.48, 0.36, 0.50),
    AGAIN: (0.06, 0.05, 0.05),
    EARLY: (0.40, 0.34, 0.18),
    IN_WORDS: (0.40, 0.34, 0.44),
    WRONG: (0.10, 0.10, 0.10),
}
"""Chances at the first opportunity for the tiers weak, mid and strong."""
FADE: Mapping[str, float] = {
    ALIAS: 0.4,
    SHAPE: 0.4,
    PROSE: 0.3,
    AGAIN: 0.8,
    EARLY: 0.5,
    IN_WORDS: 1.0,
    WRONG: 0.5,
}
WEIGHTS: Mapping[str, Mapping[Source, float]] = {
    ALIAS: {"system": 0.6, "tools": 0.6, "skill": 0.6, "recent": 1.0},
    SHAPE: {"system": 1.0, "tools": 1.0, "skill": 0.6, "recent": 1.0},
    PROSE: {},
    AGAIN: {"recent": 1.0},
    EARLY: {"skill": 1.0, "system": 0.5, "tools": 0.5, "recent": 0.8},
    IN_WORDS: {"system": 0.8, "tools": 0.6, "skill": 0.6, "recent": 1.0},
    WRONG: {},
}
DONE = (
    "The task is complete.",
    "Done. Everything has been taken care of.",
    "I have finished, nothing else is needed.",
    "All set!",
)
_WORD = re.compile(r"[a-z]{4,}")
_known: "WeakKeyDictionary[Environment, DeclaredSimulation]" = WeakKeyDictionary()


def declared_simulation(environment: Environment) -> "DeclaredSimulation":
    """The simulation of an environment; the same one each time, as its readings are cached."""
    found = _known.get(environment)
    if found is None:
        found = _known[environment] = DeclaredSimulation(environment)
    return found


class DeclaredSimulation:
    """Implements `tasks.agent.simulated_world.Simulation`."""

    def __init__(self, environment: Environment) -> None:
        self._name = environment.name
        self._tools = {tool.name: tool for tool in environment.tools}
        self._terminal = environment.terminal_tools & self._tools.keys()
        order = [(str(a), str(b)) for a, b in getattr(environment, "order_constraints", ())]
        self._cues = DeclaredCues(environment.tools, environment.terminal_tools, order)
        early = [f"{a}:{b}" for a, b in order if {a, b} <= self._tools.keys()]
        by_tool = [(how, tool) for how in (ALIAS, SHAPE) for tool in self._tools]
        self.kinds: tuple[FaultKind, ...] = (
            _general(AGAIN),
            *(self._kind(how, tool) for how, tool in by_tool if self._can(how, tool)),
            _general(PROSE),
            *(_general(EARLY, pair) for pair in early),
            _general(IN_WORDS),
            replace(_general(WRONG), is_sticky=False),
        )

    def _can(self, how: str, tool: str) -> bool:
        if tool in self._terminal:
            return False
        return how != SHAPE or bool(self._tools[tool].parameters.get("properties"))

    def _kind(self, how: str, tool: str) -> FaultKind:
        rates = self._where_weak(how, tool)
        return FaultKind(f"{how}:{tool}", rates, WEIGHTS[how], fade=FADE[how])

    def _where_weak(self, how: str, tool: str) -> dict[str, dict[Tier, float]]:
        rates = zip(TIERS, RATES[how], strict=True)
        return {
            ANY_FAMILY: {tier: rate * (self._weakness(tier, tool) == how) for tier, rate in rates}
        }

    def _weakness(self, tier: Tier, tool: str) -> str:
        """The way in which a tier is weak at a tool; empty when it is not."""
        roll = _draw(self._name, tier, tool)
        for how, share in WEAK_AT.items():
            if roll < share:
                return how
            roll -= share
        return ""

    def opportunity(self, kind: str, view: View) -> float | None:
        """Tell where a fault can strike."""
        how, _, what = kind.partition(":")
        tool, last = view.expert.tool, view.last
        match how:
            case "alias" | "shape":
                return 1.0 if tool == what else None
            case "prose":
                return 1.0 if tool not in self._terminal else None
            case "again":
                is_other = last is not None and last != view.expert
                return 1.0 if is_other and tool not in self._terminal else None
            case "early":
                return 1.0 if tool == what.partition(":")[0] else None
            case "done_in_words":
                return 1.0 if tool in self._terminal else None
            case _:
                return 1.0 if _values(view.expert) and tool not in self._terminal else None

    def slip(self, kind: str, view: View, roll: float, detail: str) -> Slip:
        """Say what the fault makes of the expert's call."""
        how, _, what = kind.partition(":")
        make = _SLIPS.get(how)
        if make is not None:
            return make(view, roll, detail)
        if how == SHAPE:
            return _call(view.expert.tool, _bend(view.expert, self._tools[what], roll))
        after = self._tools[what.partition(":")[2]]
        return _call(after.name, _guess(view.expert, after))

    def read(self, text: str, source: Source) -> tuple[Cue, ...]:
        """Read the facts of a text."""
        return self._cues.read(text, source)

    def skill_fit(self, name: str, description: str, view: View) -> float:
        """Count the words a skill shares with the task and its family."""
        offered = set(_WORD.findall(f"{name} {description}".lower()))
        family = set(_WORD.findall(view.task.family.lower()))
        task = set(_WORD.findall(view.task.text.lower()))
        return len(offered & family) + 0.3 * len(offered & task)


def _general(how: str, what: str = "") -> FaultKind:
    """A kind that every task of every tier knows."""
    rates = {ANY_FAMILY: dict(zip(TIERS, RATES[how], strict=True))}
    return FaultKind(f"{how}:{what}" if what else how, rates, WEIGHTS[how], fade=FADE[how])


def _draw(*parts: str) -> float:
    """Uniform number in [0, 1) that the parts determine."""
    return int.from_bytes(hashlib.sha256("\x1f".join(parts).encode()).digest()[:7], "big") / 2**56


def _call(tool: str, arguments: JsonObject) -> Slip:
    return Slip(calls=(RawCall(tool, json.dumps(arguments, ensure_ascii=False)),))


def _by_alias(view: View, roll: float, detail: str) -> Slip:  # noqa: ARG001
    return _call(detail or alias_of(view.expert.tool), view.expert.arguments)


def _in_prose(view: View, roll: float, detail: str) -> Slip:  # noqa: ARG001
    return Slip(text=write_as_text(view.expert, roll))


def _once_more(view: View, roll: float, detail: str) -> Slip:  # noqa: ARG001
    last = view.last or view.expert
    return _call(last.tool, last.arguments)


def _claim(view: View, roll: float, detail: str) -> Slip:  # noqa: ARG001
    return Slip(text=DONE[int(roll * len(DONE))])


def _mistake(view: View, roll: float, detail: str) -> Slip:  # noqa: ARG001
    """One value is taken for another."""
    values = _values(view.expert)
    name = values[int(roll * len(values))]
    value = view.expert.arguments[name]
    wrong = f"{value} (old)" if isinstance(value, str) else value + 1
    return _call(view.expert.tool, {**view.expert.arguments, name: wrong})


_SLIPS: Mapping[str, Callable[[View, float, str], Slip]] = {
    ALIAS: _by_alias,
    PROSE: _in_prose,
    AGAIN: _once_more,
    IN_WORDS: _claim,
    WRONG: _mistake,
}


def _values(call: Call) -> list[str]:
    """Arguments that hold a text or a number."""
    given = call.arguments
    return [k for k in given if isinstance(given[k], str | int | float) and given[k] not in (0, 1)]


def _bend(call: Call, tool: ToolSpec, roll: float) -> JsonObject:
    """Give the arguments another shape: one under another name, or all as texts."""
    given = call.arguments
    if not given:
        return {"input": ""}
    typed = [name for name in given if not isinstance(given[name], str)]
    if typed and roll < 0.5:
        return {name: _as_text(value) for name, value in given.items()}
    name = list(given)[int(roll * len(given)) % len(given)]
    other = alias_of(name) if alias_of(name) not in tool.parameters["properties"] else f"{name}_"
    return {(other if key == name else key): value for key, value in given.items()}


def _as_text(value: object) -> object:
    if isinstance(value, list):
        return ", ".join(str(item) for item in cast("list[object]", value))
    return value if isinstance(value, str) else json.dumps(value)


def _guess(call: Call, tool: ToolSpec) -> JsonObject:
    """Arguments for a tool that is called too early: what is at hand, else a guess."""
    names = tool.parameters.get("required") or ()
    at_hand = next((value for value in call.arguments.values()), "unknown")
    return {str(name): call.arguments.get(str(name), at_hand) for name in names}
