"""Zip archives of JSON members, read one member at a time and never further than a bound.

Members may be compressed with zstandard, which `zipfile` knows only from Python 3.14 on; they are
decompressed with what Arrow brings along.
"""

import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from tasks.importers.container import EXCERPT, Element
from tasks.importers.decoding import Undecodable, decode

BROKEN_ARCHIVE = "the archive cannot be opened"
MARK = b"PK\x03\x04"
LARGEST = 256 << 20
"""Bytes of a member after decompression; a larger one is refused."""
_BLOCK = 1 << 20
_ZSTD = 93
_LOCAL_HEADER = 30
_KNOWN = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA})


class BrokenMember(Exception):
    """A member that cannot be read; the message says why."""


def is_archive(path: Path) -> bool:
    """Whether a file begins as an archive does."""
    with path.open("rb") as stream:
        return stream.read(len(MARK)) == MARK


def member_names(path: Path) -> list[str]:
    """Names of all members in the order of the archive.

    Raises:
        BrokenMember: the archive's directory cannot be read.
    """
    with _opened(path) as archive:
        return archive.namelist()


def read_members(path: Path, names: Iterable[str]) -> Iterator[Element]:
    """Members as elements, numbered as given; what is wrong with one is its problem.

    The archive is opened once: its directory may name many thousands of members.

    Raises:
        BrokenMember: the archive's directory cannot be read.
    """
    with _opened(path) as archive:
        for index, name in enumerate(names):
            yield _read_member(path, archive, name, index)


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        message = f"{BROKEN_ARCHIVE}: {error}"
        raise BrokenMember(message) from error
    with archive:
        yield archive


def _read_member(path: Path, archive: zipfile.ZipFile, name: str, index: int) -> Element:
    try:
        text = _read_bytes(path, archive, name).decode("utf-8-sig", "surrogateescape")
    except BrokenMember as error:
        return Element(index, name, problem=str(error))
    try:
        decoded = decode(text)
    except Undecodable as error:
        return Element(index, name, problem=str(error), excerpt=text[:EXCERPT])
    return Element(index, name, decoded.value, decoded.replaced)


def _read_bytes(path: Path, archive: zipfile.ZipFile, name: str) -> bytes:
    try:
        with _open_member(path, archive, archive.getinfo(name)) as stream:
            return _bounded(stream, name)
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, KeyError, RuntimeError) as error:
        message = f"the member cannot be read: {error}"
        raise BrokenMember(message) from error


@contextmanager
def _open_member(
    path: Path, archive: zipfile.ZipFile, info: zipfile.ZipInfo
) -> Iterator[IO[bytes]]:
    if info.compress_type in _KNOWN:
        with archive.open(info) as stream:
            yield stream
    elif info.compress_type == _ZSTD:
        with path.open("rb") as file, _open_zstd(file, info) as stream:
            yield stream
    else:
        message = f"compressed by method {info.compress_type}; pack it again with deflate"
        raise BrokenMember(message)


@contextmanager
def _open_zstd(file: IO[bytes], info: zipfile.ZipInfo) -> Iterator[IO[bytes]]:
    import pyarrow

    file.seek(info.header_offset)
    header = file.read(_LOCAL_HEADER)
    skipped = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
    file.seek(info.header_offset + _LOCAL_HEADER + skipped)
    packed = pyarrow.BufferReader(file.read(info.compress_size))
    with pyarrow.CompressedInputStream(packed, "zstd") as stream:
        yield cast("IO[bytes]", stream)


def _bounded(stream: IO[bytes], name: str) -> bytes:
    blocks: list[bytes] = []
    size = 0
    while block := stream.read(_BLOCK):
        size += len(block)
        if size > LARGEST:
            message = f"{name} is longer than {LARGEST >> 20} MiB when it is unpacked"
            raise BrokenMember(message)
        blocks.append(block)
    return b"".join(blocks)
