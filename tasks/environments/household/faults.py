"""The fault side of the household: where faults can strike, and what they make of a command."""

import re

from tasks.agent.protocols import Call
from tasks.agent.simulated_prose import write_as_text
from tasks.agent.simulated_world import Slip, View
from tasks.environments.embedded.faults import (
    FaultTable,
    Opportunity,
    Spoil,
    always,
    call_slip,
    table_of,
)
from tasks.environments.household.expert import (
    bring,
    is_untreated,
    light,
    missing_items,
    target_of,
    use_appliance,
)
from tasks.environments.household.fault_kinds import KINDS
from tasks.environments.household.fault_words import DONE, loosen, mistake_verb
from tasks.environments.household.household_cues import CUES
from tasks.environments.household.things import APPLIANCES, ITEM_KINDS, kind_of
from tasks.environments.household.world import ARGUMENT, TOOL, HouseholdWorld, as_household

_WORD = re.compile(r"[a-z]{3,}")


def skill_fit(name: str, description: str, view: View, world: HouseholdWorld) -> float:
    """Count the words a skill shares with the task and with what is to be done."""
    due = set(_WORD.findall(view.task.family))
    due |= {world.problem.goal.treatment} - {""}
    offered = set(_WORD.findall(f"{name} {description}".lower()))
    task = set(_WORD.findall(view.task.text.lower()))
    return len(offered & due) + 0.3 * len(offered & task)


def _command(view: View) -> str:
    return str(view.expert.arguments[ARGUMENT])


def _after_other(view: View, world: HouseholdWorld) -> float | None:  # noqa: ARG001
    return 1.0 if view.last is not None and view.last != view.expert else None


def _at_new_place(view: View, world: HouseholdWorld) -> float | None:
    place = _command(view).removeprefix("go to ")
    is_new = place != _command(view) and place not in world.state.known
    return 1.0 if is_new and _others(world) else None


def _others(world: HouseholdWorld) -> list[str]:
    """Two known places a search can go to and fro between, the present one left out."""
    known, at = world.state.known, world.state.at
    return [place for place in known[:2] if place != at]


def _with_one_in_hand(view: View, world: HouseholdWorld) -> float | None:
    return 1.0 if _command(view).startswith("go to ") and _second(world) else None


def _second(world: HouseholdWorld) -> str:
    """Another wanted item in reach while one is held; empty when there is none."""
    if world.problem.goal.count < 2 or not world.state.hand:
        return ""
    here = [item for item in missing_items(world) if world.state.where[item] == world.state.at]
    return here[0] if here else ""


def _at_closed(view: View, world: HouseholdWorld) -> float | None:  # noqa: ARG001
    return 1.0 if _command(view).startswith("open ") else None


def _untreated(treatment: str) -> Opportunity[HouseholdWorld]:
    def opportunity(view: View, world: HouseholdWorld) -> float | None:  # noqa: ARG001
        goal = world.problem.goal
        if goal.treatment != treatment:
            return None
        if world.state.hand and kind_of(world.state.hand) == goal.item:
            return 1.0 if is_untreated(world) else None
        return 0.0 if _is_misplaced(world, goal.item) else None

    return opportunity


def _is_misplaced(world: HouseholdWorld, kind: str) -> bool:
    """Whether an item of a kind lies where the wanted one should, and the goal is not reached."""
    goal_place = world.problem.goal.place
    where = world.state.where
    return any(kind_of(i) == kind and kind_of(p) == goal_place for i, p in where.items())


def _at_twin(view: View, world: HouseholdWorld) -> float | None:
    twin = _twin(world)
    if kind_of(world.state.hand) == twin or _is_misplaced(world, twin):
        return 0.0
    is_choice = _command(view).startswith("take ") and bool(_twins_here(world))
    return 1.0 if is_choice else None


def _twin(world: HouseholdWorld) -> str:
    return ITEM_KINDS[world.problem.goal.item].twin


def _twins_here(world: HouseholdWorld) -> list[str]:
    return [item for item in world.items_at(world.state.at) if kind_of(item) == _twin(world)]


def _at_verb(*verbs: str) -> Opportunity[HouseholdWorld]:
    def opportunity(view: View, world: HouseholdWorld) -> float | None:  # noqa: ARG001
        return 1.0 if _command(view).split(" ", 1)[0] in verbs else None

    return opportunity


