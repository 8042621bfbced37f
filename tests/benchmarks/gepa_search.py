"""GEPA over contract and skill texts, with the editor `rules` in place of a reflecting model.

GEPA decides what is tried, accepted and best; we run the episodes, count them, and write the texts.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from math import ceil
from typing import Any, Literal

from schemas.episode import Episode
from tasks.agent.protocols import Environment, Model, Task
from tasks.annotation import annotate_failures
from tasks.annotator.ordering import with_mined_order
from tasks.annotator.patterns import find_patterns
from tasks.annotator.profile import profile_of_environment
from tasks.collection import Collector
from tasks.editor.ledger import Ledger
from tasks.editor.prompt_search import CONTRACT, Search, TaskLoader, build, read_candidate
from tasks.editor.protocols import Brief
from tasks.editor.rules_editor import RulesEditor
from tasks.editor.session import Session
from tasks.editor.workshop import Workshop
from tasks.harness import Harness
from tasks.harness.bundle import bundle
from tasks.workbench import first_tasks

SKILLS = "skills"
IDLE_EPOCHS = 20
"""Passes over the train tasks without a new episode after which nothing new is expected."""


@dataclass(frozen=True)
class World:
    """Where both sides run: one environment, one model, episodes that are kept."""

    environment: Environment
    model: Model
    collector: Collector
    seed: int
    tasks: int = 0
    """Tasks per split; 0 takes all."""

    def split(self, name: Literal["train", "select", "sealed"], limit: int = 0) -> tuple[Task, ...]:
        """The tasks of a split, or its first ones with families in equal shares."""
        return first_tasks(first_tasks(self.environment.tasks(name), self.tasks), limit)


@dataclass(frozen=True)
class Options:
    """How GEPA is set up.

    Attributes:
        budget: episodes after which no further iteration begins.
        minibatch: train tasks that a mutation is made from and judged on.
        validation: select tasks that an accepted candidate is scored on; 0 takes all.
        edits: what a mutation takes of the proposals for a text, the first new one or all.
        components: whether an iteration changes one text or both.
    """

    budget: int
    minibatch: int = 120
    validation: int = 60
    edits: Literal["one", "all"] = "all"
    components: Literal["round_robin", "all"] = "all"

    @property
    def step(self) -> int:
        """Episodes that one iteration can cost: parent, child and validation."""
        return 2 * self.minibatch + self.validation


@dataclass(frozen=True)
class Found:
    """A candidate that was the best by validation, and what had been spent by then."""

    evaluations: int
    harness: Harness


@dataclass(frozen=True)
class Searched:
    """A finished search: its best candidates in order, the base first."""

    found: tuple[Found, ...]
    evaluations: int
    iterations: int


@dataclass
class CountedRuns:
    """Runs tasks and counts episodes as a cycle does: the same task in the same harness once."""

    collector: Collector
    tasks: Mapping[str, Task]
    seen: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    async def __call__(self, harness: Harness, task_ids: Sequence[str]) -> Sequence[Episode]:
        self.seen |= {(harness.harness_id, name) for name in task_ids}
        return await self.collector.run(harness, [self.tasks[name] for name in task_ids], "gepa")


class NoModel:
    """Stands where a reflecting model would be."""

    async def reply(self, messages: Sequence[Any], tools: Sequence[Any]) -> Any:
        what = "the proposer of this search is an editor, no model"
        raise RuntimeError(what)


@dataclass
class Evolution:
    """Adapter, stopper, logger and listener of one GEPA run."""

    world: World
    options: Options
    search: Search
    runs: CountedRuns
    found: list[Found] = field(default_factory=list[Found])
    iterations: int = 0
    _tried: set[str] = field(default_factory=set[str])
    _last: tuple[int, int] = (0, 0)

    def evaluate(
        self, batch: Sequence[str], candidate: Mapping[str, str], capture_traces: bool = False
    ) -> Any:
        return self.search.evaluate(batch, unpack(candidate), capture_traces)

    def make_reflective_dataset(
        self, candidate: Mapping[str, str], eval_batch: Any, components_to_update: Sequence[str]
    ) -> dict[str, list[dict[str, Episode]]]:
        """The episodes themselves: the proposer reads rows, no prose."""
        episodes = [{"episode": one.episode} for one in eval_batch.trajectories if one.episode]
        return dict.fromkeys(components_to_update, episodes)

    def propose_new_texts(
        self,
        candidate: Mapping[str, str],
        reflective_dataset: Mapping[str, Sequence[Mapping[str, Episode]]],
        components_to_update: Sequence[str],
    ) -> dict[str, str]:
        """New texts by the editor; a text that it has nothing to say about is left out."""
        harness = build(self.search.parent, unpack(candidate))
        if harness is None:
            return {}
        episodes = [one["episode"] for one in reflective_dataset[components_to_update[0]]]
        brief = make_brief(self.world, harness, episodes)
        proposals = asyncio.run(RulesEditor().propose(brief))
        texts: dict[str, str] = {}
        for name in components_to_update:
            layer = "contract" if name == CONTRACT else "skills"
            children = [one.child for one in proposals if one.layer == layer]
            if self.options.edits == "one":
                children = [one for one in children if one.harness_id not in self._tried][:1]
                self._tried |= {one.harness_id for one in children}
            if children:
                texts[name] = pack(bundle(harness, children).harness)[name]
        return texts

    def on_valset_evaluated(self, event: Mapping[str, Any]) -> None:
        """Keep a candidate that is the best so far by GEPA's own word."""
        harness = build(self.search.parent, unpack(event["candidate"]))
        if event["is_best_program"] and harness is not None:
            self.found.append(Found(len(self.runs.seen), harness))

    def is_over(self, state: Any) -> bool:
        """Whether the budget is used, or nothing new has been run for a long time."""
        self.iterations, spent = state.i + 1, len(self.runs.seen)
        if spent != self._last[0]:
            self._last = (spent, state.i)
        return spent >= self.options.budget or state.i - self._last[1] >= self._patience

    @property
    def _patience(self) -> int:
        """Iterations without a new episode after which the search has come to rest."""
        return IDLE_EPOCHS * ceil(len(self.world.split("train")) / self.options.minibatch)

    def log(self, message: str) -> None:
        """Drop GEPA's own log."""


