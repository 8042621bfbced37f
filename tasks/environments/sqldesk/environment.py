"""The SQL desk as an environment: tasks, tools, worlds, expert."""

import inspect
from functools import lru_cache

from schemas.errors import ConfigError
from schemas.fields import Split
from schemas.ids import canonical_json, sha256_hex
from tasks.agent.protocols import Call, Task, ToolSpec, World
from tasks.agent.simulated_world import Simulation
from tasks.environments.sqldesk import checker
from tasks.environments.sqldesk.expert import next_call
from tasks.environments.sqldesk.faults import SqlDeskSimulation
from tasks.environments.sqldesk.problems import (
    GENERATOR_VERSION,
    NAME,
    SIZES,
    Problem,
    make_problems,
)
from tasks.environments.sqldesk.world import FINAL_TOOL, QUERY_TOOL, SqlWorld
from tasks.environments.validation import make_check

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
SYSTEM_PROMPT = "You work at a database desk. You are given one task about a table in SQLite."


@lru_cache(maxsize=1)
def _problems() -> dict[Split, tuple[Problem, ...]]:
    return {split: make_problems(split) for split in SIZES}


@lru_cache(maxsize=1)
def _fingerprint() -> str:
    parts = [
        (problem.task.task_id, problem.task.text, problem.table.columns, problem.table.rows)
        for problems in _problems().values()
        for problem in problems
    ]
    solutions = [
        (problem.draft.gold, problem.answers, problem.gold_hash, problem.draft.is_set)
        for problems in _problems().values()
        for problem in problems
    ]
    source = inspect.getsource(checker)
    return sha256_hex(canonical_json([GENERATOR_VERSION, source, parts, solutions]))[:16]


class SqlDesk:
    """DBBench-like desk; stateless, worlds hold what happens."""

    name: str = NAME
    fingerprint: str
    tools: tuple[ToolSpec, ...] = TOOLS
    system_prompt = SYSTEM_PROMPT
    step_budget = 12
    terminal_tools: frozenset[str] = frozenset({FINAL_TOOL})
    non_progress: tuple[str, ...] = ("0 rows affected",)
    is_forkable = True
    simulation: Simulation = SqlDeskSimulation()

    def __init__(self) -> None:
        self.fingerprint = _fingerprint()
        self._by_id = {
            problem.task.task_id: problem
            for problems in _problems().values()
            for problem in problems
        }
        self._check = make_check(TOOLS)

    def tasks(self, split: Split) -> tuple[Task, ...]:
        """Tasks of a split with families interleaved."""
        return tuple(problem.task for problem in _problems()[split])

    def start(self, task: Task, seed: int) -> SqlWorld:  # noqa: ARG002
        """Begin an episode; nothing in this world is left to chance."""
        problem = self._by_id.get(task.task_id)
        if problem is None:
            what = f"sqldesk has no task {task.task_id!r}"
            raise ConfigError(what, hint="take tasks from `tasks(split)`")
        return SqlWorld(problem, self._check)

    def expert_call(self, task: Task, world: World) -> Call:  # noqa: ARG002
        """Next call of a policy that solves every task."""
        return next_call(as_sql_world(world))


def as_sql_world(world: World) -> SqlWorld:
    """Narrow a world to one of this desk."""
    if not isinstance(world, SqlWorld):
        what = f"sqldesk was given a world of type {type(world).__name__}"
        raise ConfigError(what, hint="pass a world made by `start`")
    return world
