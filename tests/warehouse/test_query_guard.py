import json

import pytest

from schemas.errors import ConfigError
from warehouse.query_guard import QueryLimits, run_query
from warehouse.store import Warehouse

REFUSED = {
    "insert": "INSERT INTO prompts VALUES ('a', 'task', 'x')",
    "update": "UPDATE steps SET text = 'x'",
    "delete": "DELETE FROM steps",
    "delete hidden behind WITH": "WITH x AS (SELECT 1) DELETE FROM steps",
    "drop": "DROP TABLE steps",
    "create": "CREATE TABLE x (a INTEGER)",
    "temporary table": "CREATE TEMP TABLE x AS SELECT 1",
    "alter": "ALTER TABLE steps DROP COLUMN text",
    "second statement": "SELECT 1; DROP TABLE steps",
    "second statement behind a comment": "SELECT 1 /* ; */; -- x\nSELECT 2",
    "second statement behind a NUL": "SELECT 1\x00; DROP TABLE steps",
    "copy out": "COPY steps TO '{folder}/out.csv'",
    "copy in": "COPY steps FROM '/etc/passwd'",
    "explain a copy": "EXPLAIN ANALYZE COPY (SELECT 1) TO '{folder}/out.csv'",
    "explain an insert": "EXPLAIN ANALYZE INSERT INTO prompts VALUES ('a', 'task', 'x')",
    "attach": "ATTACH '{folder}/other.duckdb'",
    "install": "INSTALL httpfs",
    "load": "LOAD json",
    "pragma": "PRAGMA memory_limit = '100GB'",
    "set": "SET memory_limit = '100GB'",
    "reset": "RESET enable_external_access",
    "call": "CALL pragma_version()",
    "export": "EXPORT DATABASE '{folder}/out'",
    "import": "IMPORT DATABASE '{folder}'",
    "checkpoint": "CHECKPOINT",
    "prepare": "PREPARE p AS SELECT 1",
    "transaction": "BEGIN TRANSACTION",
    "variable": "SET VARIABLE x = 1",
    "use": "USE temp",
    "read csv": "SELECT * FROM read_csv('/etc/passwd')",
    "read text": "SELECT * FROM read_text('/etc/passwd')",
    "read bytes": "SELECT * FROM read_blob('/etc/passwd')",
    "read json": "SELECT * FROM read_json('/etc/passwd')",
    "read parquet": "SELECT * FROM read_parquet('/etc/passwd')",
    "sniff": "SELECT * FROM sniff_csv('/etc/passwd')",
    "glob": "SELECT * FROM glob('/etc/*')",
    "file in a subquery": "SELECT 1 WHERE 1 IN (SELECT size FROM read_text('/etc/hosts'))",
    "empty": "  ",
    "only a comment": "-- nothing",
}
FAILING = {
    "file as table": "SELECT * FROM '/etc/passwd'",
    "environment": "SELECT getenv('HOME')",
    "python variable": "SELECT * FROM request",
    "write behind a table function": "SELECT * FROM query('DROP TABLE steps')",
    "not SQL": "SELEC 1",
    "very deep": "SELECT " + "-" * 5_000 + "1",
    "very long sum": "SELECT " + "+".join(["1"] * 20_000),
}
ANSWERED = {
    "select": "SELECT count(*) AS n FROM steps",
    "view": "SELECT name FROM harness_names_in_force",
    "from first": "FROM trajectories LIMIT 1",
    "with": "WITH x AS (SELECT 1 AS one) SELECT one FROM x",
    "values": "VALUES (1), (2)",
    "show": "SHOW TABLES",
    "describe": "DESCRIBE steps",
    "explain": "EXPLAIN SELECT 1",
    "semicolon": "SELECT 1;",
    "lone surrogate": "SELECT '\ud800'",
}


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    return Warehouse(tmp_path_factory.mktemp("guard") / "home").snapshot


