"""Recorded replies: told again exactly, refused clearly when the file is not what it should be."""

import gzip
import json

import pytest

from schemas.errors import ConfigError
from tasks.agent.builtin_models import GoldModel, ScriptedModel
from tasks.agent.episode_spec import EpisodeSpec
from tasks.agent.protocols import Call, ModelReply, RawCall
from tasks.agent.recorded_models import RecordingModel, ReplayModel

SCRIPT = [
    ModelReply(
        text="a\N{GRINNING FACE}\n",
        calls=(RawCall("add", '{ "n":3 }', "id1"),),
        reasoning="because",
        prompt_tokens=4,
        completion_tokens=2,
        latency_s=0.5,
        cost_usd=0.25,
    ),
    Call("hand_in", {}),
]
VOLATILE = {"trajectory_id", "tool_call_id", "model", "model_fingerprint", "latency_s", "cost_usd"}


@pytest.fixture
def file(tmp_path):
    return tmp_path / "replies.jsonl"


def told(episode):
    rows = [episode.trajectory, *episode.steps, *episode.calls]
    return [row.model_dump(exclude=VOLATILE) for row in rows]


def record(bench, file, model=None):
    return bench.one(RecordingModel(model or ScriptedModel(SCRIPT), file))


def test_an_episode_told_from_a_file_is_the_recorded_one(bench, file):
    recorded = record(bench, file)
    model = ReplayModel.from_file(file)
    replayed = bench.one(model)
    assert told(replayed) == told(recorded)
    assert (model.name, model.is_deterministic) == ("replay:replies.jsonl", True)
    assert replayed.trajectory.cost_usd is None


def test_recording_changes_nothing(bench, file):
    assert record(bench, file) == bench.one(ScriptedModel(SCRIPT))


def test_an_unseen_prompt_is_a_fault_that_says_what_to_do(bench, file):
    record(bench, file)
    episode = bench.one(ReplayModel.from_file(file), EpisodeSpec(bench.task, seed=8))
    assert episode.trajectory.fault == "model_unseen_prompt"
    assert "record it again" in (episode.trajectory.termination_raw or "")


def test_the_same_request_is_asked_once(bench, file):
    model = ScriptedModel(SCRIPT, is_simulated=False)
    specs = [EpisodeSpec(bench.task, 7)] * 4
    episodes = bench.run(RecordingModel(model, file), *specs)
    assert len({episode.trajectory.transcript_sha256 for episode in episodes}) == 1
    assert len(model.requests) == 2


def test_a_recording_is_continued_in_a_second_run(bench, file):
    first = ScriptedModel([*SCRIPT[:1]], is_simulated=False, name="m")
    tasks = bench.environment.tasks("train")
    record(bench, file, ScriptedModel(SCRIPT, is_simulated=False))
    again = ScriptedModel(SCRIPT, is_simulated=False)
    episode = record(bench, file, again)
    assert again.requests == []
    assert episode.trajectory.outcome == "success"
    assert first.requests == []
    bench.one(RecordingModel(again, file), EpisodeSpec(tasks[0], 7))
    assert len(again.requests) == 2


def test_a_file_of_another_model_is_not_written_to(bench, file):
    record(bench, file)
    before = file.read_bytes()
    with pytest.raises(ConfigError, match="replies of scripted"):
        RecordingModel(GoldModel(), file)
    assert file.read_bytes() == before


def test_a_file_that_is_not_there_says_how_to_make_one(tmp_path):
    with pytest.raises(ConfigError, match="--record"):
        ReplayModel.from_file(tmp_path / "none.jsonl")


@pytest.mark.parametrize(
    ("spoil", "line"),
    [
        (lambda text: text[:-20], 3),
        (lambda text: text.replace('"reply"', '"answer"', 1), 2),
        (lambda text: text.replace("{", "[", 1), 1),
        (lambda text: text.replace('"tackroom_replies": 1', '"tackroom_replies": 9'), 1),
        (lambda text: text + "\n", 4),
        (lambda text: text.replace('"text"', '"txt"', 1) + "null\n", 4),
        (lambda text: "", 1),
    ],
    ids=["cut", "key", "header", "format", "empty_line", "null", "empty"],
)
def test_a_spoilt_file_is_refused_with_its_line(bench, file, spoil, line):
    record(bench, file)
    file.write_text(spoil(file.read_text()))
    with pytest.raises(ConfigError, match=rf"line {line}:"):
        ReplayModel.from_file(file)


def test_bytes_that_are_no_text_are_refused_with_their_line(bench, file):
    record(bench, file)
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(lines[0] + b'{"request": "\xff"}\n' + b"".join(lines[1:]))
    with pytest.raises(ConfigError, match="line 2"):
        ReplayModel.from_file(file)


def test_every_line_is_one_json_object(bench, file):
    record(bench, file)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert lines[0]["model"] == "scripted"
    assert lines[1]["reply"]["calls"][0]["arguments"] == '{ "n":3 }'


def test_a_full_disk_is_one_clear_line(bench):
    from pathlib import Path

    with pytest.raises(ConfigError, match=r"full cannot be written: No space left"):
        bench.one(RecordingModel(ScriptedModel(SCRIPT), Path("/dev/full")))


def test_a_gzipped_file_answers_as_the_plain_one(bench, file):
    recorded = record(bench, file)
    packed = file.with_suffix(".jsonl.gz")
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert told(bench.one(ReplayModel.from_file(packed))) == told(recorded)


@pytest.mark.parametrize(
    "content", [b"no gzip", gzip.compress(b"{}" * 500)[:-20]], ids=["other", "cut"]
)
def test_a_file_that_cannot_be_unpacked_is_refused(tmp_path, content):
    packed = tmp_path / "replies.jsonl.gz"
    packed.write_bytes(content)
    with pytest.raises(ConfigError, match="cannot be unpacked"):
        ReplayModel.from_file(packed)


def test_nothing_is_recorded_into_a_compressed_file(tmp_path):
    with pytest.raises(ConfigError, match="compress it afterwards"):
        RecordingModel(ScriptedModel(SCRIPT), tmp_path / "replies.jsonl.gz")


def test_a_replay_is_as_steady_as_the_recorded_model_was(bench, file):
    record(bench, file, ScriptedModel(SCRIPT, is_deterministic=False))
    assert not ReplayModel.from_file(file).is_deterministic
