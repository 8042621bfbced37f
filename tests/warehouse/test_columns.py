import polars as pl
import pytest

from schemas.fields import Count, Row
from schemas.tables import TABLES, Table
from warehouse.columns import Bound, columns_of, frame_schema, stable_columns


def column(table: str, name: str):
    return next(c for c in columns_of(TABLES[table]) if c.name == name)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_every_column_says_what_it_means(table):
    assert [c.name for c in columns_of(table) if not c.comment] == []


def test_a_literal_becomes_the_set_of_allowed_values():
    assert column("trajectories", "split").allowed == ("train", "select", "sealed")


def test_an_id_carries_its_pattern_also_when_it_may_be_null():
    prompt = column("trajectories", "task_prompt_id")
    assert (prompt.nullable, prompt.pattern) == (True, "^prm_[0-9a-f]{16}$")


def test_a_share_is_bounded_on_both_sides():
    assert set(column("benefit_gaps", "reach").bounds) == {Bound(">=", 0), Bound("<=", 1)}


def test_json_text_is_recognised_when_it_may_be_null():
    assert column("tool_calls", "arguments").is_json
    assert not column("tool_calls", "arguments_raw").is_json


def test_volatile_columns_are_not_stable():
    names = {c.name for c in stable_columns(TABLES["steps"])}
    assert "latency_s" not in names
    assert "text" in names


def test_times_are_stored_without_a_zone():
    assert frame_schema(TABLES["cycles"])["created_at"] == pl.Datetime("us")
    assert column("cycles", "created_at").sql_type == "TIMESTAMP"


def test_a_type_without_a_column_type_is_refused():
    class Odd(Row):
        """A row nobody can store."""

        parts: list[Count]
        """A list."""

    with pytest.raises(TypeError, match=r"Odd\.parts"):
        columns_of(Table("odd", Odd, ("parts",), "runs"))
