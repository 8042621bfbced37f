"""Whatever is wrong with a file costs what is wrong, and is named with file, position, reason."""

import json

import pytest


@pytest.fixture
def three(tau_episode):
    return [tau_episode(task_id=number) for number in range(3)]


def _tasks(result):
    return sorted(episode.trajectory.task_id.rsplit("/", 1)[1] for episode in result.episodes)


def test_a_truncated_file_gives_its_whole_episodes_and_names_the_rest(load, write, three):
    text = json.dumps(three)
    result = load(write(text[:-300]))
    assert _tasks(result) == ["0", "1"]
    (row,) = result.refusals
    assert row.place.startswith("run.json#2 (character ")
    assert "ends in the middle" in row.reason
    assert result.reports[0].row.refused == 1


def test_a_file_cut_between_two_episodes_says_that_something_is_missing(load, write, three):
    text = json.dumps(three)
    result = load(write(text[: text.rindex(', {"task_id": 2')]))
    assert _tasks(result) == ["0", "1"]
    assert "before its list is closed" in result.refusals[0].reason


def test_a_truncated_object_gives_its_whole_simulations(load, write, tau2_file, simulation):
    text = json.dumps(tau2_file(simulation(), simulation(id="b")))
    result = load(write(text[:-200]))
    assert len(result.episodes) == 1
    assert result.episodes[0].trajectory.environment == "tau2_airline"
    assert result.refusals[0].place.startswith("run.json#1")


@pytest.mark.parametrize(
    "broken",
    [
        '{"task_id": 1, "traj": tru}',
        '{"task_id": 1, "traj": [[[}',
        '{"task_id": 1, "reward": 1, "traj": [',
        '{"task_id": 1, "traj": []}}',
        '{"task_id" 1 "traj": []}',
        '{"task_id": 1, "reward": 1.0, "traj": "text", "info": {}}',
        '{"task_id": 1, "reward": 1.0, "traj": [5], "info": {}}',
        '{"task_id": 1, "reward": 1.0, "traj": [{"role": 3}], "info": {}}',
        '{"task_id": 1, "reward": 1.0, "traj": null, "info": 4}',
        '"an episode"',
        "17",
        "null",
        '{"traj": ' + "[" * 100_000 + "]" * 100_000 + "}",
    ],
    ids=lambda text: text[:40],
)
def test_a_bad_episode_never_loses_its_siblings(load, write, three, broken):
    texts = [json.dumps(three[0]), broken, json.dumps(three[2])]
    result = load(write(f"[{', '.join(texts)}]"))
    assert _tasks(result) == ["0", "2"]
    assert len(result.refusals) >= 1
    assert "run.json#1" in result.refusals[0].place


def test_a_bad_first_episode_does_not_hide_the_format(load, write, three):
    result = load(write([None, 5, "x", *three]))
    assert _tasks(result) == ["0", "1", "2"]
    assert len(result.refusals) == 3


def test_bad_lines_are_refused_one_by_one(load, write, three):
    lines = ['{"broken', *map(json.dumps, three), "[1]", "", "nonsense"]
    result = load(write("\n".join(lines), "run.jsonl"))
    assert _tasks(result) == ["0", "1", "2"]
    assert [row.place for row in result.refusals] == [
        "run.jsonl#0 (line 1)",
        "run.jsonl#4 (line 5)",
        "run.jsonl#5 (line 7)",
    ]


def test_the_container_is_told_by_content_not_by_the_name(load, write, three):
    assert len(load(write("\n".join(map(json.dumps, three)), "a.json")).episodes) == 3
    assert len(load(write(json.dumps(three, indent=2), "b.jsonl")).episodes) == 3
    assert len(load(write(json.dumps(three[0]), "c.txt")).episodes) == 1


