"""How well forecasts of edits come true: over stored edits, and over edits planted to find out.

Planted edits are those that the editors `rules`, `harmful` and `random` make from the train runs
of a world. They go through static checks and replay as in a cycle, which gives the forecast; then
every train run that they could touch is run again with them, which gives the truth.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Any

from schemas.episode import Episode
from schemas.errors import ConfigError
from schemas.fields import Row
from schemas.gate_forms import ForecastForm
from schemas.harness import EditPredictionRow
from schemas.ids import make_id
from tasks.agent.offers import repeats_alike, talk_tools
from tasks.agent.protocols import Environment, Model
from tasks.annotation import annotate_failures, annotation_rows
from tasks.annotator.ordering import with_mined_order
from tasks.annotator.patterns import find_patterns
from tasks.annotator.profile import profile_of_environment
from tasks.collection import Collector, open_collector
from tasks.editor.protocols import Brief, Proposal
from tasks.editor.registry import create_editor
from tasks.editor_rows import Place, edit_row
from tasks.environments.registry import EMBEDDED
from tasks.gate.check import check_candidates
from tasks.gate.findings import Checked
from tasks.gate.forecast import ALL, Foretold, Score, Seen, score_forecasts
from tasks.gate.touch import Replayer
from tasks.gating_inputs import candidate_of, static_context
from tasks.harness import Harness
from tasks.harness_rows import harness_rows, task_rows
from tasks.progress import count, expect, in_stage
from tasks.scores import require_judged
from tasks.workbench import Workbench, first_tasks

KIND = "edits run"
EDITORS = ("rules", "harmful", "random")
PURPOSE = "forecast"
_SEEN = """
SELECT
    e.edit_id,
    e.editor,
    o.task_id,
    avg((o.outcome = 'success')::INTEGER) AS before,
    avg((n.outcome = 'success')::INTEGER) AS after
FROM edits AS e
JOIN cycle_trajectories AS c ON c.cycle_id = e.cycle_id
JOIN trajectories AS o
    ON o.trajectory_id = c.trajectory_id AND o.harness_id = e.parent_harness_id
JOIN trajectories AS n
    ON n.harness_id = e.child_harness_id AND n.task_id = o.task_id AND n.seed = o.seed
    AND n.repeat = o.repeat AND n.model_fingerprint = o.model_fingerprint
    AND n.environment_fingerprint = o.environment_fingerprint
WHERE o.arm = 'run' AND n.arm = 'run' AND o.split = 'train'
  AND o.outcome <> 'unknown' AND n.outcome <> 'unknown'
  AND o.fault IS NULL AND n.fault IS NULL
