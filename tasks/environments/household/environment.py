"""The household as an environment: tasks, the tool, worlds, expert."""

import inspect
from functools import lru_cache

from schemas.errors import ConfigError
from schemas.fields import Split
from schemas.ids import canonical_json, sha256_hex
from tasks.agent.protocols import Call, Task, ToolSpec, World
from tasks.environments.household import checker
from tasks.environments.household import world as worlds
from tasks.environments.household.expert import next_command
from tasks.environments.household.faults import HouseholdSimulation
from tasks.environments.household.problems import (
    GENERATOR_VERSION,
    NAME,
    SIZES,
    Problem,
    make_problems,
)
from tasks.environments.household.world import (
    ARGUMENT,
    MAX_COMMAND,
    NOTHING,
    TOOL,
    HouseholdWorld,
    as_household,
)
from tasks.environments.validation import make_check

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
SYSTEM_PROMPT = "You are in a household and are given one task. Act with the tool, one step a turn."


@lru_cache(maxsize=1)
def _problems() -> dict[Split, tuple[Problem, ...]]:
    return {split: make_problems(split) for split in SIZES}


@lru_cache(maxsize=1)
def _fingerprint() -> str:
    parts = [
        (problem.task.task_id, problem.task.text, problem.places, problem.items, problem.lamp_place)
        for problems in _problems().values()
        for problem in problems
    ]
    source = inspect.getsource(checker) + inspect.getsource(worlds)
    return sha256_hex(canonical_json([GENERATOR_VERSION, source, parts]))[:16]


class Household:
    """ALFWorld-like household; stateless, worlds hold what happens."""

    name = NAME
    tools = TOOLS
    system_prompt = SYSTEM_PROMPT
    step_budget = 20
    terminal_tools = frozenset[str]()
    non_progress: tuple[str, ...] = (NOTHING,)
    is_forkable = True
    simulation = HouseholdSimulation()

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

    def start(self, task: Task, seed: int) -> HouseholdWorld:  # noqa: ARG002
        """Begin an episode; nothing in this world is left to chance."""
        problem = self._by_id.get(task.task_id)
        if problem is None:
            what = f"household has no task {task.task_id!r}"
            raise ConfigError(what, hint="take tasks from `tasks(split)`")
        return HouseholdWorld(problem, self._check)

    def expert_call(self, task: Task, world: World) -> Call:  # noqa: ARG002
        """Next call of a policy that solves every task."""
        return Call(TOOL, {ARGUMENT: next_command(as_household(world))})

    def gold_texts(self) -> tuple[str, ...]:
        """Where the wanted items lie, as the commands that take them."""
        return tuple(
            f"take {item} from {place}"
            for problems in _problems().values()
            for problem in problems
            for item, place in problem.wanted
        )
