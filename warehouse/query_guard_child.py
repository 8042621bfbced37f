"""Answer one query in a process of its own. Started by `query_guard.py`, never imported.

It gets a request as JSON on standard input and prints the answer as JSON. It imports nothing of
ours, so it runs whatever the user's folder or path holds. The database is opened read-only, without
files, extensions or settings within reach, and the operating system bounds memory.
"""

import base64
import datetime
import decimal
import json
import math
import resource
import sys
import uuid
from typing import Any, NoReturn, cast

import duckdb

_BATCH_ROWS = 500
_MAX_EXACT_INTEGER = 2**53
_MARK = "…[shortened, {} characters in all]"
_ALLOWED_FUNCTIONS = {"unnest", "range", "generate_series"}
_RELATIONS = "SELECT table_name FROM duckdb_tables() UNION SELECT view_name FROM duckdb_views()"
_TYPES = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)


class Refused(Exception):
    """The query is not one that may be asked."""


def refuse(reason: str) -> NoReturn:
    """Give the query up."""
    raise Refused(reason)


def main() -> None:
    """Read the request, answer it, say in one line what is wrong otherwise."""
    request = json.load(sys.stdin)
    limit_memory(int(request["process_bytes"]))
    try:
        answer = run(request)
    except Refused as error:
        answer = {"refused": str(error)}
    except duckdb.Error as error:
        answer = {"error": first_line(error), "kind": type(error).__name__}
    except MemoryError:
        answer = {"error": "the query needs more memory than it may use", "kind": "memory"}
    json.dump(answer, sys.stdout)


def limit_memory(process_bytes: int) -> None:
    """Bound the address space, where the system knows such a bound, and forbid core dumps."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        resource.setrlimit(resource.RLIMIT_AS, (process_bytes, process_bytes))
    except (ValueError, OSError):  # not on every system; DuckDB's own limit remains
        return


def run(request: dict[str, Any]) -> dict[str, Any]:
    """Open the snapshot and answer the query."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "enable_external_access": False,
        "python_enable_replacements": False,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        "memory_limit": str(request["memory_limit"]),
        "max_temp_directory_size": "0B",
        "threads": int(request["threads"]),
        "lock_configuration": True,
    }
    connection = duckdb.connect(request["path"], read_only=True, config=config)
    statement = the_one_statement(connection, str(request["query"]))
    if request["relations"] is not None:
        require_relations(connection, statement.query, set(request["relations"]))
    return fetch(connection, statement, request)


def the_one_statement(connection: duckdb.DuckDBPyConnection, query: str) -> duckdb.Statement:
    """The single SELECT or EXPLAIN of a query."""
    if "\x00" in query:  # where some versions of the database stop reading
        refuse("it holds a NUL character")
    statements = connection.extract_statements(query)
    if not statements:
        refuse("the query is empty")
    if len(statements) > 1:
        refuse(f"one statement at a time, not {len(statements)}")
    if statements[0].type not in _TYPES:
        kind = str(statements[0].type).rsplit(".", 1)[-1]
        refuse(f"only SELECT, FROM, WITH, SHOW, DESCRIBE and EXPLAIN are answered, not {kind}")
    return statements[0]


def fetch(
    connection: duckdb.DuckDBPyConnection,
    statement: duckdb.Statement,
    request: dict[str, Any],
) -> dict[str, Any]:
    """Run the statement and render rows until the first limit; the note says what is missing.

    The first row is always shown: what is too long for the answer is shortened.
    """
    max_rows, max_bytes = int(request["max_rows"]), int(request["max_bytes"])
    value_bytes = int(request["value_bytes"])
    connection.execute(statement)
    columns = [str(column[0]) for column in connection.description or []]
    rows: list[list[Any]] = []
    left, cut, shortened = max_bytes, "", 0
    while not cut:
        batch = connection.fetchmany(_BATCH_ROWS)
        for raw in batch:
            row, marked = bounded([plain(value) for value in raw], value_bytes, max_bytes)
            left -= size_of(row)
            if len(rows) >= max_rows:
                cut = f"cut after {max_rows} rows"
            elif left < 0 and rows:
                cut = f"cut after {len(rows)} rows: the result is larger than {max_bytes} bytes"
            else:
                rows.append(row)
                shortened += marked
                continue
            break
        if len(batch) < _BATCH_ROWS:
            break
    long = f"values too long to be shown whole: {shortened}" if shortened else ""
    note = "; ".join(part for part in (cut, long) if part)
    return {"columns": unique(columns), "rows": rows, "note": note}


