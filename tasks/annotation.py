"""Labelling failed trajectories by rule priority and clustering the causes that recur."""

from collections.abc import Iterable, Sequence

from schemas.episode import Episode
from schemas.failures import FailureLabelRow, FailurePatternRow, RuleHitRow
from schemas.fields import Row
from schemas.plans import AnnotateResult, CyclePlan
from tasks.annotator.engine import Annotation, annotate
from tasks.annotator.patterns import find_patterns
from tasks.annotator.profile import EnvironmentProfile, profile_of_environment
from tasks.collection import cycle_episodes, train_purpose
from tasks.stage import stage
from tasks.workbench import Workbench


@stage(AnnotateResult)
def annotate_round(
    bench: Workbench, plan: CyclePlan, harness_id: str, round_number: int
) -> AnnotateResult:
    """Label the failures of this round's train trajectories and find patterns."""
    episodes = cycle_episodes(bench, plan.cycle_id, train_purpose(round_number))
    profile = profile_of_environment(bench.environment(plan.form.environment))
    annotations = annotate_all(episodes, profile)
    patterns = find_patterns(annotations, episodes)
    bench.land(annotation_rows(annotations, patterns), "annotate_round")
    return AnnotateResult(
        labelled=sum(annotation.label is not None for annotation in annotations),
        patterns=len(patterns),
        eligible=sum(pattern.eligible for pattern in patterns),
    )


def annotate_all(episodes: Iterable[Episode], profile: EnvironmentProfile) -> list[Annotation]:
    """Annotate failures in the order of their ids."""
    ordered = sorted(episodes, key=lambda episode: episode.trajectory_id)
    return [annotate(episode, profile) for episode in ordered if episode.is_failure]


def annotation_rows(
    annotations: Sequence[Annotation], patterns: Sequence[FailurePatternRow]
) -> list[Row]:
    """Rows to land for a batch of annotations."""
    hits: list[RuleHitRow] = [hit for annotation in annotations for hit in annotation.hits]
    labels: list[FailureLabelRow] = [a.label for a in annotations if a.label is not None]
    return [*hits, *labels, *patterns]