_OPPORTUNITIES: dict[str, Opportunity[HouseholdWorld]] = {
    "repetition": _after_other,
    "search_loop": _at_new_place,
    "second_item": _with_one_in_hand,
    "closed_place": _at_closed,
    "skipped_clean": _untreated("clean"),
    "skipped_heat": _untreated("heat"),
    "skipped_cool": _untreated("cool"),
    "wrong_object": _at_twin,
    "wrong_take": _at_verb("take"),
    "wrong_move": _at_verb("move"),
    "loose_command": _at_verb("go", "open", "take"),
    "prose_call": always,
}


def _do(command: str) -> Slip:
    return call_slip(TOOL, {ARGUMENT: command})


def _repeat(view: View, world: HouseholdWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    """Give the last command again when it still does something, else look around again."""
    last = str(view.last.arguments.get(ARGUMENT)) if view.last is not None else ""
    return _do(last if last in world.admissible() else "look")


def _go_back(view: View, world: HouseholdWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    return _do(f"go to {_others(world)[0]}")


def _take_second(view: View, world: HouseholdWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    return _do(f"take {_second(world)} from {world.state.at}")


def _ignore_door(view: View, world: HouseholdWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    at, hand = world.state.at, world.state.hand
    if hand:
        return _do(f"move {hand} to {at}")
    return _do(f"take {world.problem.goal.item} 1 from {at}")


def _skip_treatment(view: View, world: HouseholdWorld, roll: float, detail: str) -> Slip:
    if not world.state.hand:
        return _claim(view, roll)
    wrong = [place for place in world.problem.places if detail and kind_of(place) == detail]
    if wrong:
        return _do(use_appliance(world, wrong[0]))
    return _do(bring(world, target_of(world)))


def _claim(view: View, roll: float) -> Slip:
    """Believe that all is done: say so, or look around."""
    if roll < 0.6:
        return Slip(text=DONE[int(roll / 0.6 * len(DONE))])
    return _do(("look", "inventory")[view.streak % 2])


def _take_twin(view: View, world: HouseholdWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    state, goal = world.state, world.problem.goal
    if kind_of(state.hand) != _twin(world):
        twins = _twins_here(world)
        is_choice = not state.hand and twins and not _is_misplaced(world, _twin(world))
        return _do(f"take {twins[0]} from {state.at}") if is_choice else _claim(view, roll)
    if not goal.place:
        return _claim(view, roll) if state.is_lit else _do(light(world))
    if goal.treatment and goal.treatment not in state.marks.get(state.hand, []):
        kind = APPLIANCES[goal.treatment]
        place = next(place for place in world.problem.places if kind_of(place) == kind)
        return _do(use_appliance(world, place))
    return _do(bring(world, target_of(world)))


def _mistake_verb(view: View, world: HouseholdWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    return _do(mistake_verb(_command(view), roll, detail))


def _loosen(view: View, world: HouseholdWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    return _do(loosen(_command(view), roll, detail))


def _quoted_line(call: Call) -> str:
    return f"> {call.arguments[ARGUMENT]}"


def _action_line(call: Call) -> str:
    return f"Action: {call.arguments[ARGUMENT]}"


def _announced(call: Call) -> str:
    return f"Next I {call.arguments[ARGUMENT]}."


def _fenced(call: Call) -> str:
    return f"```\n{call.arguments[ARGUMENT]}\n```"


def _in_prose(view: View, world: HouseholdWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    shapes = (_quoted_line, _action_line, _announced, _fenced)
    return Slip(text=write_as_text(view.expert, roll, *shapes))


_SPOILS: dict[str, Spoil[HouseholdWorld]] = {
    "repetition": _repeat,
    "search_loop": _go_back,
    "second_item": _take_second,
    "closed_place": _ignore_door,
    "skipped_clean": _skip_treatment,
    "skipped_heat": _skip_treatment,
    "skipped_cool": _skip_treatment,
    "wrong_object": _take_twin,
    "wrong_take": _mistake_verb,
    "wrong_move": _mistake_verb,
    "loose_command": _loosen,
    "prose_call": _in_prose,
}
SIMULATION = FaultTable(table_of(KINDS, _OPPORTUNITIES, _SPOILS), CUES, as_household, skill_fit)
