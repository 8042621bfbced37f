"""The SQL desk as a blueprint: its tools, its problems, its worlds, its policy."""

from collections.abc import Iterator

from schemas.fields import Split
from tasks.agent.protocols import ToolSpec
from tasks.environments.embedded.frame import Blueprint
from tasks.environments.embedded.splits import draw_split
from tasks.environments.sqldesk.expert import next_call
from tasks.environments.sqldesk.families import FAMILIES
from tasks.environments.sqldesk.faults import SIMULATION
from tasks.environments.sqldesk.problems import NAME, Problem, draw_problem
from tasks.environments.sqldesk.reskin import reskin_problem
from tasks.environments.sqldesk.world import FINAL_TOOL, QUERY_TOOL, SqlWorld, as_sql_world

TOOLS = (
    ToolSpec(
        QUERY_TOOL,
        "Run SQL on the SQLite database and return what it gives.",
        {
            "type": "object",
            "properties": {"query": {"type": "string", "maxLength": 20000}},
            "required": ["query"],
            "additionalProperties": False,
        },
    ),
    ToolSpec(
        FINAL_TOOL,
        "Hand in.",
        {
            "type": "object",
            "properties": {
                "answers": {
                    "type": "array",
                    "items": {"type": "string", "maxLength": 2000},
                    "maxItems": 200,
                }
            },
            "required": ["answers"],
            "additionalProperties": False,
        },
    ),
)


def make_problems(split: Split) -> tuple[Problem, ...]:
    """All problems of a split."""
    return draw_split(split, FAMILIES, draw_problem)


def gold_texts(problem: Problem) -> Iterator[str]:
    """The answers, and the statement that gives them or makes the change."""
    yield from problem.answers
    yield problem.draft.gold


BLUEPRINT: Blueprint[Problem, SqlWorld] = Blueprint(
    name=NAME,
    package="tasks.environments.sqldesk",
    tools=TOOLS,
    system_prompt="You work at a database desk. You are given one task about a table in SQLite.",
    step_budget=12,
    draw=make_problems,
    open=SqlWorld,
    narrow=as_sql_world,
    policy=next_call,
    simulation=SIMULATION,
    terminal_tools=frozenset({FINAL_TOOL}),
    non_progress=("0 rows affected",),
    gold=gold_texts,
    reskin=reskin_problem,
)