@pytest.fixture(scope="module")
def ask(snapshot):
    """Ask one query; whatever was asked, the snapshot and the folder beside it stay as they are."""
    folder = snapshot.parent / "writable"
    folder.mkdir()
    before = snapshot.read_bytes()
    yield lambda query: run_query(snapshot, query.replace("{folder}", str(folder)))
    assert list(folder.iterdir()) == []
    assert snapshot.read_bytes() == before


@pytest.mark.parametrize("query", REFUSED.values(), ids=REFUSED)
def test_is_refused_in_one_line(ask, query):
    with pytest.raises(ConfigError, match=r"^query refused: [^\n]+\Z") as refused:
        ask(query)
    assert refused.value.exit_code == 2


@pytest.mark.parametrize("query", FAILING.values(), ids=FAILING)
def test_fails_in_one_line(ask, query):
    with pytest.raises(ConfigError, match=r"^query failed: [^\n]+\Z"):
        ask(query)


@pytest.mark.parametrize("query", ANSWERED.values(), ids=ANSWERED)
def test_is_answered(ask, query):
    json.dumps(ask(query).records())


ENDLESS = {
    "recursion": "WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM r) "
    "SELECT max(x) FROM r",
    "long scan": "SELECT max(hash(i)) FROM range(1000000000000000) AS t(i)",
    "cross join": "SELECT max(hash(i + j)) FROM range(1000000000000000) AS a(i), "
    "range(100) AS b(j)",
}


@pytest.mark.parametrize("query", ENDLESS.values(), ids=ENDLESS)
def test_an_endless_query_is_killed_at_its_time_limit(snapshot, query):
    """Each needs a constant, small memory, so that only time can end it, however fast it runs."""
    with pytest.raises(ConfigError, match="stopped after 2 s"):
        run_query(snapshot, query, limits=QueryLimits(seconds=2))


TOO_LARGE = {
    "huge string": "SELECT repeat('x', 3000000000)",
    "huge concatenation": "SELECT string_agg(repeat('x', 1000000), '') FROM range(100000)",
    "huge list": "SELECT list(i) FROM range(300000000) AS t(i)",
}


@pytest.mark.parametrize("query", TOO_LARGE.values(), ids=TOO_LARGE)
def test_a_query_that_needs_too_much_memory_is_stopped(snapshot, query):
    """Each needs many times what it may use, and reaches the bound in a fraction of the time."""
    limits = QueryLimits(seconds=100, memory="200MB", process_bytes=2_000_000_000)
    with pytest.raises(ConfigError, match="more memory than it may use"):
        run_query(snapshot, query, limits=limits)


def test_rows_beyond_the_limit_are_cut_with_a_note(snapshot):
    answer = run_query(snapshot, "SELECT * FROM range(1000000000)", limits=QueryLimits(rows=10))
    assert len(answer.rows) == 10
    assert answer.note == "cut after 10 rows"


def test_a_complete_answer_carries_no_note(snapshot):
    assert run_query(snapshot, "SELECT * FROM range(10)", limits=QueryLimits(rows=10)).note == ""


def test_a_result_that_is_too_large_is_cut_with_a_note(snapshot):
    query = "SELECT repeat('x', 100000) FROM range(1000)"
    answer = run_query(snapshot, query, limits=QueryLimits(result_bytes=1_000_000))
    assert len(answer.rows) == 9
    assert "larger than 1000000 bytes" in answer.note


MARK = "…[shortened, {} characters in all]"


@pytest.mark.parametrize("letter", ["x", "ä", "\U0001f600", "\n"])
def test_one_huge_value_is_shortened_with_a_mark_rather_than_left_out(snapshot, letter):
    query = f"SELECT 1 AS n, repeat('{letter}', 500000) AS text, 'end' AS last"
    limits = QueryLimits(result_bytes=90_000)
    answer = run_query(snapshot, query, limits=limits)
    ((number, text, last),) = answer.rows
    assert (number, last) == (1, "end")
    assert text.endswith(letter + MARK.format(500_000))
    assert 20_000 < len(json.dumps(text)) <= 30_000
    assert answer.note == "values too long to be shown whole: 1"
    assert answer.is_truncated


