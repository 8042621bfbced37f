"""Recorded files of the tau benchmarks; skipped where they are not at hand."""

import json
from collections import Counter

import pytest

TAU = "tau-bench"
TAU2 = "tau2-bench"


def _files(shared):
    return sorted([*(shared / TAU).glob("*.json"), *(shared / TAU2).glob("*.json")])


def test_every_episode_is_imported_once(load, shared):
    result = load(*_files(shared))
    counts = Counter()
    for report in result.reports:
        for name in ("episodes", "imported", "duplicates", "refused", "unknown_task", "redactions"):
            counts[name] += getattr(report.row, name)
    assert counts == {
        "episodes": 109,
        "imported": 108,
        "duplicates": 1,
        "refused": 0,
        "unknown_task": 8,
        "redactions": 0,
    }


@pytest.mark.parametrize(
    ("name", "outcomes"),
    [
        ("tau-bench/gpt-4o-airline.trial0.tasks00-24.json", {"failure": 19, "success": 6}),
        ("tau-bench/grok-3-retail.fractional.first20.json", {"failure": 20}),
        ("tau2-bench/gpt-4.1_airline_default_1trial.20sims.json", {"failure": 10, "success": 10}),
        ("tau2-bench/gpt-4o_telecom_1trial.sims00-09.json", {"failure": 4, "success": 6}),
    ],
)
def test_outcomes_are_those_of_the_file(load, shared, name, outcomes):
    assert load(shared / name).reports[0].outcomes == outcomes


def test_the_episode_that_stands_in_two_files_is_one_trajectory(load, shared):
    result = load(
        shared / TAU / "gpt-4o-airline.trial0.tasks00-24.json",
        shared / TAU / "gpt-4o-airline.trials0-3.task07.json",
    )
    (duplicate,) = result.duplicates
    assert duplicate.source.source_index == 0
    assert duplicate.source.trajectory_id == result.episodes[7].trajectory_id


def test_environments_are_told_from_the_content(load, shared):
    found = Counter(e.trajectory.environment for e in load(*_files(shared)).episodes)
    assert found == {
        "tau_bench_airline": 28,
        "tau_bench_retail": 20,
        "tau2_airline": 42,
        "tau2_retail": 8,
        "tau2_telecom": 10,
    }


def test_every_call_has_its_result(load, shared):
    calls = [call for e in load(*_files(shared)).episodes for call in e.calls]
    assert all(call.result is not None and call.executed for call in calls)
    assert sum(call.requestor == "user" for call in calls) == 60


def test_raw_argument_text_is_recovered_where_there_is_any(load, shared):
    result = load(shared / TAU2 / "gpt-4.1_airline_default_1trial.20sims.json")
    calls = [call for episode in result.episodes for call in episode.calls]
    assert len(calls) == 148
    assert all(json.loads(call.arguments_raw) == json.loads(call.arguments) for call in calls)


def test_tasks_that_do_not_fit_are_noticed(load, shared):
    result = load(shared / TAU2 / "toolorchestra_airline_gpt-5_1trial.sims00-14.json")
    disputed = [e for e in result.episodes if "task_disputed" in e.trajectory.reward_parts]
    assert len(disputed) == 14


def test_first_upload_is_paired_only_on_request(load, shared):
    path = next((shared / TAU2).glob("MALFORMED*.json"))
    assert load(path).reports[0].row.unknown_task == 8
    assert load(path, pair_tasks_by_index=True).reports[0].row.unknown_task == 0


def test_voice_folder_and_transcripts_are_named(load, shared):
    result = load(
        shared / TAU2 / "dir-format-voice", shared / TAU / "MockAirlineDomainEnv-few_shot.jsonl"
    )
    assert result.episodes == ()
    assert len(result.refusals) == 20
    assert "voice run" in result.refusals[0].reason


def test_a_cut_real_file_gives_its_leading_episodes(load, shared, write):
    text = (shared / TAU2 / "gpt-4o_telecom_1trial.sims00-09.json").read_text()
    result = load(write(text[: len(text) * 3 // 4]))
    assert 1 <= len(result.episodes) < 10
    assert len(result.refusals) == 1
