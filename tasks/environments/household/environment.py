"""The household as a blueprint: its tool, its problems, its worlds, its policy."""

from collections.abc import Iterator

from schemas.fields import Split
from tasks.agent.protocols import Call, ToolSpec
from tasks.environments.embedded.frame import Blueprint
from tasks.environments.embedded.splits import draw_split
from tasks.environments.household.expert import next_command
from tasks.environments.household.faults import SIMULATION
from tasks.environments.household.problems import FAMILIES, NAME, Problem, draw_problem
from tasks.environments.household.reskin import reskin_problem
from tasks.environments.household.world import (
    ARGUMENT,
    MAX_COMMAND,
    NOTHING,
    TOOL,
    HouseholdWorld,
    as_household,
)

TOOLS = (
    ToolSpec(
        TOOL,
        "Do one thing in the room.",
        {
            "type": "object",
            "properties": {ARGUMENT: {"type": "string", "maxLength": MAX_COMMAND}},
            "required": [ARGUMENT],
            "additionalProperties": False,
        },
    ),
)


def make_problems(split: Split) -> tuple[Problem, ...]:
    """All problems of a split."""
    return draw_split(split, FAMILIES, draw_problem)


def next_call(world: HouseholdWorld) -> Call:
    """Next call of a policy that solves every task."""
    return Call(TOOL, {ARGUMENT: next_command(world)})


def gold_texts(problem: Problem) -> Iterator[str]:
    """Where the wanted items lie, as the commands that take them."""
    for item, place in problem.wanted:
        yield f"take {item} from {place}"


BLUEPRINT: Blueprint[Problem, HouseholdWorld] = Blueprint(
    name=NAME,
    package="tasks.environments.household",
    tools=TOOLS,
    system_prompt=(
        "You are in a household and are given one task. Act with the tool, one step a turn."
    ),
    step_budget=20,
    draw=make_problems,
    open=HouseholdWorld,
    narrow=as_household,
    policy=next_call,
    simulation=SIMULATION,
    non_progress=(NOTHING,),
    gold=gold_texts,
    reskin=reskin_problem,
)
