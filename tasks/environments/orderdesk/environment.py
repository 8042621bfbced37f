"""The desk as a blueprint: its tools, its policy, its problems, its worlds, its expert."""

from collections.abc import Iterator
from typing import Any

from schemas.fields import Split
from tasks.agent.protocols import ToolSpec
from tasks.environments.embedded.frame import Blueprint
from tasks.environments.embedded.splits import draw_split
from tasks.environments.orderdesk.customer import AGAIN
from tasks.environments.orderdesk.desk import REASONS, WRITES
from tasks.environments.orderdesk.expert import next_call
from tasks.environments.orderdesk.families import FAMILIES
from tasks.environments.orderdesk.faults import SIMULATION
from tasks.environments.orderdesk.problems import NAME, Problem, draw_problem
from tasks.environments.orderdesk.reskin import reskin_problem
from tasks.environments.orderdesk.world import HANDOVER_TOOL, TALK_TOOL, DeskWorld, as_desk

POLICY = """You work at the desk of a mail-order shop. You talk with one customer at a time.

Policy:
- Customers are known by their email address.
- No change of an order without the explicit confirmation of its customer.
- Orders can be cancelled while they are pending.
- Items of delivered orders can be exchanged for other versions of the same product, and returned \
within 30 days of delivery.
- Refunds go to the payment method of the order.
- What the policy does not provide for is not done.
- Colleagues take over whatever is not about orders."""

_TEXT = {"type": "string", "maxLength": 200}
_TEXTS = {"type": "array", "items": _TEXT, "minItems": 1, "maxItems": 20}


def _tool(name: str, description: str, **properties: Any) -> ToolSpec:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return ToolSpec(name, description, schema | {"additionalProperties": False})


TOOLS = (
    _tool("find_customer", "Find a customer.", email=_TEXT),
    _tool("get_customer", "Show an account.", customer_id=_TEXT),
    _tool("get_order", "Show an order.", order_id=_TEXT),
    _tool("get_product", "Show the versions of a product.", product_id=_TEXT),
    _tool(
        "cancel_order",
        "Cancel an order.",
        order_id=_TEXT,
        reason={"type": "string", "enum": list(REASONS)},
    ),
    _tool(
        "return_items",
        "Take items back.",
        order_id=_TEXT,
        item_ids=_TEXTS,
        payment_id=_TEXT,
    ),
    _tool(
        "exchange_items",
        "Exchange items.",
        order_id=_TEXT,
        item_ids=_TEXTS,
        new_item_ids=_TEXTS,
        payment_id=_TEXT,
    ),
    _tool("change_payment", "Change how an order is paid.", order_id=_TEXT, payment_id=_TEXT),
    _tool(TALK_TOOL, "Speak to the customer.", message={"type": "string", "maxLength": 4000}),
    _tool(HANDOVER_TOOL, "Pass the talk on.", summary={"type": "string", "maxLength": 4000}),
)


def make_problems(split: Split) -> tuple[Problem, ...]:
    """All problems of a split."""
    return draw_split(split, FAMILIES, draw_problem)


def gold_texts(problem: Problem) -> Iterator[str]:
    """The answer, and what the right change names."""
    yield problem.wish.email
    yield from problem.orders
    if problem.answer:
        yield problem.answer
    if problem.call is not None:
        yield from problem.call.arguments.get("new_item_ids", ())


BLUEPRINT: Blueprint[Problem, DeskWorld] = Blueprint(
    name=NAME,
    package="tasks.environments.orderdesk",
    tools=TOOLS,
    system_prompt=POLICY,
    step_budget=14,
    draw=make_problems,
    open=DeskWorld,
    narrow=as_desk,
    policy=next_call,
    simulation=SIMULATION,
    terminal_tools=frozenset({HANDOVER_TOOL}),
    non_progress=(AGAIN,),
    gold=gold_texts,
    reskin=reskin_problem,
    write_tools=frozenset(WRITES),
    handover_tools=frozenset({HANDOVER_TOOL}),
    talk_tools=frozenset({TALK_TOOL}),
    order_constraints=tuple(("get_order", write) for write in WRITES),
)
