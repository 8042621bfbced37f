"""One failed episode in, all rule hits and exactly one label out."""

from dataclasses import dataclass, replace

from schemas.episode import Episode
from schemas.failures import FailureLabelRow, RuleHitRow
from schemas.ids import canonical_json
from tasks.annotator.decisive import is_decisive
from tasks.annotator.gold import NOTHING, read_gold
from tasks.annotator.hits import BULLETS, Hit, View, sign
from tasks.annotator.parameters import DEFAULT, Parameters, taxonomy_version
from tasks.annotator.profile import EnvironmentProfile
from tasks.annotator.rules import RULES
from tasks.annotator.rules.residual import residual
from tasks.annotator.timeline import build_timeline

_MOST_STEPS = 50


@dataclass(frozen=True)
class Annotation:
    """Everything the rules say about one episode; empty for successes, faults and unknowns."""

    trajectory_id: str
    hits: tuple[RuleHitRow, ...] = ()
    label: FailureLabelRow | None = None


@dataclass(frozen=True)
class _Judged:
    """A hit with its weight; `steps` are all steps with the same rule and signature."""

    hit: Hit
    decisive: bool
    steps: tuple[int, ...] = ()


def annotate(
    episode: Episode, profile: EnvironmentProfile, parameters: Parameters = DEFAULT
) -> Annotation:
    """Label a failure; the first bullet in priority order with a decisive hit wins."""
    if not episode.is_failure:
        return Annotation(episode.trajectory_id)
    view = View(
        build_timeline(episode, profile.talk_tools),
        profile,
        parameters,
        read_gold(episode) if parameters.use_gold else NOTHING,
    )
    hits = [
        hit
        for rule in RULES
        if parameters.use_gold or not rule.needs_gold
        for hit in rule.find(view)
    ]
    judged = [_Judged(hit, is_decisive(hit, hits, view)) for hit in hits]
    if not any(item.decisive for item in judged):
        judged += [_Judged(hit, decisive=True) for hit in residual(view) or [_nothing_ran()]]
    ranked = sorted(_merged(judged), key=_priority)
    return Annotation(
        episode.trajectory_id,
        tuple(_hit_row(item, episode, parameters) for item in ranked),
        _label_row(ranked, episode, parameters),
    )


def _nothing_ran() -> Hit:
    signature = sign("infrastructure", reason="no_agent_turn")
    return Hit("no_agent_turn", "NA", None, None, signature, {"turns": 0})


def _priority(item: _Judged) -> tuple[bool, int, int, str, str]:
    hit = item.hit
    step = hit.step_index if hit.step_index is not None else -1
    return (not item.decisive, BULLETS.index(hit.bullet), step, hit.rule, hit.signature_text)


def _merged(judged: list[_Judged]) -> list[_Judged]:
    """One entry per rule and signature: the earliest decisive one, with all its steps."""
    groups: dict[tuple[str, str], list[_Judged]] = {}
    for item in judged:
        groups.setdefault((item.hit.rule, item.hit.signature_text), []).append(item)
    merged: list[_Judged] = []
    for group in groups.values():
        steps = sorted({i.hit.step_index for i in group if i.hit.step_index is not None})
        merged.append(replace(min(group, key=_priority), steps=tuple(steps[:_MOST_STEPS])))
    return merged


def _evidence(item: _Judged) -> str:
    return canonical_json(item.hit.evidence | {"hit_steps": list(item.steps)})


def _hit_row(item: _Judged, episode: Episode, parameters: Parameters) -> RuleHitRow:
    hit = item.hit
    return RuleHitRow(
        trajectory_id=episode.trajectory_id,
        taxonomy_version=taxonomy_version(parameters),
        rule=hit.rule,
        category=hit.category,
        bullet=hit.bullet,
        step_index=hit.step_index,
        decisive=item.decisive,
        uses_gold=hit.uses_gold,
        signature=hit.signature_text,
        evidence=_evidence(item),
    )


def _label_row(ranked: list[_Judged], episode: Episode, parameters: Parameters) -> FailureLabelRow:
    winner, others = ranked[0], ranked[1:]
    runner_ups = [
        {
            "bullet": item.hit.bullet,
            "rule": item.hit.rule,
            "step_index": item.hit.step_index,
            "decisive": item.decisive,
        }
        for item in others
    ]
    hit = winner.hit
    return FailureLabelRow(
        trajectory_id=episode.trajectory_id,
        source="rules",
        taxonomy_version=taxonomy_version(parameters),
        category=hit.category,
        bullet=hit.bullet,
        step_index=hit.step_index,
        rule=hit.rule,
        evidence=_evidence(winner),
        uses_gold=hit.uses_gold,
        signature=hit.signature_text,
        runner_ups=canonical_json(runner_ups),
    )
