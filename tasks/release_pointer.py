"""Which harness is in force in production, in one small file per environment.

A running proxy asks before every call; it opens no warehouse. The file is derived from the
decisions in the warehouse (`tasks/releases.py` writes it) and replaced in one step. While that is
under way a draft lies beside it; one that stays there tells that a command was killed.
"""

import json
import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from schemas.errors import ConfigError

FOLDER = "releases"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_HARNESS = re.compile(r"harn_[0-9a-f]{16}")
Signature = tuple[int, int, int] | None


@dataclass(frozen=True)
class ReleasePointer:
    """What is in force; all null before anything was released.

    Attributes:
        environment: environment it is about.
        released: harness that every conversation gets, but those of the canary.
        previous: harness that a rollback returns to.
        canary: harness that is tried on a share of conversations.
        ordinal: newest decision it was derived from; -1 without any.
    """

    environment: str
    released: str | None = None
    previous: str | None = None
    canary: str | None = None
    ordinal: int = -1

    @property
    def harness_ids(self) -> tuple[str, ...]:
        """Harnesses it names."""
        named = (self.released, self.previous, self.canary)
        return tuple(dict.fromkeys(one for one in named if one is not None))


def pointer_file(home: Path, environment: str) -> Path:
    """Where the pointer of an environment lies.

    Raises:
        ConfigError: the name of the environment is no file name.
    """
    if not _NAME.fullmatch(environment):
        what = f"no release can be kept of environment {environment[:60]!r}"
        raise ConfigError(what, hint="letters, digits, dots, hyphens and underscores")
    return home / FOLDER / f"{environment}.json"


def draft_file(home: Path, environment: str) -> Path:
    """Where its successor lies while a decision is being stored."""
    return pointer_file(home, environment).with_suffix(".json.draft")


def harness_folder(home: Path, harness_id: str) -> Path:
    """Where a promoted harness lies as an exported folder."""
    return home / FOLDER / harness_id


def read_pointer(home: Path, environment: str) -> ReleasePointer:
    """Read the pointer; an empty one when nothing was promoted.

    Raises:
        ConfigError: the file holds no pointer of this environment.
    """
    path = pointer_file(home, environment)
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return ReleasePointer(environment)
    except (OSError, UnicodeDecodeError) as error:
        raise _damaged(path, str(error)) from error
    return _parse(text, environment, path)


def write_draft(home: Path, pointer: ReleasePointer) -> Path:
    """Write the successor of the pointer to disk, not yet in force."""
    draft = draft_file(home, pointer.environment)
    draft.parent.mkdir(parents=True, exist_ok=True)
    with draft.open("w", encoding="utf-8") as file:
        file.write(json.dumps(asdict(pointer), indent=2) + "\n")
        file.flush()
        os.fsync(file.fileno())
    return draft


def publish_draft(home: Path, environment: str) -> None:
    """Put the draft in force, in one step that outlives a power cut."""
    target = pointer_file(home, environment)
    draft_file(home, environment).replace(target)
    descriptor = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class PointerWatch:
    """The pointer of one environment for a process that asks often: two `stat` calls a read.

    While a draft lies there `mend` is called first; it tells a command at work from one that was
    killed, and puts right what the latter left.
    """

    def __init__(
        self, home: Path, environment: str, *, mend: Callable[[], None] | None = None
    ) -> None:
        self._home = home
        self._environment = environment
        self._path = pointer_file(home, environment)
        self._draft = draft_file(home, environment)
        self._mend = mend
        self._seen: Signature = None
        self._pointer = ReleasePointer(environment)

    def read(self) -> ReleasePointer:
        """The pointer as it is now.

        Raises:
            ConfigError: the file holds no pointer of this environment.
        """
        if self._mend is not None and _signature(self._draft) is not None:
            self._mend()
        seen = _signature(self._path)
        if seen != self._seen:
            self._pointer = read_pointer(self._home, self._environment)
            self._seen = seen
        return self._pointer


def _signature(path: Path) -> Signature:
    with suppress(FileNotFoundError):
        state = path.stat()
        return state.st_mtime_ns, state.st_ino, state.st_size
    return None


def _parse(text: str, environment: str, path: Path) -> ReleasePointer:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise _damaged(path, "it is no JSON") from None
    names = {field.name for field in fields(ReleasePointer)}
    if not isinstance(value, dict) or value.keys() != names:
        raise _damaged(path, f"expected {', '.join(sorted(names))}")
    ids = [value[name] for name in ("released", "previous", "canary")]
    if not all(one is None or (isinstance(one, str) and _HARNESS.fullmatch(one)) for one in ids):
        raise _damaged(path, "a harness id is none")
    if value["environment"] != environment or not isinstance(value["ordinal"], int):
        raise _damaged(path, f"it is not about {environment}")
    return ReleasePointer(**value)


def _damaged(path: Path, why: str) -> ConfigError:
    what = f"the release pointer {path} cannot be used: {why}"
    return ConfigError(what, hint="`tackroom harness promote` and `rollback` write it anew")
