"""Recorded replies: a file of JSON lines, plain or gzipped, that answers recorded requests.

The first line says which model was recorded; each further line holds the hash of a request and
its reply. The same request of the same seed and repeat has one reply, so an episode told again
from the file is the episode that was recorded.
"""

import asyncio
import gzip
import json
import os
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from schemas.errors import ConfigError, ModelFault
from schemas.ids import canonical_json, make_id, sha256_hex
from tasks.agent.protocols import Conversation, EpisodeContext, ManagedModel, Model, ModelReply
from tasks.agent.run_limits import usd_per_token
from tasks.agent.text_mode import writes_calls

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


_REPLY = TypeAdapter(ModelReply)


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
            replies.setdefault(read.request, _REPLY.validate_python(read.reply))
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


@dataclass(frozen=True)
class _ReplayConversation:
    model: "ReplayModel"
    context: EpisodeContext

    async def reply(self, messages: Sequence[Message], tools: Sequence[Message]) -> ModelReply:
        reply = self.model.recording.replies.get(request_hash(self.context, messages, tools))
        if reply is None:
            what = (
                f"{self.model.name} holds no reply to message {len(messages)} of "
                f"{self.context.task.task_id} (seed {self.context.seed}, "
                f"repeat {self.context.repeat})"
            )
            hint = "record it again with the same harness, tasks and seed"
            raise ModelFault(what, kind="unseen_prompt", hint=hint)
        return replace(reply, cost_usd=None, latency_s=None)


@dataclass(frozen=True)
class ReplayModel:
    """A model that gives recorded replies and nothing else."""

    name: str
    recording: Recording

    @classmethod
    def from_file(cls, path: Path) -> "ReplayModel":
        """Read the file of `replay:FILE`.

        Raises:
            ConfigError: the file cannot be used.
        """
        return cls(f"replay:{path.name}", read_recording(path))

    @property
    def is_simulated(self) -> bool:
        """Whether the recorded model was simulated."""
        return self.recording.header.is_simulated

    @property
    def is_deterministic(self) -> bool:
        """As the recorded model said, so that the same episodes are asked for as then."""
        return self.recording.header.is_deterministic

    @property
    def calls_as_text(self) -> bool:
        """As of the recorded model."""
        return self.recording.header.calls_as_text

    @property
    def fingerprint(self) -> str:
        """Hash of the recorded model and all replies."""
        replies = self.recording.replies
        said = [[request, repr(replies[request])] for request in sorted(replies)]
        return make_id("model", ["replay", self.recording.header.fingerprint, said])

    def open(self, context: EpisodeContext) -> Conversation:
        """Start an episode."""
        return _ReplayConversation(self, context)


@dataclass
class RecordingModel:
    """A model whose replies are written down; a request that was answered before is not made.

    It keeps name and fingerprint of the recorded model: recording changes no result.
    """

    inner: Model
    path: Path
    _known: dict[str, ModelReply] = field(default_factory=dict[str, ModelReply])
    _asked: dict[str, asyncio.Lock] = field(default_factory=dict[str, asyncio.Lock])

    def __post_init__(self) -> None:
        header = Header(
            tackroom_replies=FORMAT,
            model=self.inner.name,
            fingerprint=self.inner.fingerprint,
            is_simulated=self.inner.is_simulated,
            is_deterministic=self.inner.is_deterministic,
            calls_as_text=writes_calls(self.inner),
        )
        if self.path.suffix == COMPRESSED:
            what = f"replies cannot be appended to the compressed file {self.path}"
            raise ConfigError(what, hint="record into a plain file and compress it afterwards")
        if not self.path.exists() or self.path.stat().st_size == 0:
            append_line(self.path, header.model_dump(mode="json"))
            return
        recording = read_recording(self.path)
        if recording.header != header:
            what = f"reply file {self.path} holds replies of {recording.header.model}"
            raise ConfigError(what, hint=f"record {header.model} into another file")
        self._known.update(recording.replies)

    @property
    def name(self) -> str:
        """Name of the recorded model."""
        return self.inner.name

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the recorded model."""
        return self.inner.fingerprint

    @property
    def is_simulated(self) -> bool:
        """Whether the recorded model is simulated."""
        return self.inner.is_simulated

    @property
    def is_deterministic(self) -> bool:
        """Whether the recorded model is deterministic."""
        return self.inner.is_deterministic

    @property
    def calls_as_text(self) -> bool:
        """As of the recorded model."""
        return writes_calls(self.inner)

    @property
    def usd_per_token(self) -> float | None:
        """As of the recorded model."""
        return usd_per_token(self.inner)

    async def __aenter__(self) -> "RecordingModel":
        if isinstance(self.inner, ManagedModel):
            await self.inner.__aenter__()
        return self

    async def __aexit__(self, *exc: object) -> None:
        if isinstance(self.inner, ManagedModel):
            await self.inner.__aexit__(*exc)

    def open(self, context: EpisodeContext) -> Conversation:
        """Start an episode."""
        return _RecordedConversation(self, context, self.inner.open(context))

    async def ask(
        self,
        request: str,
        inner: Conversation,
        messages: Sequence[Message],
        tools: Sequence[Message],
    ) -> ModelReply:
        """Answer from the file, else ask and write the reply down.

        A simulated model may count its replies, so it is asked in any case.
        """
        if self.inner.is_simulated:
            reply = await inner.reply(messages, tools)
            self._keep(request, reply)
            return reply
        async with self._asked.setdefault(request, asyncio.Lock()):
            if request not in self._known:
                self._keep(request, await inner.reply(messages, tools))
        self._asked.pop(request, None)
        return self._known[request]

    def _keep(self, request: str, reply: ModelReply) -> None:
        if request not in self._known:
            append_line(self.path, {"request": request, "reply": _REPLY.dump_python(reply)})
            self._known[request] = reply


@dataclass(frozen=True)
class _RecordedConversation:
    model: RecordingModel
    context: EpisodeContext
    inner: Conversation

    async def reply(self, messages: Sequence[Message], tools: Sequence[Message]) -> ModelReply:
        request = request_hash(self.context, messages, tools)
        return await self.model.ask(request, self.inner, messages, tools)


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
