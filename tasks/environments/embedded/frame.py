"""The environment made of a world's blueprint; stateless, worlds hold what happens."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Protocol, TypeVar

from schemas.errors import ConfigError
from schemas.fields import Split
from tasks.agent.protocols import Call, Task, ToolSpec, World
from tasks.agent.simulated_world import Simulation
from tasks.environments.embedded.prints import fingerprint
from tasks.environments.embedded.splits import all_splits
from tasks.environments.validation import Check, make_check


class Posed(Protocol):
    """A problem: anything that knows its task."""

    @property
    def task(self) -> Task:
        """The task as the agent sees it."""
        ...


P = TypeVar("P", bound=Posed)
W = TypeVar("W", bound=World)
ROOM = "tasks.environments.embedded"
VALIDATION = "tasks.environments.validation"
SKINS = 997
"""How many skins a task can have."""


def _no_gold(_: object) -> Iterable[str]:
    return ()


@dataclass(frozen=True, eq=False)
class Blueprint(Generic[P, W]):
    """Everything that makes an embedded world.

    Attributes:
        package: its Python package; the source is part of the fingerprint.
        draw: all problems of a split.
        open: begins an episode.
        narrow: takes a world as one of its own.
        policy: next call of a policy that solves every task.
        terminal_tools: tools that end an episode; empty when the world ends by itself.
        non_progress: beginnings of observations that mean nothing has changed.
        gold: texts of a problem that an edit must not hold.
        reskin: the same problem under the names of a skin; null when the world has no others.
        write_tools: tools that change records; empty when their names tell or none does.
        handover_tools: tools that give the task to somebody else.
        talk_tools: tools that speak to a user, whose answer is their result.
        order_constraints: pairs of a tool and one that may come only after it.
    """

    name: str
    package: str
    tools: tuple[ToolSpec, ...]
    system_prompt: str
    step_budget: int
    draw: Callable[[Split], tuple[P, ...]]
    open: Callable[[P, Check], W]
    narrow: Callable[[World], W]
    policy: Callable[[W], Call]
    simulation: Simulation
    terminal_tools: frozenset[str] = frozenset()
    non_progress: tuple[str, ...] = ()
    gold: Callable[[P], Iterable[str]] = _no_gold
    reskin: Callable[[P, int], P] | None = None
    write_tools: frozenset[str] = frozenset()
    handover_tools: frozenset[str] = frozenset()
    talk_tools: frozenset[str] = frozenset()
    order_constraints: tuple[tuple[str, str], ...] = ()

    @cached_property
    def problems(self) -> dict[Split, tuple[P, ...]]:
        """All problems by split, drawn once."""
        return {split: self.draw(split) for split in all_splits()}

    @cached_property
    def by_id(self) -> dict[str, P]:
        """Problems by task id."""
        return {one.task.task_id: one for some in self.problems.values() for one in some}

    @cached_property
    def fingerprint(self) -> str:
        """Hash of everything that determines an episode."""
        declared = [
            self.name,
            self.system_prompt,
            self.step_budget,
            [tool.as_openai() for tool in self.tools],
            sorted(self.terminal_tools),
            list(self.non_progress),
            [sorted(self.write_tools), sorted(self.handover_tools), sorted(self.talk_tools)],
            [list(pair) for pair in self.order_constraints],
        ]
        packages = [self.package, ROOM, VALIDATION]
        return fingerprint(declared, self.by_id.values(), self.simulation.kinds, packages)


class EmbeddedEnvironment(Generic[P, W]):
    """An environment as the rest of the product sees it."""

    is_forkable = True

    def __init__(self, blueprint: Blueprint[P, W]) -> None:
        self.blueprint = blueprint
        self.name: str = blueprint.name
        self.tools: tuple[ToolSpec, ...] = blueprint.tools
        self.system_prompt: str = blueprint.system_prompt
        self.step_budget: int = blueprint.step_budget
        self.terminal_tools: frozenset[str] = blueprint.terminal_tools
        self.non_progress: tuple[str, ...] = blueprint.non_progress
        self.write_tools: frozenset[str] = blueprint.write_tools
        self.handover_tools: frozenset[str] = blueprint.handover_tools
        self.talk_tools: frozenset[str] = blueprint.talk_tools
        self.order_constraints: tuple[tuple[str, str], ...] = blueprint.order_constraints
        self.simulation: Simulation = blueprint.simulation
        self.fingerprint: str = blueprint.fingerprint
        self._check = make_check(blueprint.tools)

    def tasks(self, split: Split) -> tuple[Task, ...]:
        """Tasks of a split with families interleaved."""
        return tuple(problem.task for problem in self.blueprint.problems[split])

    def start(self, task: Task, seed: int) -> W:  # noqa: ARG002
        """Begin an episode; nothing in these worlds is left to chance."""
        problem = self.blueprint.by_id.get(task.task_id)
        if problem is None:
            what = f"{self.name} has no task {task.task_id!r}"
            raise ConfigError(what, hint="take tasks from `tasks(split)`")
        if task.skin and self.blueprint.reskin:
            problem = self.blueprint.reskin(problem, task.skin)
        return self.blueprint.open(problem, self._check)

    def reskin(self, task: Task, seed: int) -> Task:
        """The same problem under other names; as it is where the world has none."""
        problem = self.blueprint.by_id.get(task.task_id)
        if problem is None or self.blueprint.reskin is None:
            return task
        return self.blueprint.reskin(problem, 1 + seed % SKINS).task

    def expert_call(self, task: Task, world: World) -> Call:  # noqa: ARG002
        """Next call of a policy that solves every task."""
        return self.blueprint.policy(self.blueprint.narrow(world))

    def gold_texts(self) -> tuple[str, ...]:
        """What an edit must not hold."""
        blueprint = self.blueprint
        return tuple(text for one in blueprint.by_id.values() for text in blueprint.gold(one))
