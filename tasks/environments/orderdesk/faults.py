"""The fault side of the desk: where faults can strike, and what they make of a call."""

import re
from collections.abc import Mapping
from typing import Any

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
from tasks.environments.orderdesk.expert import propose, refuse
from tasks.environments.orderdesk.fault_kinds import KINDS
from tasks.environments.orderdesk.orderdesk_cues import CUES
from tasks.environments.orderdesk.world import HANDOVER_TOOL, TALK_TOOL, DeskWorld, as_desk

_WORD = re.compile(r"[a-z]{4,}")
_OTHER_NAMES = {
    "email": ("mail", "email_address", "address"),
    "order_id": ("id", "order", "order_number"),
    "customer_id": ("id", "customer", "customer_number"),
    "product_id": ("id", "product", "product_number"),
    "message": ("text", "content", "reply"),
}
"""What arguments might as well be called."""
_OTHER_REASONS = ("changed mind", "customer request", "mistake", "not needed")
_SUMMARIES = ("The customer needs help with an order.", "This needs a person to decide.")


def skill_fit(name: str, description: str, view: View, world: DeskWorld) -> float:  # noqa: ARG001
    """Count the words a skill shares with what is to be done, then with what the customer says."""
    offered = set(_WORD.findall(f"{name} {description}".lower()))
    due = set(_WORD.findall(view.task.family)) - {"order"} | _DUE.get(view.task.family, set())
    task = set(_WORD.findall(view.task.text.lower()))
    shared = len(offered & due)
    return shared + 0.3 * len(offered & task) if shared else 0.0


_DUE: Mapping[str, set[str]] = {
    "exchange_described": {"version", "versions", "rather", "prefer"},
    "refuse_change": {"refusing", "changed", "mind"},
}


def _kind_is(world: DeskWorld, kind: str) -> bool:
    return world.problem.kind == kind


def _is_message(call: Call) -> bool:
    return call.tool == TALK_TOOL


def _after_other(view: View, world: DeskWorld) -> float | None:  # noqa: ARG001
    return 1.0 if view.last is not None and view.last != view.expert else None


def _before_look(view: View, world: DeskWorld) -> float | None:
    is_refusing = _kind_is(world, "refuse")
    return 1.0 if is_refusing and view.expert.tool == "get_order" else None


def _at_look_up(view: View, world: DeskWorld) -> float | None:  # noqa: ARG001
    return 1.0 if view.expert.tool == "get_product" else None


def _at_decision(view: View, world: DeskWorld) -> float | None:
    """Where it is settled what will be done: the proposal, or the refusal."""
    problem, expert = world.problem, view.expert
    if problem.kind == "refuse":
        return 1.0 if expert == refuse(problem) else None
    return _at_proposal(view, world)


def _at_proposal(view: View, world: DeskWorld) -> float | None:
    call = world.problem.call
    return 1.0 if call is not None and view.expert == propose(call) else None


def _at_result(view: View, world: DeskWorld) -> float | None:
    """The change, the answer, or the refusal."""
    problem, expert = world.problem, view.expert
    if problem.kind == "refuse":
        return 1.0 if expert == refuse(problem) else None
    if problem.kind == "answer":
        return (
            1.0 if _is_message(expert) and problem.answer in expert.arguments["message"] else None
        )
    return 1.0 if expert == problem.call else None


def _at_lists(view: View, world: DeskWorld) -> float | None:  # noqa: ARG001
    return 1.0 if len(view.expert.arguments.get("new_item_ids", ())) > 1 else None


def _at_reason(view: View, world: DeskWorld) -> float | None:  # noqa: ARG001
    return 1.0 if view.expert.tool == "cancel_order" else None


def _at_sole_argument(view: View, world: DeskWorld) -> float | None:  # noqa: ARG001
    return 1.0 if len(view.expert.arguments) == 1 else None


_OPPORTUNITIES: dict[str, Opportunity[DeskWorld]] = {
    "repetition": _after_other,
    "early_refusal": _before_look,
    "guessed_version": _at_look_up,
    "needless_handover": _at_decision,
    "unasked_change": _at_proposal,
    "wrong_choice": _at_result,
    "uneven_lists": _at_lists,
    "small_card": _at_lists,
    "unknown_reason": _at_reason,
    "misnamed_argument": _at_sole_argument,
    "prose_call": always,
}


def _make(call: Call, **changes: Any) -> Slip:
    return call_slip(call.tool, {**call.arguments, **changes})


def _repeat(view: View, world: DeskWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    return _make(view.last or view.expert)


def _refuse_early(view: View, world: DeskWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    return _make(refuse(world.problem))


def _guess(view: View, world: DeskWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    guess = world.problem.guess
    if guess is None:
        return _make(view.expert)
    return _make(guess if world.is_agreed else propose(guess))


def _hand_over(view: View, world: DeskWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    summary = _SUMMARIES[int(roll * len(_SUMMARIES))]
    return call_slip(HANDOVER_TOOL, {"summary": summary})


def _change_unasked(view: View, world: DeskWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    return _make(world.problem.call or view.expert)


def _choose_wrongly(view: View, world: DeskWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    return _make(world.problem.wrong or view.expert)


def _shorten(view: View, world: DeskWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    new = view.expert.arguments["new_item_ids"]
    return _make(view.expert, new_item_ids=new[:1] if roll < 0.7 else [*new, new[0]])


def _take_gift_card(view: View, world: DeskWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    methods = world.problem.books["customers"][world.problem.customer_id]["payment_methods"]
    gift = next(one for one in methods if "balance" in methods[one])
    return _make(view.expert, payment_id=gift)


def _give_other_reason(view: View, world: DeskWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    reason = detail or _OTHER_REASONS[int(roll * len(_OTHER_REASONS))]
    return _make(view.expert, reason=reason)


def _misname(view: View, world: DeskWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    ((name, value),) = view.expert.arguments.items()
    others = _OTHER_NAMES.get(name, ("value",))
    return call_slip(view.expert.tool, {detail or others[int(roll * len(others))]: value})


def _plain_speech(call: Call) -> str:
    return str(call.arguments["message"])


def _in_prose(view: View, world: DeskWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    if _is_message(view.expert):
        return Slip(text=write_as_text(view.expert, roll, *[_plain_speech] * 6))
    return Slip(text=write_as_text(view.expert, roll))


_SPOILS: dict[str, Spoil[DeskWorld]] = {
    "repetition": _repeat,
    "early_refusal": _refuse_early,
    "guessed_version": _guess,
    "needless_handover": _hand_over,
    "unasked_change": _change_unasked,
    "wrong_choice": _choose_wrongly,
    "uneven_lists": _shorten,
    "small_card": _take_gift_card,
    "unknown_reason": _give_other_reason,
    "misnamed_argument": _misname,
    "prose_call": _in_prose,
}
SIMULATION = FaultTable(table_of(KINDS, _OPPORTUNITIES, _SPOILS), CUES, as_desk, skill_fit)
