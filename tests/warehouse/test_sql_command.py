"""`tackroom sql` says when it does not show everything."""

import csv
import io
import json

import pytest

HUGE = "SELECT 7 AS n, repeat('x', 50000000) AS text"


@pytest.fixture(scope="module")
def tackroom(make_command_line):
    return make_command_line("sql", {"COLUMNS": "1000000"})


def test_a_table_with_a_huge_value_shortens_it_and_says_so(tackroom):
    lines = tackroom("sql", HUGE).out.splitlines()
    assert len(lines) == 4
    assert lines[2].lstrip().startswith("7  xxx")
    assert lines[2].endswith("x…[shortened, 50000000 characters in all]")
    assert len(lines[2]) < 110_000
    assert lines[3] == "truncated: values too long to be shown whole: 1"


def test_json_with_a_huge_value_is_truncated_and_holds_the_rest(tackroom):
    ran = tackroom("sql", HUGE, "--json")
    (row,) = ran.json["rows"]
    assert ran.json["truncated"] is True
    assert row["n"] == 7
    assert len(row["text"]) > 15_000_000
    assert row["text"].endswith("x…[shortened, 50000000 characters in all]")
    assert ran.last_line == "truncated: values too long to be shown whole: 1"


def test_json_says_when_rows_are_left_out(tackroom):
    ran = tackroom("sql", "SELECT * FROM range(9) AS t(i)", "--limit", "2", "--json")
    assert ran.json == {"columns": ["i"], "rows": [{"i": 0}, {"i": 1}], "truncated": True}


@pytest.mark.parametrize("query", ["SELECT 1 AS i", "SELECT 1 AS i WHERE FALSE"])
def test_json_of_a_whole_answer_says_that_nothing_is_left_out(tackroom, query):
    ran = tackroom("sql", query, "--json")
    assert json.loads(ran.out)["truncated"] is False
    assert ran.err == ""


def test_csv_stays_csv_and_says_it_on_stderr(tackroom):
    ran = tackroom("sql", "SELECT * FROM range(9) AS t(i)", "--limit", "2", "--format", "csv")
    assert list(csv.reader(io.StringIO(ran.out))) == [["i"], ["0"], ["1"]]
    assert ran.last_line == "truncated: cut after 2 rows"


def test_a_damaged_snapshot_is_replaced_with_one_warning_and_the_query_answered(make_command_line):
    tackroom = make_command_line("damaged")
    tackroom("sql", "SELECT 1")
    (tackroom.home / "snapshots" / "000001.duckdb").write_bytes(b"not a database")
    ran = tackroom("sql", "SELECT count(*) AS n FROM tasks", "--json")
    assert ran.json["rows"] == [{"n": 0}]
    assert ran.err == (
        "warning: 000001 was damaged; 000002.duckdb is a new copy of the live file\n"
    )
    assert tackroom("sql", "SELECT 1").err == ""
