"""The whole diagnosis: rate on select, use on train with skills on demand, trials on forks."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from schemas.fields import GapType
from tasks.agent.episode_spec import EpisodeSpec
from tasks.benefit.activation import try_activation
from tasks.benefit.effect import Effect
from tasks.benefit.rate import Arms, Rate, measure_rate, success_by_task, unchanged
from tasks.benefit.repair import try_following
from tasks.benefit.trial import Bench, Trial
from tasks.benefit.use import Use, due_tasks, read_given, read_uses
from tasks.benefit.world import BenefitWorld, Run
from tasks.harness import Harness


@dataclass(frozen=True)
class Diagnosis:
    """Everything a diagnosis found; no trials when the harness has no skills."""

    rate: Rate
    uses: list[Use] = field(default_factory=list[Use])
    trials: list[Trial] = field(default_factory=list[Trial])

    @property
    def effects(self) -> dict[tuple[str, GapType], Effect]:
        """What the cures were worth, by artifact and gap."""
        return {(trial.artifact_id, trial.gap): trial.effect for trial in self.trials}

    @property
    def watched(self) -> list[Use]:
        """Runs whose checkpoints were looked up: all uses, sources of forks, and forks."""
        sources = [point.use for trial in self.trials for point in trial.points]
        return [*self.uses, *sources, *(fork.use for trial in self.trials for fork in trial.forks)]


async def diagnose(world: BenefitWorld, base: Harness, final: Harness) -> Diagnosis:
    """Measure the rate, then why it is what it is."""
    rate = await _rate(world, base, final)
    on_demand = final.with_delivery("on_demand")
    if not (on_demand.offers_skills and world.is_loadable):
        return Diagnosis(rate)
    window = world.parameters.window
    tasks = due_tasks(on_demand, world.train)[: world.parameters.train_tasks]
    specs = [EpisodeSpec(task, world.seed) for task in tasks]
    uses = read_uses(await world.run(on_demand, specs, "benefit:on_demand"), on_demand, window)
    if not world.is_forkable:
        return Diagnosis(rate, uses)
    injected = final.with_delivery("injected")
    given = read_given(await world.run(injected, specs, "benefit:injected"), injected, window)
    bench = Bench(world, {harness.harness_id: harness for harness in (on_demand, injected)})
    trials: list[Trial] = []
    for artifact_id in _artifacts(uses, world.parameters.artifacts):
        loaded = _of(uses, artifact_id)
        trials.append(await try_activation(bench, artifact_id, loaded))
        trials.append(await try_following(bench, artifact_id, loaded, _of(given, artifact_id)))
    return Diagnosis(rate, uses, trials)


def _of(uses: Sequence[Use], artifact_id: str) -> list[Use]:
    return [use for use in uses if use.due and use.due.artifact_id == artifact_id]


def _artifacts(uses: Sequence[Use], limit: int) -> list[str]:
    """Artifacts that are due most often first."""
    counts: dict[str, int] = {}
    for use in uses:
        if use.due:
            counts[use.due.artifact_id] = counts.get(use.due.artifact_id, 0) + 1
    return sorted(counts, key=lambda artifact_id: (-counts[artifact_id], artifact_id))[:limit]


async def _rate(world: BenefitWorld, base: Harness, final: Harness) -> Rate:
    tasks = world.select[: world.parameters.select_tasks]
    if base == final:
        return unchanged(len(tasks), has_reference=world.run_reference is not None)
    specs = [EpisodeSpec(task, world.seed, repeat) for task in tasks for repeat in world.repeats]
    model = await _arms(world.run, base, final, specs, "benefit:rate")
    reference = None
    if world.run_reference is not None:
        reference = await _arms(world.run_reference, base, final, specs, "benefit:reference")
    return measure_rate(model, reference, seed=world.seed)


async def _arms(
    run: Run, base: Harness, final: Harness, specs: Sequence[EpisodeSpec], purpose: str
) -> Arms:
    before = await run(base, specs, purpose)
    after = await run(final, specs, purpose)
    return Arms(success_by_task(before), success_by_task(after))
