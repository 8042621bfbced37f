"""Write what is derived from the row models: the first migration and the data dictionary.

Run `python -m warehouse.generate` after a change of the row models, before the first release.
"""

from pathlib import Path

from schemas.tables import TABLES
from warehouse.ddl import create_table
from warehouse.dictionary import data_dictionary

_ROOT = Path(__file__).parents[1]
MIGRATION_FILE = _ROOT / "warehouse" / "migrations" / "0001_initial.sql"
DICTIONARY_FILE = _ROOT / "docs" / "data-dictionary.md"
_HEADER = "-- Generated from the row models in schemas/ by `python -m warehouse.generate`.\n"


def initial_migration() -> str:
    """SQL that creates all tables of the registry."""
    return _HEADER + "\n" + "\n\n".join(create_table(table) for table in TABLES.values()) + "\n"


def main() -> None:
    """Write both files."""
    MIGRATION_FILE.write_text(initial_migration(), "utf-8")
    DICTIONARY_FILE.write_text(data_dictionary(), "utf-8")


if __name__ == "__main__":
    main()
