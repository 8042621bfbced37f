"""Statements of an agent stay inside one table and a fixed amount of work."""

import time

import pytest

from tasks.environments.sqldesk.database import Database, Table

TABLE = Table(
    "things",
    (("Thing Name", "TEXT"), ("Size Cm", "REAL")),
    tuple((f"thing {number}", number / 2) for number in range(60)),
)


@pytest.fixture
def database():
    return Database(TABLE)


@pytest.mark.parametrize(
    "sql",
    [
        "ATTACH DATABASE '/tmp/x.db' AS other",
        "DETACH DATABASE main",
        "PRAGMA table_info(things)",
        "PRAGMA journal_mode = WAL",
        "SELECT * FROM pragma_table_info('things')",
        "SELECT load_extension('x')",
        "SELECT random()",
        "SELECT hex(randomblob(4))",
        "SELECT CURRENT_TIMESTAMP",
        "SELECT date('now')",
        "SELECT strftime('%s')",
        "SELECT strftime('%s', 'n' || 'ow')",
        "SELECT datetime('2024-01-01', 'localtime')",
        "CREATE TABLE other (x)",
        "CREATE TEMP TABLE other (x)",
        "CREATE VIEW v AS SELECT 1",
        "CREATE TRIGGER t AFTER INSERT ON things BEGIN SELECT 1; END",
        "DROP TABLE things",
        "ALTER TABLE things RENAME TO other",
        "DELETE FROM sqlite_master",
        "BEGIN",
        "SAVEPOINT s",
        "VACUUM INTO '/tmp/copy.db'",
        "REINDEX",
        "ANALYZE",
        "SELECT zeroblob(1000000000)",
        "SELECT replace(hex(zeroblob(2000)), '00', 'xxxxxxxxxxxx')",
    ],
)
def test_a_hostile_statement_is_refused_and_changes_nothing(database, sql):
    before = database.dump()
    assert database.run(sql).error
    assert database.dump() == before


@pytest.mark.parametrize(
    "sql",
    [
        "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r",
        "SELECT count(*) FROM things a, things b, things c, things d, things e",
        'INSERT INTO things SELECT a."Thing Name", 1 FROM things a, things b, things c, things d',
        "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) "
        "INSERT INTO things SELECT x, x FROM r",
    ],
)
def test_endless_work_is_cut_at_the_same_point(database, sql):
    before = database.dump()
    began = time.process_time()
    assert database.run(sql).error in {
        "statement interrupted: it needs too much work",
        "database or disk is full",
    }
    assert time.process_time() - began < 2
    assert database.dump() == before


def test_a_huge_text_is_not_made(database):
    assert database.run("SELECT printf('%*s', 100000000, 'x')").rows == ((None,),)


def test_endless_rows_are_cut(database):
    answer = database.run(
        "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x FROM r"
    )
    assert answer.has_more
    assert len(answer.rows) == 1000


def test_wide_rows_are_cut(database):
    sql = "SELECT hex(zeroblob(2000)) FROM things a, things b"
    answer = database.run(sql)
    assert answer.has_more
    assert len(answer.rows) < 100


def test_many_inserts_cannot_fill_the_memory(database):
    insert = "INSERT INTO things VALUES ('" + "x" * 4000 + "', 1)"
    errors = [database.run(insert).error for _ in range(300)]
    assert errors[-1] == "database or disk is full"
    assert len(database.dump()) < 1_000_000


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT strftime('%Y', '2024-05-06')", (("2024",),)),
        ("SELECT date('2024-05-06', '+1 day')", (("2024-05-07",),)),
        ("SELECT name FROM sqlite_master WHERE type = 'table'", (("things",),)),
        ("SELECT count(*) FROM things WHERE [Size Cm] > 10", ((39,),)),
        ('SELECT `Thing Name` FROM things WHERE "Size Cm" = 1', (("thing 2",),)),
        ('WITH a AS (SELECT max("Size Cm") AS m FROM things) SELECT m FROM a;', ((29.5,),)),
    ],
)
def test_honest_reads_run(database, sql, rows):
    assert database.run(sql).rows == rows


def test_honest_changes_run(database):
    assert database.run("DELETE FROM things").changed == 60
    assert database.run("INSERT INTO things VALUES ('a', 1), ('b', 2)").changed == 2
    assert database.run('UPDATE things SET "Size Cm" = 3 WHERE 0').changed == 0
    returned = database.run('UPDATE things SET "Size Cm" = 3 RETURNING "Thing Name"')
    assert (returned.rows, returned.changed) == ((("a",), ("b",)), 2)
    assert database.dump() == '[[1,"a",3.0],[2,"b",3.0]]'
