"""`tackroom outcome`: verdicts find their episodes, once; what does not is told with its line."""

import json

import pytest

from schemas.ids import make_id
from schemas.trajectories import TrajectorySourceRow, VerdictRow
from warehouse.store import Warehouse

pytestmark = [pytest.mark.slow]


@pytest.fixture
def stored(fill, talk):
    """Four conversations; two of them go by one name."""
    names = ("a", "b", "twice", "twice")
    rows = [row for n, name in enumerate(names) for row in talk(n, session=name)]
    source = TrajectorySourceRow(
        trajectory_id=make_id("traj", ["desk", 1]),
        source_file="runs.json",
        source_index=4,
        raw_sha256="r",
        source_format="chat",
    )
    fill([*rows, source])


@pytest.fixture
def judge(tackroom, tmp_path):
    """Writes records to a file and takes it; gives exit code and result."""

    def take(*records, name="labels.jsonl", options=()):
        path = tmp_path / name
        path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
        ran = tackroom("outcome", str(path), "--json", *options)
        return ran.code, ran.json

    return take


def verdicts(home):
    with Warehouse(home).read() as reader:
        return {(row.trajectory_id, row.source): row for row in reader.rows(VerdictRow)}


def resolved(home, number):
    query = "SELECT outcome, disputed FROM trajectory_outcomes WHERE trajectory_id = ?"
    with Warehouse(home).read() as reader:
        return reader.frame(query, [make_id("traj", ["desk", number])]).rows()[0]


def test_verdicts_are_joined_by_session_trajectory_and_place(judge, stored, home):
    code, result = judge(
        {"session": "a", "success": True},
        {"file": "runs.json", "index": 4, "reward": 0.5},
        {"trajectory_id": make_id("traj", ["desk", 2]), "outcome": "failure"},
    )
    assert (code, result["found"], result["recorded"]) == (0, 3, 3)
    assert resolved(home, 0) == ("success", False)
    assert resolved(home, 1) == ("failure", False)
    assert {source for _, source in verdicts(home)} == {"labels.jsonl"}


def test_the_same_file_again_changes_nothing(judge, stored, home):
    records = [{"session": "a", "success": True}, {"session": "a", "success": True}]
    assert judge(*records)[1]["already"] == 1
    before = verdicts(home)
    code, result = judge(*records)
    assert (code, result["recorded"], result["already"]) == (0, 0, 2)
    assert verdicts(home) == before


def test_what_cannot_be_joined_is_told_with_its_line(judge, stored):
    code, result = judge(
        {"session": "a", "success": True},
        {"session": "nobody", "success": True},
        {"session": "twice", "success": True},
        {"session": "b", "success": "so-so"},
    )
    assert code == 3
    assert [(row["line"], row["problem"]) for row in result["problems"]] == [
        (2, "unmatched"),
        (3, "ambiguous"),
        (4, "invalid"),
    ]
    assert [result[kind] for kind in ("unmatched", "ambiguous", "invalid")] == [1, 1, 1]


def test_another_verdict_of_the_same_source_is_a_conflict_and_the_first_stays(judge, stored, home):
    code, result = judge({"session": "a", "success": True}, {"session": "a", "success": False})
    assert (code, result["recorded"], result["conflict"]) == (3, 1, 1)
    assert "line 1 says otherwise" in result["problems"][0]["reason"]
    code, result = judge({"session": "a", "success": False})
    assert (code, result["conflict"]) == (1, 1)
    assert "stored is success" in result["problems"][0]["reason"]
    assert resolved(home, 0) == ("success", False)


def test_verdicts_of_two_sources_stand_side_by_side_and_are_disputed(judge, stored, home):
    judge({"session": "a", "success": True}, options=("--source", "production"))
    judge({"session": "a", "success": False}, options=("--source", "support"))
    assert resolved(home, 0) == ("unknown", True)


def test_a_disputed_verdict_is_marked(judge, stored, home):
    judge({"session": "a", "success": True, "disputed": True})
    assert resolved(home, 0) == ("success", True)


def test_a_name_is_looked_for_in_one_environment_when_it_is_given(judge, fill, talk):
    fill([*talk(1, session="a"), *talk(1, session="a", environment="shop")])
    assert judge({"session": "a", "success": True})[1]["ambiguous"] == 1
    code, result = judge({"session": "a", "success": True}, options=("--environment", "shop"))
    assert (code, result["recorded"]) == (0, 1)


def test_a_file_of_many_batches_is_told_from_its_first_record_to_its_last(judge, stored):
    many = [{"session": f"x{n}", "success": True} for n in range(11_000)]
    code, result = judge({"session": "a", "success": True}, *many, {"session": "a", "success": 0})
    assert (code, result["records"], result["unmatched"], result["conflict"]) == (
        3,
        11_002,
        11_000,
        1,
    )
    assert (len(result["problems"]), result["problems_left_out"]) == (100, 10_901)


def test_mistakes_are_one_line(tackroom, stored, tmp_path):
    (tmp_path / "odd.csv").write_text("name,verdict\na,good\n")
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "good.jsonl").write_text('{"session": "a", "success": true}\n')
    for arguments, code, words in (
        ((str(tmp_path / "none.csv"),), 2, "there is no file"),
        ((str(tmp_path / "odd.csv"),), 2, "line 1"),
        ((str(tmp_path / "good.jsonl"), "--environment", "desc"), 2, "`desc`"),
        ((str(tmp_path / "empty.jsonl"),), 1, "no verdict of"),
    ):
        ran = tackroom("outcome", *arguments)
        assert ran.code == code, ran.err
        assert words in ran.err
        said = [line for line in ran.err.splitlines() if line.startswith("tackroom: ")]
        assert len(said) == 1
