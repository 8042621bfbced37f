"""Write the SQL that creates a table with its key and comments."""

from schemas.tables import Table
from warehouse.columns import Column, columns_of


def create_table(table: Table) -> str:
    """SQL that creates one table; every column carries its meaning as a comment."""
    width = max(len(column.name) for column in columns_of(table)) + 2
    lines = [
        f"    {quoted(column.name):<{width}} {column.sql_type}{_null_clause(column)}"
        for column in columns_of(table)
    ]
    lines.append(f"    PRIMARY KEY ({', '.join(quoted(name) for name in table.key)})")
    statements = [
        f"CREATE TABLE {table.name} (\n" + ",\n".join(lines) + "\n);",
        f"COMMENT ON TABLE {table.name} IS {literal(table_comment(table))};",
    ]
    statements += [
        f"COMMENT ON COLUMN {table.name}.{quoted(column.name)} IS {literal(column.comment)};"
        for column in columns_of(table)
    ]
    return "\n".join(statements)


def _null_clause(column: Column) -> str:
    return "" if column.nullable else " NOT NULL"


def table_comment(table: Table) -> str:
    """Meaning of a table: the docstring of its row model, on one line."""
    return " ".join((table.row.__doc__ or "").split())


def quoted(name: str) -> str:
    """Quote an identifier."""
    return '"' + name.replace('"', '""') + '"'


def column_list(names: tuple[str, ...], *, of: str = "") -> str:
    """List columns for a statement, each quoted and, when asked, qualified by a table alias."""
    prefix = f"{of}." if of else ""
    return ", ".join(prefix + quoted(name) for name in names)


def literal(text: str) -> str:
    """Write text as an SQL string literal."""
    return "'" + text.replace("'", "''") + "'"