def size_of(value: Any) -> int:
    """Bytes of a rendered value in the answer."""
    return len(json.dumps(value))


def bounded(row: list[Any], value_bytes: int, max_bytes: int) -> tuple[list[Any], int]:
    """Shorten what is longer than a value may be, or takes more than its share of a long row.

    Returns the row and how many values of it were shortened.
    """
    if size_of(row) <= min(value_bytes, max_bytes):
        return row, 0
    values = [shorten(value, value_bytes) for value in row]
    if size_of(values) > max_bytes:
        values = [shorten(value, max_bytes // len(row)) for value in row]
    return values, sum(new is not old for new, old in zip(values, row, strict=True))


def shorten(value: Any, most: int) -> Any:
    """The beginning of a text, or of a container as JSON text, with a mark that tells its length.

    What takes at most `most` bytes stays as it is.
    """
    if size_of(value) <= most:
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    mark = _MARK.format(len(text))
    kept = text[:most]
    while kept and (size := size_of(kept + mark)) > most:
        kept = kept[: min(len(kept) * most // size, len(kept) - 1)]
    return kept + mark


def plain(value: Any) -> Any:
    """Render a value so that JSON can hold it."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        return value if abs(value) <= _MAX_EXACT_INTEGER else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    return plain_nested(value)


def plain_nested(value: Any) -> Any:
    """Render decimals, intervals and containers."""
    if isinstance(value, decimal.Decimal):
        number = float(value)
        return number if decimal.Decimal(repr(number)) == value else str(value)
    if isinstance(value, (datetime.timedelta, uuid.UUID)):
        return str(value)
    if isinstance(value, dict):
        items = cast("dict[Any, Any]", value).items()
        return {str(key): plain(item) for key, item in items}
    if isinstance(value, (list, tuple, set)):
        return [plain(item) for item in cast("list[Any]", value)]
    return str(value)


def unique(names: list[str]) -> list[str]:
    """Number columns that share a name, so that a row can be an object."""
    seen: dict[str, int] = {}
    result: list[str] = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return result


def require_relations(connection: duckdb.DuckDBPyConnection, query: str, allowed: set[str]) -> None:
    """Refuse a query that reads anything but the allowed relations and its own subqueries.

    A subquery must not bear the name of a relation out of reach: its body could mean that one.
    """
    tree = json.loads(connection.execute("SELECT json_serialize_sql(?)", [query]).fetchall()[0][0])
    if tree.get("error"):
        refuse("only a plain SELECT is answered here")
    names, functions = set[str](), set[str]()
    defined = collect(tree, names, functions)
    stored = {str(row[0]).lower() for row in connection.execute(_RELATIONS).fetchall()}
    foreign = (names - allowed - defined) | (defined & stored - allowed)
    if foreign:
        readable = ", ".join(sorted(allowed))
        refuse(f"{min(foreign)} may not be read here, only {readable}")
    if functions - _ALLOWED_FUNCTIONS:
        refuse(f"table function {min(functions - _ALLOWED_FUNCTIONS)} may not be used here")


def collect(tree: Any, names: set[str], functions: set[str]) -> set[str]:
    """Gather relations and table functions of a syntax tree; return the names it defines."""
    defined = set[str]()
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            stack.extend(cast("list[Any]", node))
        elif isinstance(node, dict):
            part = cast("dict[str, Any]", node)
            kind = part.get("type")
            if kind == "BASE_TABLE":
                schema = f"{part['schema_name']}." if part.get("schema_name") else ""
                names.add(f"{schema}{part['table_name']}".lower())
            elif kind == "TABLE_FUNCTION":
                functions.add(str(part["function"].get("function_name")))
            elif kind == "SHOW_REF":
                functions.add("show")
            defined.update(str(entry["key"]).lower() for entry in entries(part.get("cte_map")))
            stack.extend(part.values())
    return defined


def entries(cte_map: Any) -> list[dict[str, Any]]:
    """Definitions of a WITH clause."""
    return cast("list[dict[str, Any]]", cte_map["map"]) if isinstance(cte_map, dict) else []


def first_line(error: BaseException) -> str:
    """The message of an error without the query it quotes."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0][:500]


if __name__ == "__main__":
    main()