def test_a_huge_list_is_shortened_as_json_text(snapshot):
    answer = run_query(snapshot, "SELECT range(100000) AS n", limits=QueryLimits(value_bytes=1_000))
    ((text,),) = answer.rows
    assert text.startswith("[0, 1, 2, 3")
    assert "characters in all]" in text
    assert answer.is_truncated


def test_rows_after_one_with_a_huge_value_are_answered(snapshot):
    query = (
        "SELECT CASE WHEN i = 1 THEN repeat('x', 5000) ELSE i::VARCHAR END FROM range(4) AS t(i)"
    )
    answer = run_query(snapshot, query, limits=QueryLimits(value_bytes=1_000))
    assert [len(value) for (value,) in answer.rows] == [1, 1_000 - 7, 1, 1]


def test_a_long_row_that_fits_into_the_answer_is_whole(snapshot):
    query = "SELECT " + ", ".join(f"repeat('x', 9000) AS c{i}" for i in range(10))
    answer = run_query(snapshot, query, limits=QueryLimits(result_bytes=100_000))
    assert [len(value) for value in answer.rows[0]] == [9_000] * 10
    assert not answer.is_truncated


def test_every_type_becomes_something_json_can_hold(snapshot):
    query = """
    SELECT 1.10::DECIMAL(4, 2) AS a, 'nan'::DOUBLE AS b, 2::HUGEINT ** 100 AS c,
        (2::HUGEINT << 90) AS d, DATE '2020-01-02' AS e, TIMESTAMP '2020-01-02 03:04:05' AS f,
        'ab'::BLOB AS g, [1, NULL] AS h, {'k': 'v'} AS i, INTERVAL 1 DAY AS j, NULL AS k,
        MAP {'x': 1.5} AS l, TRUE AS m, 123456789012345678.91::DECIMAL(20, 2) AS n
    """
    (record,) = json.loads(json.dumps(run_query(snapshot, query).records()))
    assert record == {
        "a": 1.1,
        "b": "nan",
        "c": 2.0**100,
        "d": str(2 << 90),
        "e": "2020-01-02",
        "f": "2020-01-02T03:04:05",
        "g": "YWI=",
        "h": [1, None],
        "i": {"k": "v"},
        "j": "1 day, 0:00:00",
        "k": None,
        "l": {"x": 1.5},
        "m": True,
        "n": "123456789012345678.91",
    }


def test_columns_of_one_name_are_told_apart(snapshot):
    assert run_query(snapshot, "SELECT 1 AS a, 2 AS a").records() == [{"a": 1, "a_2": 2}]


ELSEWHERE = {
    "table": "SELECT * FROM steps",
    "qualified": "SELECT * FROM main.task_pools",
    "subquery": "SELECT (SELECT max(text) FROM steps) FROM task_pools",
    "shadow": "WITH steps AS (SELECT * FROM steps) SELECT * FROM steps",
    "catalog": "SELECT * FROM duckdb_tables()",
    "by name": "SELECT * FROM query_table('steps')",
    "by text": "SELECT * FROM query('FROM steps')",
    "describe": "DESCRIBE steps",
    "show": "SHOW TABLES",
    "explain": "EXPLAIN SELECT * FROM steps",
    "schema": "SELECT * FROM information_schema.tables",
}


@pytest.mark.parametrize("query", ELSEWHERE.values(), ids=ELSEWHERE)
def test_a_surface_of_named_relations_shows_nothing_else(snapshot, query):
    with pytest.raises(ConfigError, match="query refused"):
        run_query(snapshot, query, relations=["task_pools"])


def test_a_surface_of_named_relations_answers_queries_over_them(snapshot):
    query = "WITH p AS (SELECT tasks FROM Task_Pools) SELECT count(*) AS n FROM p"
    assert run_query(snapshot, query, relations=["task_pools"]).records() == [{"n": 0}]


def test_a_query_is_answered_while_the_live_file_is_being_written(store, fill, make):
    fill(store, make.episode(1))
    with store._lock():
        answer = run_query(store.snapshot, "SELECT count(*) AS n FROM steps")
    assert answer.records() == [{"n": 2}]
