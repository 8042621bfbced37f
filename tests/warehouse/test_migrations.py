import re

import duckdb
import pytest

from schemas.errors import WarehouseError
from schemas.tables import TABLES
from warehouse.columns import columns_of
from warehouse.database import open_database
from warehouse.ddl import table_comment
from warehouse.dictionary import data_dictionary
from warehouse.generate import DICTIONARY_FILE
from warehouse.migrate import Migration, is_current, known_migrations, migrate
from warehouse.store import Warehouse

TABLE_COMMENTS = "SELECT table_name, comment FROM duckdb_tables() ORDER BY 1"
COLUMNS = """
SELECT column_name, data_type, is_nullable, comment
FROM duckdb_columns() WHERE table_name = ? ORDER BY column_index
"""
KEY = """
SELECT constraint_column_names FROM duckdb_constraints()
WHERE table_name = ? AND constraint_type = 'PRIMARY KEY'
"""
NO_VIEWS = Migration(0, "views", "")


@pytest.fixture
def migrated():
    with duckdb.connect() as connection:
        migrate(connection)
        yield connection


def test_the_migrations_make_every_table_of_the_registry_and_no_other(migrated):
    comments = dict(migrated.execute(TABLE_COMMENTS).fetchall())
    assert comments == {table.name: table_comment(table) for table in TABLES.values()}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_the_migrations_agree_with_the_row_models(migrated, table):
    found = migrated.execute(COLUMNS, [table.name]).fetchall()
    wanted = [(c.name, c.sql_type, c.nullable, c.comment) for c in columns_of(table)]
    assert sorted(found) == sorted(wanted), "run `python -m warehouse.generate`"
    assert migrated.execute(KEY, [table.name]).fetchall() == [(list(table.key),)]


def test_the_data_dictionary_agrees_with_the_row_models():
    written = DICTIONARY_FILE.read_text("utf-8")
    assert written == data_dictionary(), "run `python -m warehouse.generate`"


def test_the_data_dictionary_names_every_table_and_column():
    page = data_dictionary()
    for table in TABLES.values():
        section = page.split(f"### `{table.name}`\n")[1].split("\n### ")[0]
        assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)[: len(table.columns)] == list(
            table.columns
        )


def test_migrating_twice_changes_nothing(migrated):
    assert migrate(migrated) == ()
    assert is_current(migrated)


def test_a_new_migration_is_applied_to_an_old_file(migrated):
    added = Migration(2, "0002_more.sql", "CREATE TABLE more (x INTEGER);")
    applied = migrate(migrated, migrations=[*known_migrations(), added])
    assert "0002_more.sql" in applied
    assert migrated.execute("SELECT count(*) FROM more").fetchall() == [(0,)]


def test_a_migration_that_was_changed_afterwards_is_refused(migrated):
    changed = [Migration(step.version, step.name, step.sql + "-- x") for step in known_migrations()]
    with pytest.raises(WarehouseError, match="has another text"):
        migrate(migrated, migrations=changed)


def test_a_file_of_a_newer_release_is_refused(migrated):
    with pytest.raises(WarehouseError, match="this release lacks"):
        migrate(migrated, migrations=[], views=NO_VIEWS)


def test_changed_views_are_created_anew(migrated):
    views = Migration(0, "views", "CREATE OR REPLACE VIEW task_pools AS SELECT 1 AS one;")
    assert migrate(migrated, views=views) == ("views",)
    assert migrated.execute("SELECT one FROM task_pools").fetchall() == [(1,)]


def test_an_older_warehouse_is_migrated_when_it_is_opened(store, home):
    with open_database(store.paths.live, read_only=False) as connection:
        connection.execute("UPDATE schema_migrations SET sha256 = 'old' WHERE version = 0")
    store.publish()
    with Warehouse(home).read() as reader:
        assert reader.scalar("SELECT count(*) FROM schema_migrations WHERE sha256 = 'old'") == 0


def test_the_file_can_be_read_by_duckdb_1_5(store):
    with open_database(store.paths.live, read_only=True) as connection:
        tags = connection.execute("SELECT tags FROM duckdb_databases() WHERE NOT internal")
        assert tags.fetchall()[0][0]["storage_version"].startswith("v1.5.0")
