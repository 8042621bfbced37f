"""SQL errors of several engines and the rewrites that leave the meaning alone."""

import pytest

from tasks.annotator.sql import KnownText, error_class, find_fix

KNOWN = KnownText('Columns: Unit Price, Sent On, Order Date; table "sales".')


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no such column: Unit", "unknown_name"),
        ("(1054, \"Unknown column 'Unit' in 'field list'\")", "unknown_name"),
        ('ERROR: column "unit" does not exist', "unknown_name"),
        ('Binder Error: Referenced column "unit" not found in FROM clause!', "unknown_name"),
        ("no such table: sale", "unknown_name"),
        ("Table 'db.sale' doesn't exist", "unknown_name"),
        ('relation "sale" does not exist', "unknown_name"),
        ('near "Price": syntax error', "syntax"),
        ("You have an error in your SQL syntax; check the manual", "syntax"),
        ('syntax error at or near "Price"', "syntax"),
        ("Parser Error: syntax error at or near", "syntax"),
        ("You can only execute one statement at a time.", "statement_count"),
        ("cannot insert multiple commands into a prepared statement", "statement_count"),
        ("no such function: NOW", "unknown_function"),
        ("UNIQUE constraint failed: t.id", "other"),
        ("the shop is closed", None),
    ],
)
def test_errors_are_classed_by_the_words_of_any_engine(text, expected):
    assert error_class(text) == expected


@pytest.mark.parametrize(
    ("statement", "error", "kind"),
    [
        ("SELECT Unit Price FROM sales", "no such column: Unit", "quote_names"),
        ("SELECT Sent On FROM sales", 'near "On": syntax error', "quote_names"),
        ("SELECT x FROM sales ORDER BY Order Date", 'near "Date": syntax error', "quote_names"),
        ("SELECT unit_price FROM sales", "no such column: unit_price", "rename"),
        ("SELECT 1; SELECT 2", "You can only execute one statement at a time.", "split"),
        ("```sql\nSELECT 1\n```", 'unrecognized token: "`"', "unfence"),
        ("SELECT TOP 5 a FROM sales", 'near "5": syntax error', "dialect"),
        ("SELECT a FROM sales WHERE b ILIKE 'x'", 'near "ILIKE": syntax error', "dialect"),
    ],
)
def test_interface_errors_have_a_rewrite(statement, error, kind):
    fix = find_fix(statement, error, KNOWN)
    assert fix is not None
    assert fix.kind == kind


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("SELECT cost FROM sales", "no such column: cost"),
        ("SELECT Unit Cost FROM sales", "no such column: Unit"),
        ("SELECT a b FRM sales", 'near "FRM": syntax error'),
        ("SELECT a FROM sales WHERE", "incomplete input"),
        ("SELECT a AS b FROM sales ORDER BY", 'near "BY": syntax error'),
        ("SELECT a FROM sales", "UNIQUE constraint failed"),
        ("", "incomplete input"),
    ],
)
def test_reasoning_errors_have_none(statement, error):
    assert find_fix(statement, error, KNOWN) is None
