"""Labelling failed trajectories by rule priority and clustering the causes that recur."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from schemas.episode import Episode
from schemas.failures import FailureLabelRow, FailurePatternRow, RuleHitRow
from schemas.fields import Row
from schemas.plans import AnnotateResult, CyclePlan
from schemas.trajectory_forms import AnnotateForm
from tasks.annotator.declared import imported_profile
from tasks.annotator.engine import Annotation, annotate
from tasks.annotator.ordering import with_mined_order
from tasks.annotator.parameters import DEFAULT, Parameters, taxonomy_version
from tasks.annotator.patterns import find_patterns
from tasks.annotator.profile import EnvironmentProfile, profile_of_environment
from tasks.collection import cycle_episodes, train_purpose
from tasks.judging import Judge, judge_failures, open_judge
from tasks.progress import count, expect, in_stage
from tasks.run_caps import run_within
from tasks.stage import stage
from tasks.workbench import Workbench

_ENVIRONMENTS = "SELECT DISTINCT environment FROM trajectories ORDER BY environment"
_OF_ENVIRONMENT = """
SELECT trajectory_id FROM trajectories
WHERE environment = ? AND fault IS NULL
ORDER BY trajectory_id
"""
LABELLED = "failures labelled"


@stage(AnnotateResult)
def annotate_round(
    bench: Workbench, plan: CyclePlan, harness_id: str, round_number: int
) -> AnnotateResult:
    """Label the failures of this round's train trajectories and find patterns."""
    del harness_id  # names the piece of work; the trajectories are linked by round
    episodes = cycle_episodes(bench, plan.cycle_id, train_purpose(round_number))
    profile = profile_of_environment(bench.environment(plan.form.environment))
    annotations = annotate_failures(episodes, with_mined_order(profile, episodes))
    patterns = find_patterns(annotations, episodes)
    bench.land(annotation_rows(annotations, patterns), "annotate_round")
    return AnnotateResult(
        labelled=sum(annotation.label is not None for annotation in annotations),
        patterns=len(patterns),
        eligible=sum(pattern.eligible for pattern in patterns),
    )


@in_stage("annotate")
def annotate_stored(form: AnnotateForm) -> dict[str, Any]:
    """Label every stored failure and find patterns among train trajectories.

    Labels that stand already stay as they are; the same episodes give the same labels.
    """
    bench = Workbench.open()
    parameters = Parameters(decisive_filter=form.protocol == "decisive", use_gold=form.use_gold)
    judge = open_judge(bench, form.judge, use_gold=form.use_gold) if form.judge else None
    if judge is not None:
        # What a judge said in a run that was killed waits to be taken in, and is paid for.
        bench.commit()
    with bench.warehouse.read() as reader:
        names = [str(row[0]) for row in reader.frame(_ENVIRONMENTS).rows()]
    wanted = [name for name in names if form.environment in ("", name)]
    try:
        with run_within(form, bench.settings):
            results = [annotate_environment(bench, name, parameters, judge) for name in wanted]
    finally:
        bench.commit()
    labels: Counter[str] = Counter()
    for result in results:
        labels.update(result["labels"])
    return {
        "taxonomy_version": taxonomy_version(parameters),
        "labelled": sum(labels.values()),
        "labels": dict(sorted(labels.items())),
        **({} if judge is None else _of_judge(judge, results)),
        "environments": results,
    }


def _of_judge(judge: Judge, results: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """What the judge did in all environments."""
    told = [result["judge"] for result in results]
    totals = {
        name: dict(sorted(sum((Counter(one[name]) for one in told), Counter[str]()).items()))
        for name in ("labels", "unlabelled")
    }
    return {
        "judge": judge.source,
        "judge_labels": totals["labels"],
        "unlabelled": totals["unlabelled"],
        "already_judged": sum(one["already"] for one in told),
    }


def annotate_environment(
    bench: Workbench,
    environment: str,
    parameters: Parameters = DEFAULT,
    judge: Judge | None = None,
) -> dict[str, Any]:
    """Label the failures of one environment and land them."""
    with bench.warehouse.read() as reader:
        ids = [str(row[0]) for row in reader.frame(_OF_ENVIRONMENT, [environment]).rows()]
        episodes = reader.episodes(ids)
    annotations = annotate_failures(
        episodes, stored_profile(bench, environment, episodes), parameters
    )
    train = [episode for episode in episodes if episode.trajectory.split == "train"]
    patterns = find_patterns(annotations, train) if parameters == DEFAULT else ()
    bench.land(annotation_rows(annotations, patterns), "annotate")
    labels = Counter(a.label.category for a in annotations if a.label is not None)
    judged = {} if judge is None else {"judge": judge_failures(bench, judge, episodes)}
    return {
        "environment": environment,
        "trajectories": len(episodes),
        "failures": sum(episode.is_failure for episode in episodes),
        "labels": dict(sorted(labels.items())),
        "not_recoverable": _lost(episodes),
        "patterns": len(patterns),
        "eligible": sum(pattern.eligible for pattern in patterns),
        **judged,
    }


def _lost(episodes: Iterable[Episode]) -> dict[str, int]:
    """Failures by kind of evidence that their format cannot hold; such labels are no finding."""
    failed = [episode for episode in episodes if episode.is_failure]
    kinds = Counter(
        kind for episode in failed for kind in json.loads(episode.trajectory.lost_evidence)
    )
    return dict(sorted(kinds.items()))


def stored_profile(
    bench: Workbench, environment: str, episodes: Sequence[Episode]
) -> EnvironmentProfile:
    """Profile of an environment: declared by a live one, else inferred from its episodes."""
    if environment in bench.environment_names():
        profile = profile_of_environment(bench.environment(environment))
    else:
        profile = imported_profile(environment, episodes)
    return with_mined_order(profile, [e for e in episodes if e.trajectory.split == "train"])


def annotate_failures(
    episodes: Iterable[Episode], profile: EnvironmentProfile, parameters: Parameters = DEFAULT
) -> list[Annotation]:
    """Annotate failures in the order of their ids."""
    ordered = sorted(episodes, key=lambda episode: episode.trajectory_id)
    failures = [episode for episode in ordered if episode.is_failure]
    expect(LABELLED, len(failures))
    annotations: list[Annotation] = []
    for episode in failures:
        annotations.append(annotate(episode, profile, parameters))
        count(LABELLED)
    return annotations


def annotation_rows(
    annotations: Sequence[Annotation], patterns: Sequence[FailurePatternRow]
) -> list[Row]:
    """Rows to land for a batch of annotations."""
    hits: list[RuleHitRow] = [hit for annotation in annotations for hit in annotation.hits]
    labels: list[FailureLabelRow] = [a.label for a in annotations if a.label is not None]
    return [*hits, *labels, *patterns]
