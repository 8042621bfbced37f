"""The web shop as a blueprint: its tools, its problems, its worlds, its expert."""

from collections.abc import Iterator

from schemas.fields import Split
from tasks.agent.protocols import ToolSpec
from tasks.environments.embedded.frame import Blueprint
from tasks.environments.embedded.splits import draw_split
from tasks.environments.webshop.expert import next_call
from tasks.environments.webshop.faults import SIMULATION
from tasks.environments.webshop.problems import FAMILIES, NAME, Problem, draw_problem
from tasks.environments.webshop.reskin import reskin_problem
from tasks.environments.webshop.world import (
    CLICK_TOOL,
    ELEMENT,
    MAX_TEXT,
    NO_ELEMENT,
    NOTHING_FOUND,
    QUERY,
    SEARCH_TOOL,
    ShopWorld,
    as_shop,
)


def _tool(name: str, description: str, argument: str) -> ToolSpec:
    schema = {
        "type": "object",
        "properties": {argument: {"type": "string", "maxLength": MAX_TEXT}},
        "required": [argument],
        "additionalProperties": False,
    }
    return ToolSpec(name, description, schema)


TOOLS = (
    _tool(SEARCH_TOOL, "Search the shop.", QUERY),
    _tool(CLICK_TOOL, "Click something on the page.", ELEMENT),
)


def make_problems(split: Split) -> tuple[Problem, ...]:
    """All problems of a split."""
    return draw_split(split, FAMILIES, draw_problem)


def gold_texts(problem: Problem) -> Iterator[str]:
    """The item that is right, as it is opened."""
    yield f"open item {problem.target}"


BLUEPRINT: Blueprint[Problem, ShopWorld] = Blueprint(
    name=NAME,
    package="tasks.environments.webshop",
    tools=TOOLS,
    system_prompt="You shop in a web shop for somebody. You are given one order; one step a turn.",
    step_budget=14,
    draw=make_problems,
    open=ShopWorld,
    narrow=as_shop,
    policy=next_call,
    simulation=SIMULATION,
    non_progress=(NOTHING_FOUND, NO_ELEMENT),
    gold=gold_texts,
    reskin=reskin_problem,
)
