"""What the stage offers to an editor: SQL over train rows, trial checks, train rollouts."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
)
from dataclasses import dataclass

from schemas.episode import Episode
from schemas.errors import ConfigError, EditRejected
from schemas.ids import make_id
from schemas.plans import CyclePlan
from tasks.agent.protocols import Environment, Task
from tasks.collection import Collector, open_collector
from tasks.editor.protocols import Brief
from tasks.editor.registry import read_word
from tasks.editor.workshop import LEAK, Query, Report, RunTrain, Trial, Workshop
from tasks.editor_words import read_guide
from tasks.gate.candidate import Candidate, Member
from tasks.gate.check import check_candidate
from tasks.gate.findings import Checked
from tasks.gate.static import StaticContext
from tasks.gate.touch import Replayer
from tasks.harness import Harness
from tasks.workbench import Workbench, first_tasks
from warehouse.train_view import TRAIN_TABLES, TrainView, open_train_view

MAX_RISKS = 20


@dataclass(frozen=True)
class Round:
    """What an editor's round is about."""

    bench: Workbench
    plan: CyclePlan
    number: int
    environment: Environment
    brief: Brief
    context: StaticContext
    replayer: Replayer

    @property
    def train_tasks(self) -> tuple[Task, ...]:
        """The train tasks of the cycle."""
        return first_tasks(self.environment.tasks("train"), self.plan.form.tasks)


@asynccontextmanager
async def open_workshop(work: Round) -> AsyncIterator[Workshop]:
    """What the editor of the cycle may use; nothing is prepared for editors that use nothing.

    Raises:
        WarehouseError: the train rows cannot be copied.
    """
    named = read_word(work.plan.form.editor)
    settings = work.bench.settings.editor
    if not (named.has_model or named.kind == "command"):
        yield Workshop(settings)
        return
    async with AsyncExitStack() as stack:
        query, run = None, None
        if named.kind == "openai":
            query = _query(stack.enter_context(_train_view(work)))
        if named.kind == "prompt":
            run = _run(work, await stack.enter_async_context(_collector(work)))
        yield _workshop(work, query, run)


@contextmanager
def open_outside_workshop(work: Round) -> Iterator[Workshop]:
    """What an agent outside of a cycle may use: what a coding agent of ours may, no rollouts.

    Raises:
        WarehouseError: the train rows cannot be copied.
    """
    with _train_view(work) as view:
        yield _workshop(work, _query(view), None)


def _workshop(work: Round, query: Query | None, run: RunTrain | None) -> Workshop:
    settings = work.bench.settings.editor
    return Workshop(
        caps=settings,
        guide=read_guide(settings),
        tables=TRAIN_TABLES if query else {},
        train_tasks=tuple(task.task_id for task in work.train_tasks),
        query=query,
        try_out=_TryOut(work),
        run=run,
    )


def _train_view(work: Round) -> AbstractContextManager[TrainView]:
    episodes = work.brief.episodes
    return open_train_view(
        work.bench.warehouse.snapshot,
        trajectory_ids=[one.trajectory_id for one in episodes if one.trajectory.split == "train"],
        pattern_ids=[pattern.pattern_id for pattern in work.brief.patterns],
        cycle_id=work.plan.cycle_id,
    )


def _query(view: TrainView) -> Query:
    async def query(sql: str) -> str:
        try:
            result = await asyncio.to_thread(view.query, sql)
        except ConfigError as error:
            raise EditRejected(error.what, hint=error.hint) from None
        lines = [json.dumps(list(result.columns), ensure_ascii=False)]
        lines += [json.dumps(list(row), ensure_ascii=False) for row in result.rows]
        return "\n".join(
            [*lines, f"[{result.note}]" if result.note else f"[{len(lines) - 1} rows]"]
        )

    return query


def _collector(work: Round) -> AbstractAsyncContextManager[Collector]:
    form = work.plan.form
    model = work.bench.model(form.model, form.record, agent=form.agent, loop=form.loop)
    return open_collector(work.bench, work.environment, model, form.seed, work.plan.cycle_id)


def _run(work: Round, collector: Collector) -> RunTrain:
    known = {task.task_id: task for task in work.train_tasks}

    async def run(harness: Harness, task_ids: Sequence[str]) -> Sequence[Episode]:
        tasks = [known[name] for name in task_ids]
        return await collector.run(harness, tasks, f"editor:{work.number}")

    return run


@dataclass(frozen=True)
class _TryOut:
    """Asks the gate about a candidate that nobody has proposed yet."""

    work: Round

    async def __call__(self, trial: Trial, *, replay: bool) -> Report:
        work = self.work
        candidate = _candidate(trial)
        episodes = work.brief.episodes if replay else ()
        checked = await check_candidate(candidate, work.context, episodes, work.replayer)
        if checked.stage == "replay" and not replay:
            return Report()
        return Report(told(checked), replay_facts(checked), is_leak=checked.reason == "leak")


def told(checked: Checked) -> tuple[str, ...]:
    """Findings as an editor with a model behind it hears them."""
    return (LEAK,) if checked.reason == "leak" else checked.sentences


def _candidate(trial: Trial) -> Candidate:
    return Candidate(
        edit_id=make_id("edit", [trial.parent.harness_id, trial.child.harness_id]),
        parent=trial.parent,
        child=trial.child,
        layer=trial.layer,
        artifact=trial.artifact,
        members=tuple(Member(one.trajectory_id, one.step) for one in trial.evidence),
    )


def replay_facts(checked: Checked) -> dict[str, object]:
    """Numbers of a replay that an editor may see."""
    row = checked.replay
    if row is None:
        return {}
    facts = row.model_dump(
        include={
            "fires_on_failures",
            "fires_on_successes",
            "failures",
            "successes",
            "trigger_precision",
            "false_fire",
            "coverage",
        }
    )
    return facts | {"tasks_at_risk": json.loads(row.tasks_at_risk)[:MAX_RISKS]}
