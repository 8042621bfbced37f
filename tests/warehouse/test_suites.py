import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from schemas.tables import TABLES
from warehouse.columns import columns_of
from warehouse.frames import frame_of_rows
from warehouse.suites import expectations_of, validate

pytestmark = pytest.mark.gx
STEPS = TABLES["steps"]


@pytest.fixture
def steps(make):
    return frame_of_rows(STEPS, [make.episode(1)[2], make.episode(1)[4]], place="test").frame


def with_value(frame, column, value):
    series = frame[column].to_list()
    series[1] = value
    return frame.with_columns(pl.Series(column, series, dtype=frame.schema[column]))


def test_sound_rows_pass(steps):
    (result,) = validate(STEPS, steps)
    assert (result.success, result.rows, result.failing) == (True, 2, 0)


@pytest.mark.parametrize(
    ("column", "value", "expectation"),
    [
        ("role", "robot", "expect_column_values_to_be_in_set role"),
        ("role", None, "expect_column_values_to_be_null first_missing"),
        ("prompt_tokens", -1, "expect_column_values_to_be_between prompt_tokens"),
        ("trajectory_id", "traj_x", "expect_column_values_to_match_regex trajectory_id"),
        ("admissible", "[", "expect_column_values_to_be_json_parseable admissible"),
        ("step_index", 0, "expect_compound_columns_to_be_unique"),
    ],
)
def test_a_broken_row_fails_its_expectation(steps, column, value, expectation):
    (result,) = validate(STEPS, with_value(steps, column, value))
    assert result.expectations == (expectation,)
    assert result.failing >= 1
    assert "step_index" in result.failing_keys


def test_more_rows_than_one_validation_may_see_are_split(steps):
    many = pl.concat([steps[:1]] * 100_001).with_columns(pl.int_range(pl.len()).alias("step_index"))
    assert [result.rows for result in validate(STEPS, many)] == [100_000, 1]


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_every_constraint_of_a_table_has_an_expectation(table):
    found = [type(expectation).__name__ for expectation in expectations_of(table)]
    columns = columns_of(table)
    assert found.count("ExpectColumnValuesToBeInSet") == sum(bool(c.allowed) for c in columns)
    assert found.count("ExpectColumnValuesToBeBetween") == sum(bool(c.bounds) for c in columns)
    assert found.count("ExpectColumnValuesToMatchRegex") == sum(bool(c.pattern) for c in columns)
    assert found.count("ExpectColumnValuesToBeJsonParseable") == sum(c.is_json for c in columns)


@pytest.mark.slow
def test_the_library_says_nothing_to_whoever_shows_warnings():
    code = "import logging; logging.basicConfig(); import warehouse.suites as s; s.warm_up()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        timeout=110,
    )
    assert (done.returncode, done.stderr) == (0, "")


DEFERRED = """
import sys
from warehouse.quality_library import DEFERRED, import_library
library = import_library()
assert library.__name__ == "great_expectations"
print([name for name in ("scipy.stats._stats_py", "altair.vegalite") if name in sys.modules])
import altair, scipy.stats
print(round(scipy.stats.norm.cdf(0), 3), altair.Chart.__name__)
"""


def test_what_the_library_never_uses_is_imported_when_somebody_does():
    ran = subprocess.run([sys.executable, "-c", DEFERRED], capture_output=True, text=True)
    assert ran.stdout.splitlines() == ["[]", "0.5 Chart"], ran.stderr[-2000:]
