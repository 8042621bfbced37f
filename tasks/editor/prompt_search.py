"""What GEPA is given: candidates as texts, rollouts and reflection through our callbacks.

GEPA runs in a thread of its own and waits there for the event loop that runs the episodes.
"""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, TypeVar

from schemas.editors import EditorStop
from schemas.episode import Episode
from schemas.errors import ModelFault
from schemas.fields import Layer
from tasks.editor.coding_agent import ChatClient
from tasks.editor.compact import render_run
from tasks.editor.ledger import Ledger
from tasks.editor.session import Session
from tasks.editor.workshop import Trial, Workshop
from tasks.harness import Harness, HarnessError
from tasks.harness.bundle import apply, changes

T = TypeVar("T")
MAX_RUN_CHARS = 3_000
MAX_PROMPT_CHARS = 120_000
CONTRACT = "contract.md"
TEXT_LAYERS: tuple[Layer, ...] = ("contract", "skills")


class SearchStopped(Exception):  # an end, no error
    """The search cannot begin or go on; nothing is proposed."""


class TaskLoader:
    """Tasks under their own ids.

    GEPA numbers the entries of lists, and its cache of evaluations then takes the first train task
    for the first validation task.
    """

    def __init__(self, task_ids: Sequence[str]) -> None:
        self._ids = list(task_ids)

    def all_ids(self) -> list[str]:
        """Ids of all tasks, in order."""
        return list(self._ids)

    def fetch(self, ids: Sequence[str]) -> list[str]:
        """What an evaluation is given of these tasks: their ids."""
        return list(ids)

    def __len__(self) -> int:
        return len(self._ids)


@dataclass(frozen=True)
class Scored:
    """A candidate and its scores on the Pareto tasks, by task id."""

    texts: Mapping[str, str]
    score: float
    by_task: Mapping[str, float]
    position: int

    @property
    def length(self) -> int:
        """Characters of all its texts."""
        return sum(len(text) for text in self.texts.values())

    def harness(self, parent: Harness) -> Harness | None:
        """The harness it makes; null when its texts make none."""
        return build(parent, self.texts)


def read_candidate(harness: Harness) -> dict[str, str]:
    """The texts that are evolved, by path: the contract and every skill."""
    return {
        path: text
        for path, text in harness.files.items()
        if path == CONTRACT or path.startswith("skills/")
    }


def build(parent: Harness, texts: Mapping[str, str]) -> Harness | None:
    """The parent with these texts; null when they make no harness.

    A text ends with one line break, as it does when an edit puts it, so that both are one harness.
    """
    ended = {
        path: text if text == parent.files.get(path) else f"{text.rstrip()}\n"
        for path, text in texts.items()
    }
    try:
        return Harness.from_files({**parent.files, **ended})
    except HarnessError:
        return None


@dataclass(frozen=True)
class Attempt:
    """One task under one candidate, for reflection; no episode when the candidate was refused."""

    task_id: str
    episode: Episode | None
    feedback: str


