"""NaN and infinities in files: kept as words or refused as arguments, never stored as numbers."""

import json

import pytest

from schemas.tables import TABLES
from schemas.trajectories import ToolCallRow, TrajectoryRow
from tasks.annotator.declared import imported_profile
from tasks.annotator.engine import annotate
from tasks.importers.results import ImportedEpisode
from warehouse.columns import columns_of
from warehouse.digest import table_digests
from warehouse.store import Warehouse

pytestmark = pytest.mark.gx
WORDS = ["NaN", "Infinity", "-Infinity"]


def refuse(word):
    raise AssertionError(word)


def deep(word, levels=40):
    return '{"a": [' * levels + word + "]}" * levels


def stored(home, result):
    """What a warehouse gives back after landing, ingest and publishing, checked to be JSON."""
    store = Warehouse(home)
    for episode in result.episodes:
        rows = ImportedEpisode(episode, result.tasks[0], result.tasks).rows()
        store.land([*rows, *episode.prompts.values()], stage="import")
    report = store.ingest()
    assert (report.failed_segments, report.quarantined) == ({}, 0)
    store.publish()
    with store.read() as reader:
        assert len(table_digests(reader)) > 20
        for table in TABLES.values():
            for row in reader.rows(table.row):
                for column in columns_of(table):
                    if column.is_json and (text := getattr(row, column.name)) is not None:
                        json.loads(text, parse_constant=refuse)
        found = reader.episodes([episode.trajectory_id for episode in result.episodes])
    for episode in found:
        annotate(episode, imported_profile(episode.trajectory.environment, [episode]))
    return found


@pytest.mark.parametrize("word", [*WORDS, "1e999", "-1e999"])
def test_numbers_that_json_lacks_go_through_import_ingest_and_publish(
    load, write, tmp_path, tau_episode, word
):
    episode = tau_episode(reward="@reward@", task_id=3)
    episode["info"]["task"]["actions"][0]["kwargs"] = "@deep@"
    episode["info"]["reward_info"]["info"] = {"r_actions": "@reward@", "outputs": "@deep@"}
    episode["traj"][2]["tool_calls"][0]["function"]["arguments"] = f'{{"id": {word}}}'
    episode["traj"][3]["content"] = "@deep@"
    text = json.dumps([episode]).replace('"@reward@"', word).replace('"@deep@"', deep(word))
    (found,) = stored(tmp_path / "home", load(write(text)))
    row, call = found.trajectory, found.calls[0]
    assert (row.outcome, row.outcome_rule, row.reward) == ("unknown", "reward_not_a_number", None)
    assert f'["{word}"]' in row.reward_parts
    assert f'["{word}"]' in (call.result or "")
    assert (call.arguments_raw, call.arguments) == (f'{{"id": {word}}}', None)
    assert call.arguments_error


@pytest.mark.parametrize("word", [*WORDS, "1e999"])
def test_arguments_that_a_source_has_only_parsed_keep_the_word(
    load, write, tmp_path, tau2_file, simulation, word
):
    run = simulation()
    run["messages"][2]["tool_calls"][0]["arguments"] = {"flight": "@deep@"}
    run["reward_info"] |= {"reward": "@deep@", "info": {"x": "@deep@"}}
    text = json.dumps(tau2_file(run)).replace('"@deep@"', deep(word))
    (found,) = stored(tmp_path / "home", load(write(text)))
    assert f'["{word}"]' in (found.calls[0].arguments or "")
    assert found.trajectory.outcome == "unknown"


@pytest.mark.parametrize("word", WORDS)
def test_a_number_that_json_lacks_in_a_tool_definition_of_the_prompt(
    load, write, tmp_path, tau_episode, word
):
    episode = tau_episode()
    prompt = f'# Airline Agent Policy\n\n#Available tools\n[{{"default": {deep(word)}}}]\n'
    episode["traj"] = [
        {"role": "system", "content": prompt},
        {"role": "user", "content": "Find R1."},
        {"role": "assistant", "content": 'Thought: x\nAction: {"name": "find", "arguments": {}}'},
        {"role": "user", "content": "API output: none"},
        {"role": "assistant", "content": 'Action: {"name": "find", "arguments": {"a": NaN}}'},
        {"role": "user", "content": "###STOP###"},
    ]
    (found,) = stored(tmp_path / "home", load(write([episode])))
    tools = found.prompt_text(found.trajectory.tools_prompt_id)
    assert f'["{word}"]' in tools
    assert [call.arguments for call in found.calls] == ["{}", None]


def test_rows_made_without_validation_are_landed_with_words(load, write, tmp_path, tau_episode):
    result = load(write([tau_episode()]))
    (episode,) = result.episodes
    spoiled = {"arguments": deep("NaN"), "executed_arguments": deep("-Infinity")}
    calls = [call.model_copy(update=spoiled) for call in episode.calls]
    row = episode.trajectory.model_copy(update={"reward_parts": deep("Infinity")})
    store = Warehouse(tmp_path / "home")
    store.land([row, *episode.steps, *calls, *episode.prompts.values()], stage="import")
    assert store.ingest().quarantined == 0
    store.publish()
    with store.read() as reader:
        (stored_call,) = reader.rows(ToolCallRow)
        (stored_row,) = reader.rows(TrajectoryRow)
    assert '["NaN"]' in (stored_call.arguments or "")
    assert '["-Infinity"]' in (stored_call.executed_arguments or "")
    assert '["Infinity"]' in stored_row.reward_parts
