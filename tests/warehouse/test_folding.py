"""Folded columns keep their expectations exactly when all columns keep theirs."""

import operator
import re

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.ids import make_id
from schemas.tables import TABLES
from warehouse.columns import columns_of, frame_schema
from warehouse.folding import FIRST_MISSING, TEXTS, fold, folding_of
from warehouse.suites import expectations_of, folded_expectations_of, validate

COMPARE = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt}
ODD_TEXTS = ["", "-", "=", "\x1f", "-\x1f-", "traj_\n", "=run", "a|b", "\ud7ff", "."]
NUMBERS = st.sampled_from([-1, 0, 0.5, 1, 2, -1e300, 1e300])


def text_of(column, good):
    if column.allowed:
        fitting = st.sampled_from(column.allowed)
    elif column.pattern:
        fitting = st.just(make_id(column.pattern[1:].split("_")[0], "x"))
    else:
        fitting = st.text(max_size=3)
    return fitting if good else fitting | st.sampled_from(ODD_TEXTS)


def value_of(column, good):
    kinds = {
        "text": text_of(column, good),
        "integer": st.integers(0, 1) if good else st.integers(-2, 2),
        "number": st.sampled_from([0, 0.5, 1]) if good else NUMBERS,
        "boolean": st.booleans(),
        "timestamp": st.none(),
    }
    value = kinds[column.kind]
    return value if good and not column.nullable else st.none() | value


def holds(column, value):
    """Whether a value that is there meets the constraints that are folded."""
    if value is None:
        return True
    if column.allowed and value not in column.allowed:
        return False
    if column.pattern and not re.fullmatch(column.pattern, value):
        return False
    return all(COMPARE[bound.operator](value, bound.value) for bound in column.bounds)


def folded_holds(table, row):
    folding = folding_of(table)
    texts = not folding.texts or bool(re.search(folding.pattern, row[TEXTS]))
    return texts and all(
        row[part.name] is None or COMPARE[part.bound.operator](row[part.name], part.bound.value)
        for part in folding.bounds
    )


@settings(max_examples=400, deadline=None)
@given(data=st.data(), table=st.sampled_from(list(TABLES.values())), good=st.booleans())
def test_folded_columns_hold_exactly_when_all_columns_do(data, table, good):
    columns = columns_of(table)
    values = {column.name: data.draw(value_of(column, good)) for column in columns}
    frame = pl.DataFrame({name: [value] for name, value in values.items()}, frame_schema(table))
    (row,) = fold(table, frame).to_dicts()
    assert folded_holds(table, row) == all(holds(c, values[c.name]) for c in columns)
    missing = [c.name for c in columns if not c.nullable and values[c.name] is None]
    assert row[FIRST_MISSING] == (missing[0] if missing else None)
    assert all(row[name] == values[name] for name in (*table.key, *folding_of(table).json))


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_every_constraint_is_folded_or_looked_at_by_itself(table):
    folding, columns = folding_of(table), columns_of(table)
    assert set(folding.texts) == {c.name for c in columns if c.allowed or c.pattern}
    assert set(folding.json) == {c.name for c in columns if c.is_json}
    folded = {(name, part.bound) for part in folding.bounds for name in part.columns}
    assert folded == {(c.name, bound) for c in columns for bound in c.bounds}


@pytest.mark.gx
def test_folding_leaves_fewer_expectations_than_columns_have():
    full = sum(len(expectations_of(table)) for table in TABLES.values())
    folded = sum(len(folded_expectations_of(table)) for table in TABLES.values())
    assert folded < full * 0.7


@pytest.mark.gx
def test_a_second_broken_column_is_found_too(make):
    table = TABLES["steps"]
    frame = pl.DataFrame([make.episode(1)[2].model_dump()], frame_schema(table))
    broken = frame.with_columns(prompt_tokens=pl.lit(-1), role=pl.lit("robot"))
    (result,) = validate(table, broken)
    assert result.expectations == (
        "expect_column_values_to_be_in_set role",
        "expect_column_values_to_be_between prompt_tokens",
    )