@dataclass
class Search:
    """Adapter, reflection model, stopper and logger of one GEPA run."""

    parent: Harness
    workshop: Workshop
    client: ChatClient
    ledger: Ledger
    session: Session
    loop: asyncio.AbstractEventLoop
    stop: EditorStop | None = None
    problem: str = ""
    fault: ModelFault | None = None
    propose_new_texts: None = None
    _each: int = 0
    _refused: dict[str, str] = field(default_factory=dict[str, str])

    def reserve(self, *, first: int, each: int) -> None:
        """Say what the first scoring and each iteration may cost at most in episodes.

        Raises:
            SearchStopped: not even the first scoring and one iteration fit into the round.
        """
        self._each = each
        if first + each > self.ledger.caps.rollouts:
            self.stop = "rollouts"
            self.problem = (
                f"{first + each} episodes are needed, {self.ledger.caps.rollouts} allowed"
            )
            raise SearchStopped

    def is_over(self, state: Any) -> bool:  # noqa: ARG002
        """Whether another iteration could exceed a cap of the round; GEPA's stopper."""
        caps = self.ledger.caps
        if self.fault is not None:
            return True
        if self.ledger.rollouts + self._each > caps.rollouts:
            self.stop = self.stop or "rollouts"
        elif self.session.turns >= caps.turns:
            self.stop = self.stop or "turns"
        return self.stop is not None

    def log(self, message: str) -> None:
        """Drop GEPA's own log; what matters stands in the session."""

    def reflect(self, prompt: str | list[dict[str, Any]]) -> str:
        """Ask the proposing model for a better text; GEPA's reflection model.

        Raises:
            ModelFault: the endpoint is down or refuses.
            SearchStopped: a cap of the round is reached.
        """
        text = prompt if isinstance(prompt, str) else str(prompt)
        text = text[:MAX_PROMPT_CHARS]
        if stop := self.ledger.may_ask(len(text)):
            self.stop = stop
            raise SearchStopped
        self.session.say("user", text)
        try:
            reply = self._wait(self.client.reply([{"role": "user", "content": text}], ()))
        except ModelFault as error:
            self.fault = error
            raise
        self.session.book(reply)
        self.ledger.book(reply, len(text))
        self.session.say("assistant", reply.text)
        return reply.text

    def evaluate(
        self,
        batch: Sequence[str],
        candidate: Mapping[str, str],
        capture_traces: bool = False,  # noqa: FBT001
    ) -> Any:
        """Run a candidate on tasks; one that the static checks refuse scores nothing, unrun."""
        child = build(self.parent, candidate)
        why = "its texts make no harness" if child is None else self._why_refused(child)
        if child is None or why:
            self.session.say("tool", "", tool="check", refused=why)
            tried = [Attempt(task, None, f"It is refused: {why}") for task in batch]
            scores = [0.0] * len(batch)
        else:
            self.ledger.rollouts += len(batch)
            episodes = self._run(child, batch)
            tried = [
                Attempt(task, one, _feedback(one))
                for task, one in zip(batch, episodes, strict=True)
            ]
            scores = [float(one.is_success) for one in episodes]
        return import_module("gepa.core.adapter").EvaluationBatch(
            outputs=list(scores),
            scores=scores,
            trajectories=tried if capture_traces else None,
            num_metric_calls=len(batch),
        )

    def make_reflective_dataset(
        self, candidate: Mapping[str, str], eval_batch: Any, components_to_update: Sequence[str]
    ) -> dict[str, list[dict[str, str]]]:
        """What the model is shown of each attempt; the same for every text."""
        shown = [_example(attempt) for attempt in eval_batch.trajectories or ()]
        return {name: shown for name in components_to_update if name in candidate}

    def _why_refused(self, child: Harness) -> str:
        if child == self.parent or self.workshop.try_out is None:
            return ""
        if child.harness_id not in self._refused:
            self._refused[child.harness_id] = self._wait(self._check(child))
        return self._refused[child.harness_id]

    async def _check(self, child: Harness) -> str:
        """Findings of the static checks, each layer on its own as it would be proposed."""
        assert self.workshop.try_out is not None
        found = changes(self.parent, child)
        for layer in TEXT_LAYERS:
            wanted = [change for change in found if change.layer == layer]
            if not wanted:
                continue
            alone = apply(self.parent, wanted)
            trial = Trial(self.parent, alone, layer, wanted[0].name)
            report = await self.workshop.try_out(trial, replay=False)
            if report.findings:
                return "; ".join(report.findings)[:1000]
        return ""

    def _run(self, child: Harness, batch: Sequence[str]) -> list[Episode]:
        """Run tasks; what ended in a fault is run once more before it counts as not solved."""
        run = self.workshop.run
        assert run is not None
        episodes = list(self._wait(run(child, batch)))
        again = [i for i, one in enumerate(episodes) if one.trajectory.fault is not None]
        if again:
            for i, one in zip(
                again, self._wait(run(child, [batch[i] for i in again])), strict=True
            ):
                episodes[i] = one
        return episodes

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()


def _feedback(episode: Episode) -> str:
    if episode.is_success:
        return "The task was solved."
    trajectory = episode.trajectory
    how = f"it ended by {trajectory.termination} after {trajectory.steps} steps"
    return f"The task was not solved: {how}."


def _example(attempt: Attempt) -> dict[str, str]:
    if attempt.episode is None:
        return {"Task": attempt.task_id, "Feedback": attempt.feedback}
    return {
        "Run": render_run(attempt.episode, max_moves=10)[:MAX_RUN_CHARS],
        "Feedback": attempt.feedback,
    }
