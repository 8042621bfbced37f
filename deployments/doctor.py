"""`tackroom doctor`: is this installation in order, and what do two equal runs agree on."""

import sys
from collections.abc import Callable
from typing import Any

from schemas.errors import TackroomError
from schemas.settings import load_settings
from warehouse.digest import table_digests as digests_of
from warehouse.store import Warehouse

_FAILED = "SELECT count(*) FROM validation_results WHERE NOT success AND severity = 'error'"


def table_digests() -> dict[str, str]:
    """One digest per table over everything that two equal runs must agree on."""
    with Warehouse(load_settings().home).read() as reader:
        return digests_of(reader)


def check_installation() -> list[dict[str, Any]]:
    """What was checked, whether it is in order, and a detail."""
    checks: tuple[tuple[str, Callable[[], str]], ...] = (
        ("python", _python),
        ("settings", _settings),
        ("data folder", _data_folder),
        ("validation", _validation),
        ("environments", _environments),
        ("sandbox", _sandbox),
    )
    return [_checked(name, check) for name, check in checks]


def _checked(name: str, check: Callable[[], str]) -> dict[str, Any]:
    try:
        return {"check": name, "ok": True, "detail": check()}
    except TackroomError as error:
        return {"check": name, "ok": False, "detail": str(error)}


def _python() -> str:
    return sys.version.split()[0]


def _settings() -> str:
    settings = load_settings()
    return f"home {settings.home}, {len(settings.models)} named endpoints"


def _data_folder() -> str:
    warehouse = Warehouse(load_settings().home)
    return f"newest snapshot {warehouse.snapshot.name}"


def _validation() -> str:
    with Warehouse(load_settings().home).read() as reader:
        failed = reader.scalar(_FAILED)
    if failed:
        what = f"{failed} failed checks in validation_results"
        raise TackroomError(what, hint="SELECT * FROM failed_checks")
    return "no failed check"


def _environments() -> str:
    from tasks.environments.registry import environment_names

    return ", ".join(environment_names(load_settings().worlds))


def _sandbox() -> str:
    import asyncio

    from tasks.harness import Sandbox

    async def start() -> None:
        async with Sandbox():
            pass

    asyncio.run(start())
    return "starts"
