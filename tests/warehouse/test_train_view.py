"""An editor's SQL surface holds train rows of its own cycle and nothing else, whatever is asked."""

import json
from datetime import UTC, datetime

import pytest

from schemas.errors import ConfigError
from schemas.gate import GateDecisionRow
from schemas.harness import EditRow
from schemas.ids import make_id
from warehouse.store import Warehouse
from warehouse.train_view import TRAIN_TABLES, open_train_view

SECRET = "zanzibar"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
HARNESS = make_id("harn", "seed")
OWN, OTHER = make_id("cyc", "own"), make_id("cyc", "other")


def edit(cycle_id):
    return EditRow(
        edit_id=make_id("edit", cycle_id),
        cycle_id=cycle_id,
        round=1,
        ordinal=0,
        editor="openai:x",
        parent_harness_id=HARNESS,
        child_harness_id=HARNESS,
        layer="contract",
        artifact="A",
        kind="k",
        pattern_id=None,
        title=f"title of {SECRET}" if cycle_id == OTHER else "own title",
        manifest="{}",
        diff="",
        created_at=NOW,
    )


def decision(cycle_id, reason, findings):
    return GateDecisionRow(
        edit_id=make_id("edit", cycle_id),
        cycle_id=cycle_id,
        stage="static",
        verdict="rejected",
        reason=reason,
        trial_id=None,
        slot=None,
        wins=0,
        losses=0,
        ties=0,
        e_value=None,
        threshold=None,
        delta=None,
        delta_lo=None,
        delta_hi=None,
        regressions=0,
        findings=json.dumps(findings),
    )


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory, make, fill):
    """Two train episodes, one each of select and sealed, and two cycles' edits."""
    store = Warehouse(tmp_path_factory.mktemp("train") / "home")
    rows = [
        *make.episode(1, outcome="failure", reward_parts=json.dumps({"expected": SECRET})),
        *make.episode(2),
        *make.episode(3, split="select"),
        *make.episode(4, split="sealed"),
        make.task(1),
        make.task(2),
        make.task(3, split="select", text=f"select {SECRET}"),
        make.task(4, split="sealed", text=f"sealed {SECRET}"),
        make.hit(1, uses_gold=True, evidence=json.dumps({"gold": SECRET})),
        make.label(1, uses_gold=True, evidence=json.dumps({"gold": SECRET})),
        edit(OWN),
        edit(OTHER),
        decision(OWN, "leak", [f"holds the value {SECRET}"]),
        decision(OTHER, "static", [SECRET]),
    ]
    fill(store, rows)
    return store.snapshot


@pytest.fixture(scope="module")
def ids():
    return [make_id("traj", number) for number in (1, 2, 3, 4)]


@pytest.fixture(scope="module")
def view(snapshot, ids):
    with open_train_view(snapshot, trajectory_ids=ids, cycle_id=OWN) as opened:
        yield opened


def test_only_train_rows_are_there_even_when_others_are_asked_for(view):
    rows = view.query("SELECT trajectory_id, outcome FROM trajectories ORDER BY 1").rows
    assert {row[0] for row in rows} == {make_id("traj", 1), make_id("traj", 2)}
    assert view.query("SELECT count(*) FROM steps").rows == ((4,),)
    assert view.query("SELECT text FROM tasks ORDER BY 1").rows == (("task 1",), ("task 2",))


def test_the_copy_holds_the_columns_told_to_an_editor_and_no_secret(view):
    for table, columns in TRAIN_TABLES.items():
        answer = view.query(f"SELECT * FROM {table}")  # noqa: S608
        assert ", ".join(answer.columns) == columns
        assert SECRET not in repr(answer.rows), table
    assert SECRET.encode() not in view.file.read_bytes()


def test_edits_of_other_cycles_and_findings_of_leaks_are_absent(view):
    assert view.query("SELECT title FROM edits").rows == (("own title",),)
    assert view.query("SELECT reason, findings FROM gate_decisions").rows == (("leak", None),)