def pack(harness: Harness) -> dict[str, str]:
    """A harness as a candidate: the contract is one text, all skills are another.

    GEPA's candidates have a fixed set of texts; a text for all skills lets it add new ones.
    """
    texts = read_candidate(harness)
    skills = {path: text for path, text in sorted(texts.items()) if path != CONTRACT}
    return {CONTRACT: texts[CONTRACT], SKILLS: json.dumps(skills)}


def unpack(candidate: Mapping[str, str]) -> dict[str, str]:
    """The files of a candidate."""
    return {CONTRACT: candidate[CONTRACT], **json.loads(candidate[SKILLS])}


def make_brief(world: World, harness: Harness, episodes: Sequence[Episode]) -> Brief:
    """What the editor gets of a minibatch, made as a cycle makes it of all train tasks."""
    environment = world.environment
    profile = with_mined_order(profile_of_environment(environment), episodes)
    annotations = annotate_failures(episodes, profile)
    return Brief(
        environment=environment.name,
        harness=harness,
        tools=tuple(tool.as_openai() for tool in environment.tools),
        terminal_tools=environment.terminal_tools,
        non_progress=environment.non_progress,
        patterns=find_patterns(annotations, episodes),
        hits=tuple(hit for one in annotations for hit in one.hits),
        episodes=tuple(episodes),
        seed=world.seed,
        system_prompt=environment.system_prompt,
    )


async def search_texts(world: World, base: Harness, options: Options) -> Searched:
    """Run GEPA until its budget is used or it stands still; sealed tasks play no part."""
    train, select = world.split("train"), world.split("select", options.validation)
    runs = CountedRuns(world.collector, {task.task_id: task for task in (*train, *select)})
    workshop = Workshop(run=runs)
    loop = asyncio.get_running_loop()
    search = Search(base, workshop, NoModel(), Ledger(workshop.caps), Session(), loop)
    evolution = Evolution(world, options, search, runs)
    await asyncio.to_thread(
        import_module("gepa").optimize,
        seed_candidate=pack(base),
        trainset=TaskLoader([task.task_id for task in train]),
        valset=TaskLoader([task.task_id for task in select]),
        adapter=evolution,
        reflection_minibatch_size=min(options.minibatch, len(train)),
        module_selector=options.components,
        cache_evaluation=True,
        stop_callbacks=evolution.is_over,
        callbacks=[evolution],
        logger=evolution,
        seed=world.seed,
    )
    return Searched(tuple(evolution.found), len(runs.seen), evolution.iterations)
