"""A full disk, told in one line: what was being done, where, how much room it takes."""

import errno
import shutil
from pathlib import Path

from schemas.errors import WarehouseError

_CODES = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_SIGNS = (
    "no space left on device",
    "disk quota exceeded",
    "file too large",
    *(f"os error {code})" for code in sorted(_CODES)),
)


def is_full(error: BaseException) -> bool:
    """Whether an error means that a disk, a quota or a limit on file size is used up."""
    if isinstance(error, OSError) and error.errno in _CODES:
        return True
    message = str(error).lower()
    return any(sign in message for sign in _SIGNS)


def full_disk(what: str, place: Path, *, kept: str, needed: int = 0) -> WarehouseError:
    """Say that there is no room.

    Args:
        what: what cannot be done, as in `cannot land rows`.
        place: file or folder that should have been written.
        kept: what is safe, as in `nothing was landed`.
        needed: bytes that it takes, about; 0 when unknown.
    """
    free = _free(place)
    room = f"{_megabytes(free)} are free"
    if needed:
        room += f", about {_megabytes(needed)} are needed"
    # With room on the disk it is a quota or a limit on file size, which other programs set.
    reason = "the disk is full" if free <= max(needed, 1_000_000) else "no more may be written"
    hint = f"{kept}; make room there, then run the same command again"
    return WarehouseError(f"{what}: {reason} at {place}; {room}", hint=hint)


def _free(place: Path) -> int:
    folder = next(path for path in (place, *place.absolute().parents) if path.is_dir())
    return shutil.disk_usage(folder).free


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"
