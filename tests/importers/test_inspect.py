"""Inspect logs: both containers, scores, typed tool errors, members that cannot be read."""

import json
import zipfile

import pyarrow
import pytest

from tasks.importers import archive

CALL = {"id": "k", "function": "bash", "arguments": {"cmd": "ls"}, "type": "function"}


def sample(**changes):
    return {
        "id": 7,
        "epoch": 1,
        "input": "Say hello.",
        "target": "hello",
        "messages": [
            {"role": "user", "content": "Say hello."},
            {
                "role": "assistant",
                "content": [
                    {"type": "reasoning", "reasoning": "Hm."},
                    {"type": "text", "text": "I look."},
                ],
                "tool_calls": [CALL],
            },
            {"role": "tool", "tool_call_id": "k", "function": "bash", "content": "a b"},
            {"role": "assistant", "content": "hello"},
        ],
        "scores": {"match": {"value": "C", "answer": "hello"}},
        "model_usage": {"openai/gpt-x": {"input_tokens": 9, "output_tokens": 2}},
        **changes,
    }


def head(**changes):
    described: dict = {"task": "Say Hello", "model": "openai/gpt-x", "run_id": "r1"}
    described["model_generate_config"] = {"seed": 3}
    return {"version": 2, "status": "success", "eval": described, **changes}


def pack(path, members, method=zipfile.ZIP_DEFLATED):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", method) as made:
        for name, value in members.items():
            made.writestr(name, value if isinstance(value, bytes | str) else json.dumps(value))
    return path


def pack_zstd(path, members):
    """Write members with zstandard, as current versions of Inspect do."""
    packed = {
        name: pyarrow.compress(json.dumps(value).encode(), "zstd", asbytes=True)
        for name, value in members.items()
    }
    content = pack(path, packed, zipfile.ZIP_STORED).read_bytes()
    for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        at = content.find(mark)
        while at >= 0:
            content = content[: at + place] + b"\x5d\x00" + content[at + place + 2 :]
            at = content.find(mark, at + 4)
    path.write_bytes(content)
    return path


def members(*samples, **changes):
    named = {f"samples/{s['id']}_epoch_{s['epoch']}.json": s for s in samples}
    return {"_journal/start.json": head(), **named, "header.json": head(), **changes}


def test_a_sample_is_an_episode_with_verdict_seed_and_tokens(load, write):
    (episode,) = load(write(head(samples=[sample(epoch=2)]))).episodes
    row = episode.trajectory
    assert (row.environment, row.task_id) == ("inspect_say_hello", "inspect_say_hello/sample/7")
    assert (row.outcome, row.reward, row.seed, row.repeat) == ("success", 1.0, 3, 1)
    assert (row.prompt_tokens, row.completion_tokens, row.steps) == (9, 2, 2)
    assert (episode.steps[1].text, episode.steps[1].reasoning) == ("I look.", "Hm.")
    assert (episode.calls[0].tool, episode.calls[0].result) == ("bash", "a b")


def test_both_containers_hold_the_same_trajectory(load, write, tmp_path):
    as_json = write(head(samples=[sample()]))
    as_zip = pack(tmp_path / "log.eval", members(sample()))
    result = load(as_json, as_zip)
    assert (len(result.episodes), len(result.duplicates)) == (1, 1)


def test_members_packed_with_zstandard_are_read(load, tmp_path):
    path = pack_zstd(tmp_path / "log.eval", members(sample(), sample(id=8)))
    result = load(path)
    assert [e.trajectory.outcome for e in result.episodes] == ["success"] * 2
    assert result.refusals == ()


@pytest.mark.parametrize(
    ("value", "outcome", "reward"),
    [
        ("C", "success", 1.0),
        ("I", "failure", 0.0),
        ("P", "failure", 0.5),
        ("N", "failure", 0.0),
        (1, "success", 1.0),
        (0.4, "failure", 0.4),
        (True, "success", 1.0),
        ([1, 0], "unknown", None),
        ({"a": 1}, "unknown", None),
        ("good", "unknown", None),
    ],
)
def test_a_score_is_a_letter_a_number_or_a_truth_value(load, write, value, outcome, reward):
    scored = sample(scores={"match": {"value": value}})
    row = load(write(head(samples=[scored]))).episodes[0].trajectory
    assert (row.outcome, row.reward) == (outcome, reward)


def test_scorers_that_differ_decide_nothing_until_one_is_named(load, write):
    scores = {"match": {"value": "C"}, "judge": {"value": "I"}}
    path = write(head(samples=[sample(scores=scores)]))
    row = load(path).episodes[0].trajectory
    assert (row.outcome, row.outcome_rule) == ("unknown", "scorers_differ")
    assert load(path, verdict_field="judge").episodes[0].trajectory.outcome == "failure"


