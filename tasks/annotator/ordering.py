"""Order constraints that successes have in common: what always came before a write or the end."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from schemas.episode import Episode
from tasks.annotator.hits import step_signature
from tasks.annotator.profile import EnvironmentProfile, OrderConstraint
from tasks.annotator.timeline import build_timeline

MIN_SUCCESSES = 8
MIN_TASKS = 4
_MUTATIONS = frozenset({"insert", "update", "delete", "replace", "merge"})

_Path = tuple[str, ...]


def with_mined_order(
    profile: EnvironmentProfile, episodes: Iterable[Episode]
) -> EnvironmentProfile:
    """Add what successes prove to what an environment declares.

    A pair holds for a family, or for all, when every one of at least `MIN_SUCCESSES` successes
    from `MIN_TASKS` tasks that use the later step made the earlier one first.
    """
    groups: dict[str, list[tuple[str, _Path]]] = defaultdict(list)
    for episode in episodes:
        if episode.is_success:
            path = _path(profile, episode)
            groups[episode.trajectory.family].append((episode.trajectory.task_id, path))
    everything = [item for group in groups.values() for item in group]
    general = _pairs(profile, everything, None)
    shared = {(pair.tool, pair.requires) for pair in (*profile.order, *general)}
    special = [
        pair
        for family in sorted(groups)
        for pair in _pairs(profile, groups[family], family)
        if (pair.tool, pair.requires) not in shared
    ]
    declared = {(pair.tool, pair.requires) for pair in profile.order}
    new = [pair for pair in general if (pair.tool, pair.requires) not in declared]
    return replace(profile, order=(*profile.order, *new, *special))


def _path(profile: EnvironmentProfile, episode: Episode) -> _Path:
    """Steps that worked, by signature, in order; a step counts by tool and by verb."""
    steps: list[str] = []
    for _, call in build_timeline(episode, profile.talk_tools).calls():
        if call.ran:
            steps.append(step_signature(profile, call.run_tool, call.run_arguments))
    return tuple(steps)


def _changes(profile: EnvironmentProfile, step: str) -> bool:
    tool, _, verb = step.partition(":")
    is_write = profile.is_write(tool) or tool in profile.terminal_tools
    return is_write or verb in _MUTATIONS or tool in profile.command_arguments


def _pairs(
    profile: EnvironmentProfile, runs: Sequence[tuple[str, _Path]], family: str | None
) -> list[OrderConstraint]:
    found: list[OrderConstraint] = []
    for later in sorted({step for _, path in runs for step in path if _changes(profile, step)}):
        using = [(task, path) for task, path in runs if later in path]
        is_enough = len(using) >= MIN_SUCCESSES and len({task for task, _ in using}) >= MIN_TASKS
        if not is_enough:
            continue
        befores = [set(path[: path.index(later)]) for _, path in using]
        always = set.intersection(*befores) - {later}
        found += [OrderConstraint(later, earlier, family) for earlier in sorted(always)]
    return found
