"""Recorded replies: a file of JSON lines, plain or gzipped, that answers recorded requests.

The first line says which model was recorded; each further line holds the hash of a request and
its reply. The same request of the same seed and repeat has one reply, so an episode told again
from the file is the episode that was recorded.
"""

import gzip
import json
import os
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from schemas.errors import ConfigError
from schemas.ids import canonical_json, sha256_hex
from tasks.agent.protocols import EpisodeContext, ModelReply

Message = Mapping[str, Any]
FORMAT = 1
COMPRESSED = ".gz"
_STRICT = ConfigDict(extra="forbid", frozen=True)


class Header(BaseModel):
    """First line of a file: the model that was recorded."""

    model_config = _STRICT
    tackroom_replies: int
    model: str
    fingerprint: str
    is_simulated: bool
    is_deterministic: bool = True
    calls_as_text: bool = False


class Line(BaseModel):
    """One recorded reply."""

    model_config = _STRICT
    request: str
    reply: dict[str, Any]


REPLY = TypeAdapter(ModelReply)


def request_hash(
    context: EpisodeContext, messages: Sequence[Message], tools: Sequence[Message]
) -> str:
    """Hash of everything a reply may depend on."""
    draw = [context.task.task_id, context.seed, context.repeat]
    return sha256_hex(canonical_json([list(messages), list(tools), draw]))


@dataclass(frozen=True)
class Recording:
    """A file that was read."""

    header: Header
    replies: dict[str, ModelReply]


def read_recording(path: Path) -> Recording:
    """Read a file of replies.

    Raises:
        ConfigError: it cannot be read, or a line is truncated or garbled.
    """
    lines = _read_bytes(path).split(b"\n")
    header: Header | None = None
    replies: dict[str, ModelReply] = {}
    if lines[-1] != b"":
        raise _garbled(path, len(lines), "it is cut off")
    for number, line in enumerate(lines[:-1], start=1):
        try:
            if header is None:
                header = _read_header(path, line)
                continue
            read = Line.model_validate_json(line)
            replies.setdefault(read.request, REPLY.validate_python(read.reply))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise _garbled(path, number, first["msg"]) from None
    if header is None:
        raise _garbled(path, 1, "it is empty")
    return Recording(header, replies)


def _read_bytes(path: Path) -> bytes:
    try:
        if path.suffix != COMPRESSED:
            return path.read_bytes()
        with gzip.open(path) as file:
            return file.read()
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        what = f"the reply file {path} cannot be unpacked: {error}"
        raise ConfigError(what, hint="it has to be a whole gzip file") from error
    except OSError as error:
        what = f"the reply file {path} cannot be read: {error.strerror}"
        raise ConfigError(what, hint="make one with --record FILE") from error


def _read_header(path: Path, line: bytes) -> Header:
    header = Header.model_validate_json(line)
    if header.tackroom_replies != FORMAT:
        raise _garbled(path, 1, f"format {header.tackroom_replies} is not {FORMAT}")
    return header


def _garbled(path: Path, number: int, what: str) -> ConfigError:
    return ConfigError(
        f"reply file {path}, line {number}: {what}",
        hint="remove that line, or record the file again",
    )


def append_line(path: Path, value: Mapping[str, Any]) -> None:
    """Append one JSON line, whole or not at all.

    Raises:
        ConfigError: it cannot be written; what was there before is kept.
    """
    line = json.dumps(value, sort_keys=True).encode() + b"\n"
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            _write_whole(handle, line)
        finally:
            os.close(handle)
    except OSError as error:
        what = f"the reply file {path} cannot be written: {error.strerror}"
        raise ConfigError(what) from error


def _write_whole(handle: int, line: bytes) -> None:
    size = os.fstat(handle).st_size
    written = 0
    try:
        while written < len(line):
            written += os.write(handle, line[written:])
    except OSError:
        with suppress(OSError):  # the first error says more
            os.ftruncate(handle, size)
        raise