@pytest.mark.parametrize(
    ("limit", "termination"),
    [
        ("message", "budget"),
        ("token", "budget"),
        ("time", "timeout"),
        ("context", "context_overflow"),
    ],
)
def test_a_limit_says_how_it_ended(load, write, limit, termination):
    limited = sample(limit={"type": limit, "limit": 10}, scores={"match": {"value": "I"}})
    row = load(write(head(samples=[limited]))).episodes[0].trajectory
    assert (row.termination, row.outcome, row.fault) == (termination, "failure", None)


def test_a_failed_sample_is_a_fault(load, write):
    error = {"message": "RateLimitError(429)", "traceback": "..."}
    row = load(write(head(samples=[sample(error=error, scores=None)]))).episodes[0].trajectory
    assert (row.outcome, row.fault) == ("unknown", "api_error")


def test_arguments_that_could_not_be_parsed_are_known_by_the_log(load, write):
    bad = sample()
    bad["messages"][1]["tool_calls"] = [{**CALL, "parse_error": "bad JSON: {", "arguments": {}}]
    bad["messages"][2]["error"] = {"type": "parsing", "message": "bad JSON"}
    (call,) = load(write(head(samples=[bad]))).episodes[0].calls
    assert (call.arguments_error, call.is_error) == ("bad JSON: {", True)
    assert call.error_kind == "arguments_not_json"


def test_attached_texts_are_put_back_and_pools_left_alone(load, write):
    attached = sample(attachments={"abc": "the long text"}, message_pool=[{"role": "user"}] * 50)
    attached["messages"][2]["content"] = "attachment://abc"
    (episode,) = load(write(head(samples=[attached]))).episodes
    assert episode.calls[0].result == "the long text"
    assert len(episode.steps) == 4


def test_a_broken_member_costs_itself(load, tmp_path):
    packed = members(sample(), sample(id=8), **{"samples/9_epoch_1.json": '{"id": 9, '})
    result = load(pack(tmp_path / "log.eval", packed))
    assert len(result.episodes) == 2
    assert "log.eval#2 (samples/9_epoch_1.json)" in result.refusals[0].place


def test_a_member_that_unpacks_without_end_is_refused(load, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "LARGEST", 1 << 20)
    bomb = {"samples/8_epoch_1.json": b'{"id": 8, "x": "' + b"a" * (2 << 20)}
    result = load(pack(tmp_path / "log.eval", members(sample(), **bomb)))
    assert len(result.episodes) == 1
    assert "longer than 1 MiB" in result.refusals[0].reason


def test_a_run_that_did_not_finish_is_read_as_far_as_it_got(load, tmp_path):
    unfinished = {k: v for k, v in members(sample()).items() if k != "header.json"}
    result = load(pack(tmp_path / "log.eval", unfinished))
    assert result.episodes[0].trajectory.model == "openai/gpt-x"
    assert "did not finish" in result.reports[0].row.notes


def test_an_archive_that_is_cut_short_is_one_clear_refusal(load, tmp_path):
    path = pack(tmp_path / "log.eval", members(sample()))
    path.write_bytes(path.read_bytes()[:-40])
    assert "the archive cannot be opened" in load(path).refusals[0].reason


def test_another_archive_is_in_no_known_format(load, tmp_path):
    assert "in no known format" in load(pack(tmp_path / "a.zip", {"x.txt": "y"})).refusals[0].reason


def test_recorded_logs_are_read(load, shared):
    folder = shared / "inspect-ai"
    result = load(*sorted([*folder.glob("*.json"), *folder.glob("*.eval")]))
    assert result.refusals == ()
    assert (len(result.episodes), len(result.duplicates)) == (21, 1)
    outcomes = [episode.trajectory.outcome for episode in result.episodes]
    assert [outcomes.count(word) for word in ("success", "failure", "unknown")] == [15, 5, 1]


def test_the_directory_of_an_archive_is_read_as_often_for_many_members(load, tmp_path, monkeypatch):
    opened = []

    class Counted(zipfile.ZipFile):
        def __init__(self, file):
            opened.append(file)
            super().__init__(file)

    paths = [
        pack(tmp_path / f"{many}.eval", members(*(sample(id=n) for n in range(many))))
        for many in (2, 20)
    ]
    monkeypatch.setattr(archive.zipfile, "ZipFile", Counted)
    assert [len(load(path).episodes) for path in paths] == [2, 20]
    assert opened.count(paths[0]) == opened.count(paths[1]) > 0