GROUP BY e.edit_id, e.editor, o.task_id
ORDER BY e.edit_id, o.task_id
"""


@dataclass(frozen=True)
class _Planted:
    """An edit with its forecast, waiting to be run."""

    editor: str
    ordinal: int
    proposal: Proposal
    checked: Checked


@dataclass(frozen=True)
class _World:
    """Where edits are planted, and the train runs they are made from."""

    bench: Workbench
    environment: Environment
    model: Model
    parent: Harness
    collector: Collector
    replayer: Replayer
    episodes: tuple[Episode, ...]


@in_stage("forecast")
def forecast(form: ForecastForm, bench: Workbench | None = None) -> dict[str, Any]:
    """Plant and run edits unless the form says none, then score every forecast with a truth.

    Raises:
        ConfigError: a word names nothing, or no edit with a known effect is stored.
        ModelFault: no run could be judged.
    """
    bench = bench or Workbench.open()
    worlds: list[dict[str, Any]] = []
    if form.edits:
        names = [form.environment] if form.environment else sorted(EMBEDDED)
        for position, name in enumerate(names):
            share = (form.edits - sum(world["edits"] for world in worlds)) / (len(names) - position)
            worlds.append(asyncio.run(_plant(form, bench, name, round(share))))
    with bench.warehouse.read() as reader:
        seen = [Seen(*row) for row in reader.frame(_SEEN).rows()]
        ids = sorted({one.edit_id for one in seen})
        among = "edit_id IN (SELECT unnest(?::VARCHAR[]))"
        rows = reader.rows(EditPredictionRow, among, [ids])
    if not seen:
        what = "no stored edit has been run in full on train tasks"
        raise ConfigError(what, hint="plant some: --edits 48")
    foretold = [Foretold(r.edit_id, r.task_id, r.prediction, r.forecaster) for r in rows]
    return _result(worlds, score_forecasts(seen, foretold))


def _result(worlds: list[dict[str, Any]], scores: list[Score]) -> dict[str, Any]:
    main = {
        score.kind: score
        for score in scores
        if score.editor == ALL and score.forecaster == "replay"
    }
    loss, fix = main.get("regression"), main.get("fix")
    return {
        "edits": max(score.edits for score in scores) if scores else 0,
        "tasks": max(score.tasks for score in scores) if scores else 0,
        "simulated": all(world["simulated"] for world in worlds) if worlds else None,
        "worlds": worlds,
        "precision": loss.precision if loss else None,
        "recall": loss.recall if loss else None,
        "regressions": _as_dict(loss) if loss else None,
        "fixes": _as_dict(fix) if fix else None,
        "editors": [_as_dict(score) for score in scores],
    }


def _as_dict(score: Score) -> dict[str, Any]:
    return {
        "editor": score.editor,
        "forecaster": score.forecaster,
        "kind": score.kind,
        "edits": score.edits,
        "foretold": score.foretold,
        "happened": score.happened,
        "hits": score.hits,
        "precision": score.precision,
        "recall": score.recall,
    }


async def _plant(form: ForecastForm, bench: Workbench, name: str, wanted: int) -> dict[str, Any]:
    """Make edits in one world, store their forecasts, and run them on all train tasks."""
    environment, model = bench.environment(name), bench.model(form.model)
    parent = bench.harness(environment.name, form.harness)
    tasks = first_tasks(environment.tasks("train"), form.tasks)
    key = [PURPOSE, environment.fingerprint, model.fingerprint, parent.harness_id]
    cycle_id = make_id("cyc", [*key, form.seed, form.tasks])
    bench.land([*harness_rows(parent), *task_rows(environment, tasks)], PURPOSE)
    async with open_collector(bench, environment, model, form.seed, cycle_id) as collector:
        episodes = await collector.run(parent, tasks, PURPOSE)
        require_judged(episodes)
        replayer = Replayer(collector.sandbox, [tool.as_openai() for tool in environment.tools])
        world = _World(bench, environment, model, parent, collector, replayer, tuple(episodes))
        planted = _spread(await _propose(world, form.seed), wanted)
        expect(KIND, len(planted))
        bench.land([row for one in planted for row in _rows(world, one)], PURPOSE)
        for one in planted:
            await _run(world, one)
            count(KIND)
    bench.commit()
    return {
        "environment": environment.name,
        "model": model.name,
        "simulated": model.is_simulated,
        "edits": len(planted),
        "rollouts": collector.made,
    }


async def _propose(world: _World, seed: int) -> list[list[_Planted]]:
    """Edits that have a forecast, editor by editor; what static checks refuse has none."""
    brief = _brief(world, seed)
    context = static_context([], world.environment, world.episodes)
    found: list[list[_Planted]] = []
    for editor in EDITORS:
        proposals = await create_editor(editor).propose(brief)
        candidates = [
            candidate_of(
                make_id("edit", [world.collector.cycle_id, editor, one.child.harness_id]),
                one,
                is_decoy=editor != "rules",
            )
            for one in proposals
        ]
        checked = await check_candidates(candidates, context, world.episodes, world.replayer)
        found.append(
            [
                _Planted(editor, ordinal, proposal, entry)
                for ordinal, (proposal, entry) in enumerate(zip(proposals, checked, strict=True))
                if entry.replay is not None
            ]
        )
    return found


def _brief(world: _World, seed: int) -> Brief:
    environment, episodes = world.environment, world.episodes
    profile = with_mined_order(profile_of_environment(environment), episodes)
    annotations = annotate_failures(episodes, profile)
    patterns = find_patterns(annotations, episodes)
    world.bench.land(annotation_rows(annotations, patterns), PURPOSE)
    return Brief(
        environment=environment.name,
        harness=world.parent,
        tools=tuple(tool.as_openai() for tool in environment.tools),
        terminal_tools=environment.terminal_tools,
        non_progress=environment.non_progress,
        talk_tools=talk_tools(environment),
        patterns=tuple(sorted(patterns, key=lambda row: (-row.runs, row.pattern_id))),
        hits=tuple(hit for annotation in annotations for hit in annotation.hits),
        episodes=episodes,
        seed=seed,
        system_prompt=environment.system_prompt,
    )


def _spread(groups: Sequence[Sequence[_Planted]], count: int) -> list[_Planted]:
    """Take from all editors in turn, and of each from all layers, so that none is left out."""
    mixed: list[list[_Planted]] = []
    for group in groups:
        layers: dict[str, list[_Planted]] = {}
        for one in group:
            layers.setdefault(one.proposal.layer, []).append(one)
        mixed.append(_in_turn(layers.values()))
    return _in_turn(mixed)[:count]


def _in_turn(groups: Iterable[Sequence[_Planted]]) -> list[_Planted]:
    turns = chain.from_iterable(zip_longest(*groups))
    return [one for one in turns if one is not None]


async def _run(world: _World, one: _Planted) -> None:
    """Run the edit on every task it could touch; the others provably go as they did."""
    child = one.proposal.child
    if repeats_alike(world.model, world.environment):
        answers = [
            await world.replayer.can_touch(world.parent, child, episode)
            for episode in world.episodes
        ]
    else:
        answers = [True] * len(world.episodes)
    touched = {
        episode.trajectory.task_id
        for episode, answer in zip(world.episodes, answers, strict=True)
        if answer
    }
    tasks = [task for task in world.environment.tasks("train") if task.task_id in touched]
    await world.collector.run(child, tasks, PURPOSE)


def _rows(world: _World, one: _Planted) -> list[Row]:
    proposal, checked = one.proposal, one.checked
    rows: list[Row] = [*harness_rows(proposal.child), *checked.predictions]
    if checked.replay is not None:
        rows.append(checked.replay)
    place = Place(world.collector.cycle_id, 1, one.ordinal, one.editor)
    edit_id = checked.candidate.edit_id
    return [*rows, edit_row(edit_id, proposal, place, now=world.bench.now)]
