"""Solves every task; plans from the present state of the world, never by step number."""

from collections.abc import Mapping

from tasks.agent.protocols import Call
from tasks.environments.orderdesk.problems import Problem
from tasks.environments.orderdesk.world import TALK_TOOL, DeskWorld

_ASK: Mapping[str, str] = {
    "cancel_order": "Could you tell me your email, the order number and the reason?",
    "exchange_listed": (
        "Could you tell me your email, the order number, the items and the payment method?"
    ),
    "exchange_described": "Could you tell me your email, the order number and the version?",
    "find_order": "Could you tell me your email and what you know of the order?",
}
_ASK_ANYWAY = "Could you tell me your email and the order number?"


def next_call(world: DeskWorld) -> Call:
    """Ask, look up, propose, change, say so; or answer, or refuse."""
    problem, state = world.problem, world.state
    if state.is_changed:
        return say("It is done: the change has been made.")
    due = _next_look(world)
    if due is not None:
        return due
    if problem.kind == "answer":
        return say(f"The tracking number is {problem.answer}.")
    if problem.kind == "refuse":
        return refuse(problem)
    assert problem.call is not None
    return problem.call if world.is_agreed else propose(problem.call)


def _next_look(world: DeskWorld) -> Call | None:
    """The next question or read; null when all is known."""
    problem, state = world.problem, world.state
    if "email" not in state.told:
        return say(_ASK.get(problem.task.family, _ASK_ANYWAY))
    if not state.is_known:
        return Call("find_customer", {"email": problem.wish.email})
    if problem.needs_account and problem.customer_id not in state.read:
        return Call("get_customer", {"customer_id": problem.customer_id})
    unread = [one for one in problem.orders if one not in state.read]
    if unread:
        return Call("get_order", {"order_id": unread[0]})
    if problem.product_id and problem.product_id not in state.read:
        return Call("get_product", {"product_id": problem.product_id})
    return None


def say(message: str) -> Call:
    """Say something to the customer."""
    return Call(TALK_TOOL, {"message": message})


def refuse(problem: Problem) -> Call:
    """Say that what is wanted cannot be done."""
    return say(f"I am sorry, for order {problem.order_id} that cannot be done any more.")


def propose(call: Call) -> Call:
    """Say what would be changed, and ask for a yes."""
    parts = ", ".join(
        f"{name} {' and '.join(value) if isinstance(value, list) else value}"
        for name, value in call.arguments.items()
        if name != "order_id"
    )
    what = call.tool.replace("_", " ")
    return say(f"I would {what} for {call.arguments['order_id']} ({parts}). Shall I go ahead?")
