"""Recorded failures against two readings that agree; skipped where the files are not at hand.

The floors are conservative on purpose: the rules were written from the guide, and the figures of
`docs/annotation.md` are printed by this test (`pytest -s`).
"""

import json
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path

import pytest

from schemas.ids import make_id
from tasks.annotator.agreement import ReferenceLabel, measure_agreement
from tasks.annotator.declared import imported_profile
from tasks.annotator.engine import annotate
from tasks.annotator.parameters import DEFAULT, NO_GOLD, PAPER
from tasks.annotator.patterns import find_patterns
from tasks.importers.engine import import_files

SHARED = Path(__file__).parents[2].parent / "shared" / "trajectories"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="recorded files are not at hand")


@pytest.fixture(scope="module")
def imported():
    files = [*(SHARED / "tau-bench").glob("*.json"), *(SHARED / "tau2-bench").glob("*.json")]
    return import_files(
        sorted(files),
        harness_of=lambda name: make_id("harn", name),
        now=datetime(2026, 1, 1, tzinfo=UTC),
    )


@pytest.fixture(scope="module")
def profiles(imported):
    groups = defaultdict(list)
    for episode in imported.episodes:
        groups[episode.trajectory.environment].append(episode)
    return {name: imported_profile(name, group) for name, group in groups.items()}


@pytest.fixture(scope="module")
def reference(imported):
    ids = {(s.source_file, s.source_index): s.trajectory_id for s in imported.sources}
    found = {}
    for line in (SHARED / "labels" / "consensus.jsonl").read_text().splitlines():
        label = json.loads(line)
        name, index = label["key"].rsplit("#", 1)
        file = name.rsplit("/", 1)[-1]
        found[label["key"]] = ReferenceLabel(
            ids[file, int(index)],
            label["category"],
            tuple(label["bullet"].split("|")),
            label["step"],
        )
    return found


def _labels(imported, profiles, parameters=DEFAULT):
    return [
        annotate(episode, profiles[episode.trajectory.environment], parameters)
        for episode in imported.episodes
    ]


@pytest.mark.parametrize(
    ("parameters", "kappa", "near"), [(DEFAULT, 0.5, 0.55), (NO_GOLD, 0.3, 0.5), (PAPER, 0.4, 0.5)]
)
def test_rules_agree_with_the_readings(imported, profiles, reference, parameters, kappa, near):
    labels = [a.label for a in _labels(imported, profiles, parameters) if a.label]
    found = measure_agreement(list(reference.values()), labels, seed=1)
    print("\n", parameters, found)  # noqa: T201 - the figures for the documentation
    assert found.items == len(reference)
    assert (found.kappa.value or 0.0) >= kappa
    assert (found.near_steps or 0.0) >= near


def test_agreement_holds_on_each_file_left_out(imported, profiles, reference):
    labels = [a.label for a in _labels(imported, profiles) if a.label]
    by_file = defaultdict(list)
    for key, label in reference.items():
        by_file[key.rsplit("#", 1)[0]].append(label)
    for file, group in by_file.items():
        only, rest = (
            measure_agreement(part, labels, seed=1)
            for part in (group, [x for x in reference.values() if x not in group])
        )
        shares = f"category {only.category_share} step {only.near_steps}"
        print(f"{file}: {only.items} {shares}; without it: {rest.kappa.value}")  # noqa: T201
        assert (rest.kappa.value or 0.0) >= 0.5


def test_every_failure_has_one_label_with_step_and_evidence(imported, profiles):
    for episode, annotation in zip(imported.episodes, _labels(imported, profiles), strict=True):
        label = annotation.label
        assert (label is not None) == episode.is_failure
        if label is None:
            assert annotation.hits == ()
            continue
        assert label.step_index is not None or label.bullet == "NA"
        assert json.loads(label.evidence)
        steps = {step.step_index for step in episode.steps}
        assert label.step_index is None or label.step_index in steps


def test_rules_without_gold_do_not_read_it(imported, profiles):
    for annotation in _labels(imported, profiles, NO_GOLD):
        assert not any(hit.uses_gold for hit in annotation.hits)
    for episode in imported.episodes:
        blind = episode.trajectory.model_copy(update={"reward_parts": "{}"})
        profile = profiles[episode.trajectory.environment]
        seen = annotate(episode, profile, NO_GOLD)
        unseen = annotate(type(episode)(**{**vars(episode), "trajectory": blind}), profile, NO_GOLD)
        assert seen == unseen


def test_real_failures_form_patterns_in_two_layers(imported, profiles):
    patterns = find_patterns(_labels(imported, profiles), imported.episodes)
    eligible = [pattern for pattern in patterns if pattern.eligible]
    assert len(eligible) >= 3
    assert len({pattern.layer for pattern in eligible}) >= 2
