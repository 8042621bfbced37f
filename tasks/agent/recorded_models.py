"""Models that write their replies into a file, and models that answer from one."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from schemas.errors import ConfigError, ModelFault
from schemas.ids import make_id
from tasks.agent.protocols import Conversation, EpisodeContext, ManagedModel, Model, ModelReply
from tasks.agent.reply_file import (
    COMPRESSED,
    FORMAT,
    REPLY,
    Header,
    Recording,
    append_line,
    read_recording,
    request_hash,
)
from tasks.agent.run_limits import usd_per_token
from tasks.agent.text_mode import writes_calls

Message = Mapping[str, Any]


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
            append_line(self.path, {"request": request, "reply": REPLY.dump_python(reply)})
            self._known[request] = reply


@dataclass(frozen=True)
class _RecordedConversation:
    model: RecordingModel
    context: EpisodeContext
    inner: Conversation

    async def reply(self, messages: Sequence[Message], tools: Sequence[Message]) -> ModelReply:
        request = request_hash(self.context, messages, tools)
        return await self.model.ask(request, self.inner, messages, tools)