ATTACKS = {
    "verdict columns": "SELECT reward_parts FROM trajectories",
    "an absent table": "SELECT * FROM verdicts",
    "snapshots table": "SELECT * FROM snapshots",
    "join": "SELECT t.text FROM tasks t JOIN main.harness_files h ON true",
    "sealed by cte": "WITH s AS (SELECT * FROM source.main.tasks) SELECT * FROM s",
    "cte of a catalog name": "WITH duckdb_views AS (FROM duckdb_views) FROM duckdb_views",
    "recursive cte": "WITH RECURSIVE r AS (FROM source.tasks UNION ALL FROM r) FROM r",
    "correlated": "SELECT (SELECT text FROM source.tasks LIMIT 1) FROM tasks",
    "lateral": "SELECT * FROM tasks, LATERAL (SELECT * FROM verdicts)",
    "catalog": "SELECT * FROM duckdb_tables()",
    "catalog view": "SELECT * FROM sqlite_master",
    "information schema": "SELECT * FROM information_schema.tables",
    "databases": "SELECT * FROM duckdb_databases()",
    "settings": "SELECT * FROM duckdb_settings()",
    "query function": "SELECT * FROM query('SELECT 1')",
    "query_table": "SELECT * FROM query_table('verdicts')",
    "another snapshot": "SELECT * FROM '{snapshot}'",
    "attach": "ATTACH '{snapshot}' AS other",
    "attach behind a select": "SELECT 1; ATTACH '{snapshot}' AS other",
    "copy out": "COPY trajectories TO '{folder}/out.csv'",
    "copy database": "COPY FROM DATABASE train TO other",
    "pragma": "PRAGMA database_list",
    "set": "SET enable_external_access = true",
    "install": "INSTALL httpfs",
    "load": "LOAD httpfs",
    "read text": "SELECT * FROM read_text('/etc/passwd')",
    "read parquet": "SELECT * FROM read_parquet('{folder}/*')",
    "read csv": "SELECT * FROM read_csv('/etc/passwd')",
    "read blob": "SELECT * FROM read_blob('/etc/passwd')",
    "glob": "SELECT * FROM glob('{folder}/*')",
    "file name": "SELECT * FROM '/etc/passwd'",
    "macro": "CREATE MACRO m() AS (SELECT 1)",
    "temporary macro": "CREATE TEMP MACRO m() AS TABLE SELECT * FROM verdicts",
    "prepare": "PREPARE p AS SELECT * FROM verdicts",
    "execute": "EXECUTE p",
    "variable": "SET VARIABLE x = 1",
    "call": "CALL pragma_database_list()",
    "use": "USE source",
    "show": "SHOW ALL TABLES",
    "describe": "DESCRIBE verdicts",
    "insert": "INSERT INTO tasks VALUES ('a', 'b', 'c')",
    "export": "EXPORT DATABASE '{folder}/out'",
    "explain": "EXPLAIN ANALYZE SELECT * FROM verdicts",
    "python variable": "SELECT * FROM ids",
    "empty": "",
    "unicode name": "SELECT * FROM \uff56erdicts",
    "nul": "SELECT 1 FROM tasks\x00; ATTACH 'x'",
    "surrogate": "SELECT '\ud800' FROM verdicts",
    "huge": "SELECT " + "1+" * 200_000 + "1",
    "deep": "SELECT " + "(" * 20_000 + "1" + ")" * 20_000,
    "cross join for ever": "SELECT count(*) FROM range(9999999) a, range(9999999) b",
    "memory": "SELECT repeat('x', 100000000) || i FROM range(1000) t(i) ORDER BY 1",
}


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_refused_in_one_line(name, view, snapshot, tmp_path):
    query = ATTACKS[name].replace("{snapshot}", str(snapshot)).replace("{folder}", str(tmp_path))
    with pytest.raises(ConfigError) as refused:
        view.query(query)
    text = str(refused.value)
    assert SECRET not in text
    assert "\n" not in text
    assert not list(tmp_path.glob("out*"))


def test_a_query_that_returns_much_is_cut(view):
    answer = view.query("SELECT repeat('x', 10000) FROM range(5000)")
    assert answer.is_truncated
    assert len(repr(answer.rows)) < 20_000
