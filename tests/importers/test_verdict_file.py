"""Files of later verdicts: what a record may look like, and what is told of one that may not."""

import json

import pytest

from schemas.errors import ConfigError
from tasks.importers.verdict_file import (
    MAX_LINE,
    BadRecord,
    EpisodeKey,
    LaterVerdict,
    read_verdicts,
)

TRAJECTORY = "traj_0123456789abcdef"


@pytest.fixture
def read(tmp_path):
    def records(text, name="labels.jsonl"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return list(read_verdicts(path))

    return records


def one(read, **record):
    (found,) = read(json.dumps(record))
    return found


@pytest.mark.parametrize(
    ("record", "key"),
    [
        ({"trajectory_id": TRAJECTORY}, EpisodeKey(trajectory_id=TRAJECTORY)),
        ({"session": "chat 7"}, EpisodeKey(session="chat 7")),
        ({"session": TRAJECTORY}, EpisodeKey(session=TRAJECTORY)),
        ({"key": TRAJECTORY}, EpisodeKey(trajectory_id=TRAJECTORY)),
        ({"key": "chat 7"}, EpisodeKey(session="chat 7")),
        ({"key": 7}, EpisodeKey(session="7")),
        ({"file": "a.json", "index": 3}, EpisodeKey(file="a.json", index=3)),
        ({"file": "a.json", "index": "3"}, EpisodeKey(file="a.json", index=3)),
    ],
)
def test_an_episode_is_named_in_four_ways(read, record, key):
    assert one(read, success=True, **record) == LaterVerdict(
        1, key, "success", None, disputed=False
    )


@pytest.mark.parametrize(
    ("said", "outcome", "reward"),
    [
        ({"success": True}, "success", None),
        ({"success": 0}, "failure", None),
        ({"success": "Yes"}, "success", None),
        ({"success": "unknown"}, "unknown", None),
        ({"outcome": "failure"}, "failure", None),
        ({"outcome": "success", "success": 1}, "success", None),
        ({"reward": 1}, "success", 1.0),
        ({"reward": 0.5}, "failure", 0.5),
        ({"reward": "0.99999999"}, "success", 0.99999999),
        ({"success": False, "reward": 0.9}, "failure", 0.9),
    ],
)
def test_a_verdict_is_a_success_an_outcome_or_a_reward(read, said, outcome, reward):
    found = one(read, key="a", **said)
    assert (found.outcome, found.reward) == (outcome, reward)


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"success": True}, "names no episode"),
        ({"key": "a"}, "gives no verdict"),
        ({"key": "a", "sucess": True}, "gives no verdict"),
        ({"key": "a", "success": "maybe"}, "'maybe' is no verdict"),
        ({"key": "a", "success": 0.7}, "'0.7' is no verdict"),
        ({"key": "a", "success": True, "outcome": "failure"}, "contradict"),
        ({"key": "a", "reward": "much"}, "'much' is no number"),
        ({"key": "a", "reward": "nan"}, "is no number"),
        ({"key": "a", "reward": True}, "is no number"),
        ({"key": "a", "reward": 10**400}, "is no number"),
        ({"key": "a", "success": True, "disputed": "perhaps"}, "disputed 'perhaps'"),
        ({"key": ["a"], "success": True}, "key is no text"),
        ({"key": "x" * 1001, "success": True}, "longer than 1000"),
        ({"key": "a", "session": "b", "success": True}, "two ways"),
        ({"trajectory_id": "seven", "success": True}, "trajectory_id 'seven' is none"),
        ({"file": "a.json", "success": True}, "index '' is no position"),
        ({"file": "a.json", "index": -1, "success": True}, "index '-1' is no position"),
    ],
)
def test_a_record_that_cannot_be_used_says_why(read, record, reason):
    found = one(read, **record)
    assert isinstance(found, BadRecord)
    assert reason in found.reason


def test_csv_is_read_with_its_line_numbers(read):
    text = '\ufeffKey,Success,Reward,note\na,true,,x\n\n"b,\nc",false,0.25,y\nd,true\n'
    assert read(text, "labels.csv") == [
        LaterVerdict(2, EpisodeKey(session="a"), "success", None, disputed=False),
        LaterVerdict(4, EpisodeKey(session="b,\nc"), "failure", 0.25, disputed=False),
        BadRecord(6, "has 2 cells, the header has 4"),
    ]


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_csv_may_use_other_delimiters(read, delimiter):
    text = f"session{delimiter}reward{delimiter}disputed\na{delimiter}1{delimiter}yes\n"
    (found,) = read(text, "labels.txt")
    assert (found.key.session, found.outcome, found.disputed) == ("a", "success", True)


def test_lines_that_are_no_json_are_told_and_the_others_read(read):
    found = read(b'{"key": "a", "success": 1}\n\nno\n[1]\n{"key": "b\xff", "success": 0}')
    assert [record.line for record in found] == [1, 3, 4, 5]
    assert [isinstance(record, BadRecord) for record in found] == [False, True, True, False]
    assert found[3].key.session == "b\ufffd"


def test_a_line_without_end_is_refused_and_the_next_one_read(read):
    long = json.dumps({"key": "x" * 2 * MAX_LINE, "success": True})
    found = read(f'{long}\n{{"key": "a", "success": true}}\n')
    assert (found[0].line, "longer than" in found[0].reason) == (1, True)
    assert found[1].key.session == "a"


def test_a_quote_that_is_never_closed_ends_the_reading(read):
    lines = "".join(f"{n},true\n" for n in range(40_000))
    found = read(f'key,success\na,true\n"b,true\n{lines}', "labels.csv")
    assert [type(record) for record in found] == [LaterVerdict, BadRecord]
    assert (found[1].line, "nor can what follows" in found[1].reason) == (3, True)


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("", "labels.csv", "names no episode, or no verdict"),
        ("a,b\n1,2\n", "labels.csv", "line 1"),
        ("key,note\n1,2\n", "labels.csv", "one of success, outcome, reward"),
        ('[{"key": "a"}]', "labels.json", "one JSON object a line"),
        ('[\n{"key": "a"}\n]', "labels.json", "one JSON object a line"),
    ],
)
def test_a_file_of_another_shape_is_one_clear_error(read, text, name, words):
    with pytest.raises(ConfigError, match=words):
        read(text, name)


def test_a_file_that_is_not_there_is_one_clear_error(tmp_path):
    with pytest.raises(ConfigError, match="there is no file"):
        list(read_verdicts(tmp_path / "none.csv"))
    with pytest.raises(ConfigError, match="is no file"):
        list(read_verdicts(tmp_path))


def test_a_report_of_swe_bench_is_a_verdict_on_each_instance(read):
    report = {
        "total_instances": 4,
        "resolved_ids": ["a__a-1"],
        "unresolved_ids": ["b__b-2"],
        "empty_patch_ids": ["c__c-3"],
        "error_ids": ["d__d-4"],
    }
    found = read(json.dumps(report, indent=1), "run.json")
    assert {record.key.session: record.outcome for record in found} == {
        "a__a-1": "success",
        "b__b-2": "failure",
        "c__c-3": "failure",
        "d__d-4": "unknown",
    }


def test_reports_of_single_instances_and_older_ones_are_read(read):
    (one,) = read(json.dumps({"a__a-1": {"resolved": True, "tests_status": {}}}), "report.json")
    assert (one.key.session, one.outcome) == ("a__a-1", "success")
    old = read(json.dumps({"generated": ["a", "b"], "resolved": ["a"], "no_generation": ["c"]}))
    assert {r.key.session: r.outcome for r in old} == {
        "a": "success",
        "c": "failure",
        "b": "failure",
    }
