"""Bring a warehouse file to the present schema: numbered migrations, then the views."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import duckdb

from schemas.errors import WarehouseError
from warehouse.views import views_of_release

_FOLDER = Path(__file__).parent
_VIEWS_VERSION = 0
_FIND_REGISTER = """
SELECT count(*) FROM duckdb_tables() WHERE table_name = 'schema_migrations' AND NOT internal
"""
_APPLIED = "SELECT version, sha256 FROM schema_migrations ORDER BY version"
_RECORD = "INSERT INTO schema_migrations (version, name, sha256, created_at) VALUES (?, ?, ?, ?)"
_FORGET_VIEWS = "DELETE FROM schema_migrations WHERE version = 0"


@dataclass(frozen=True)
class Migration:
    """One numbered SQL file; number 0 stands for the views as a whole."""

    version: int
    name: str
    sql: str

    @property
    def sha256(self) -> str:
        """Hash of the text."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


@cache
def known_migrations() -> tuple[Migration, ...]:
    """The migrations of this release, in order."""
    files = sorted((_FOLDER / "migrations").glob("[0-9]*.sql"))
    return tuple(
        Migration(int(file.name.split("_", 1)[0]), file.name, file.read_text("utf-8"))
        for file in files
    )


@cache
def known_views() -> Migration:
    """The views of this release, as one script."""
    return Migration(_VIEWS_VERSION, "views", "\n".join(view.sql for view in views_of_release()))


def is_current(connection: duckdb.DuckDBPyConnection) -> bool:
    """Tell whether a file has been through all known migrations and holds the present views.

    Outside of a transaction: one would be broken when the register of migrations is missing. Asking
    the catalog for it takes longer than everything else here.
    """
    try:
        rows = connection.execute(_APPLIED).fetchall()
    except duckdb.CatalogException:
        return False
    applied = {int(version): str(sha256) for version, sha256 in rows}
    wanted = {step.version: step.sha256 for step in (known_views(), *known_migrations())}
    return applied == wanted


def migrate(
    connection: duckdb.DuckDBPyConnection,
    *,
    migrations: Sequence[Migration] | None = None,
    views: Migration | None = None,
) -> tuple[str, ...]:
    """Apply what is missing inside the caller's transaction; return the names applied.

    Raises:
        WarehouseError: the file comes from a newer release, or a migration it went through has
            another text now.
    """
    steps = known_migrations() if migrations is None else migrations
    view_step = known_views() if views is None else views
    applied = _applied(connection)
    _check_history(applied, steps)
    missing = [step for step in steps if step.version not in applied]
    for step in missing:
        connection.execute(step.sql)
        _record(connection, step)
    names = [step.name for step in missing]
    if missing or applied.get(_VIEWS_VERSION) != view_step.sha256:
        connection.execute(view_step.sql or "SELECT 1")
        connection.execute(_FORGET_VIEWS)
        _record(connection, view_step)
        names.append(view_step.name)
    return tuple(names)


def _applied(connection: duckdb.DuckDBPyConnection) -> dict[int, str]:
    if connection.execute(_FIND_REGISTER).fetchall()[0][0] == 0:
        return {}
    rows = connection.execute(_APPLIED).fetchall()
    return {int(version): str(sha256) for version, sha256 in rows}


def _check_history(applied: dict[int, str], steps: Sequence[Migration]) -> None:
    known = {step.version: step for step in steps}
    for version, sha256 in applied.items():
        if version == _VIEWS_VERSION:
            continue
        if version not in known:
            what = f"the warehouse went through migration {version}, which this release lacks"
            raise WarehouseError(what, hint="use the newer release that wrote it")
        if known[version].sha256 != sha256:
            what = f"migration {known[version].name} has another text than when it was applied"
            raise WarehouseError(what, hint="restore the file; put the change into a new migration")


def _record(connection: duckdb.DuckDBPyConnection, step: Migration) -> None:
    now = datetime.now(UTC).replace(tzinfo=None)
    connection.execute(_RECORD, [step.version, step.name, step.sha256, now])
