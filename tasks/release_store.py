"""Rows of decisions, pointer and harness folders of production, kept in agreement.

Rows are the truth; the pointer and the folders are derived. A command that is killed between
landing its rows and replacing the pointer leaves a draft of it. The next command takes the rows
in and derives the pointer anew; `follow_pointer` does as much for a running proxy, without the
checks that taking rows in costs.
"""

import re
import shutil
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from schemas.errors import ConfigError, WarehouseError
from schemas.releases import HarnessStateRow
from schemas.settings import load_settings
from tasks.evidence_card import card_of, render_card
from tasks.harness import Harness, HarnessError
from tasks.release_pointer import (
    FOLDER,
    PointerWatch,
    ReleasePointer,
    draft_file,
    harness_folder,
    pointer_file,
    publish_draft,
    read_pointer,
    write_draft,
)
from tasks.workbench import Workbench
from warehouse.lock import file_lock
from warehouse.paths import Paths

LOCK_TIMEOUT_S = 300.0


def pointer_of_rows(environment: str, rows: Iterable[HarnessStateRow]) -> ReleasePointer:
    """What decisions, in their order, leave in force."""
    released: list[str] = []
    canary: str | None = None
    ordinal = -1
    for row in rows:
        ordinal = row.ordinal
        if row.state == "canary":
            canary = row.harness_id
        elif row.harness_id == canary:
            canary = None
        if row.state == "released" and row.decision == "rollback":
            released.pop()
        elif row.state == "released":
            released.append(row.harness_id)
    last, *earlier = [*reversed(released), None]
    return ReleasePointer(environment, last, earlier[0] if earlier else None, canary, ordinal)


def rebuild_pointer(home: Path, environment: str) -> ReleasePointer:
    """Write the pointer that the stored decisions make, and the folders of the harnesses it names.

    A process that starts to follow the pointer calls this once. The caller need hold no lock.
    """
    bench = _bench(home)
    with _locked(home, LOCK_TIMEOUT_S):
        return rebuild(bench, environment)


def follow_pointer(home: Path, environment: str) -> PointerWatch:
    """A watch that puts right what a killed command left, without taking rows in."""
    rebuild_pointer(home, environment)
    return PointerWatch(home, environment, mend=_mender(home, environment))


def _mender(home: Path, environment: str) -> Callable[[], None]:
    def mend() -> None:
        with suppress(WarehouseError), _locked(home, 0):
            if not draft_file(home, environment).exists():
                return
            if _waits(home, environment):
                # The decision is landed and will be taken in: it stands, as the draft has it.
                publish_draft(home, environment)
            else:
                rebuild(_bench(home), environment)

    return mend


def _waits(home: Path, environment: str) -> bool:
    """Whether a decision of this environment is landed and not taken in."""
    name = re.compile(re.escape(landing_stage(environment)) + "-[0-9a-f]{32}")
    pending = Paths(home).pending
    return pending.is_dir() and any(name.fullmatch(one.name) for one in pending.iterdir())


def landing_stage(environment: str) -> str:
    """Stage under which decisions about an environment are landed; no other rows are."""
    return "release_" + re.sub(r"[^a-z0-9_]+", "-", environment.lower())[:30].strip("-")


@contextmanager
def _locked(home: Path, timeout_s: float) -> Generator[None]:
    (home / FOLDER).mkdir(parents=True, exist_ok=True)
    with file_lock(home / FOLDER / ".lock", timeout_s=timeout_s):
        yield


@contextmanager
def deciding(bench: Workbench, environment: str) -> Generator[ReleasePointer]:
    """Hold the lock with rows and pointer in agreement, whatever an earlier command left.

    Only a decision that waits is taken in: other rows would be checked first, and a rollback is
    not to wait for that.
    """
    home = bench.settings.home
    pointer_file(home, environment)
    with _locked(home, LOCK_TIMEOUT_S):
        if _waits(home, environment):
            bench.commit()
        yield rebuild(bench, environment)


def decisions_of(bench: Workbench, environment: str) -> list[HarnessStateRow]:
    """Stored decisions about an environment, in their order."""
    with bench.warehouse.read() as reader:
        return reader.rows(HarnessStateRow, "environment = ?", [environment])


def rebuild(bench: Workbench, environment: str) -> ReleasePointer:
    """Derive pointer and folders from the stored decisions. The caller holds the lock."""
    home = bench.settings.home
    pointer = pointer_of_rows(environment, decisions_of(bench, environment))
    _write_folders(bench, pointer.harness_ids)
    with suppress(ConfigError):  # a damaged one is written over
        if read_pointer(home, environment) == pointer:
            draft_file(home, environment).unlink(missing_ok=True)
            return pointer
    write_draft(home, pointer)
    publish_draft(home, environment)
    return pointer


def _write_folders(bench: Workbench, harness_ids: Iterable[str]) -> None:
    home = bench.settings.home
    missing = [one for one in harness_ids if not _is_whole(harness_folder(home, one), one)]
    for harness in bench.stored_harnesses(missing).values():
        write_folder(bench, harness)


def write_folder(bench: Workbench, harness: Harness) -> None:
    """Write a harness as an exported folder, there as a whole or not at all."""
    folder = harness_folder(bench.settings.home, harness.harness_id)
    if _is_whole(folder, harness.harness_id):
        return
    draft = folder.with_name(f".{folder.name}.draft")
    shutil.rmtree(draft, ignore_errors=True)
    harness.export(draft, evidence=render_card(card_of(bench, harness)))
    shutil.rmtree(folder, ignore_errors=True)
    draft.replace(folder)


def _is_whole(folder: Path, harness_id: str) -> bool:
    try:
        Harness.load(folder, harness_id=harness_id)
    except HarnessError:
        return False
    return True


def _bench(home: Path) -> Workbench:
    return Workbench(load_settings().model_copy(update={"home": home}), datetime.now(UTC))