def test_a_broken_head_does_not_lose_the_simulations(load, write, tau2_file, simulation):
    text = json.dumps(tau2_file(simulation())).replace('"git_commit": "abc"', '"git_commit": abc')
    result = load(write(text))
    assert len(result.episodes) == 1
    assert result.episodes[0].trajectory.model == "unknown"
    assert "cannot be read" in result.reports[0].row.notes


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xff\xfe"])
def test_a_byte_order_mark_is_no_obstacle(load, write, three, mark):
    encoding = "utf-8" if mark == b"\xef\xbb\xbf" else "utf-16-le"
    path = write(mark + json.dumps(three).encode(encoding))
    assert len(load(path).episodes) == 3


def test_lone_surrogates_and_nuls_are_replaced_and_counted(load, write, tau_episode):
    episode = tau_episode()
    episode["traj"][4]["content"] = "PLACE"
    text = json.dumps([episode]).replace("PLACE", r"\udcb2 x \u0000 \ud83d\ude00")
    result = load(write(text))
    assert result.episodes[0].steps[4].text == "\ufffd x \ufffd \U0001f600"
    assert result.reports[0].row.replaced_characters == 2


def test_bytes_that_are_no_text_are_replaced_and_counted(load, write, tau_episode):
    episode = tau_episode()
    episode["traj"][4]["content"] = "PLACE"
    result = load(write(json.dumps([episode]).encode().replace(b"PLACE", b"caf\xe9")))
    assert result.episodes[0].steps[4].text == "caf\ufffd"
    assert result.reports[0].row.replaced_characters == 1


@pytest.mark.parametrize(
    ("content", "position"),
    [
        (b"\x00" * 100, 0),
        (b" \r\n" + b"\x00" * 100, 3),
        (b" " * (3 << 20) + b"\x00", 3 << 20),
        (b"\xef\xbb\xbf\x00", 0),
        (b"hello world", 0),
        (b"\n\x01\x02", 1),
        (b"%PDF-1.4", 0),
        (b'  "unfinished', 2),
        (b"{a: 1}\n{b: 2}\n", 1),
    ],
    ids=["nuls", "blanks_and_nuls", "late_nul", "bom", "words", "binary", "pdf", "text", "keys"],
)
def test_a_file_that_is_not_json_is_named_so_with_the_position(load, write, content, position):
    reason = load(write(content)).refusals[0].reason
    assert reason.startswith("the file is not JSON: ")
    assert f"at character {position};" in reason


@pytest.mark.parametrize(
    "content", [b"", b"  \n", b" " * (3 << 20)], ids=["nothing", "blanks", "many_blanks"]
)
def test_an_empty_file_is_one_clear_refusal(load, write, content):
    result = load(write(content))
    assert "empty" in result.refusals[0].reason
    assert result.reports[0].row.source_format == "unknown"


@pytest.mark.parametrize(
    "content",
    [b"task_id,reward\n1,0\n", b"[]", b"{}", b'{"a": [1, 2]}', b"PK\x03\x04zip", b"7", b"[[1]]"],
)
def test_an_unknown_file_is_refused_with_the_known_formats(load, write, content):
    result = load(write(content))
    assert len(result.refusals) == 1
    assert "tau2-bench results" in result.refusals[0].reason


def test_files_that_cannot_be_opened_are_named(load, tmp_path, write, three):
    result = load(tmp_path / "absent.json", tmp_path, write(three))
    assert len(result.episodes) == 3
    assert "No such file" in result.refusals[0].reason
    assert "directory" in result.refusals[1].reason
    assert len(result.reports) == 3


def test_few_shot_transcripts_are_named_line_by_line(load, write):
    line = json.dumps({"messages_display": "user: hi\nassistant: None"})
    result = load(write(f"{line}\n{line}\n", "few.jsonl"))
    assert [row.place for row in result.refusals] == [
        "few.jsonl#0 (line 1)",
        "few.jsonl#1 (line 2)",
    ]
    assert "plain-text transcript" in result.refusals[0].reason


def test_a_ten_megabyte_text_is_imported(load, write, tau_episode):
    episode = tau_episode()
    episode["traj"][4]["content"] = 'x"\\' * 3_500_000
    made = load(write([episode])).episodes[0]
    assert len(made.steps[4].text) == 10_500_000
