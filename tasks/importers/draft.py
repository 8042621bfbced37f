"""What a reader hands on: an episode in neutral form, or a refusal. Rows are made elsewhere."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal, Protocol

from schemas.fields import Outcome, Termination
from schemas.ids import canonical_json, sha256_hex
from tasks.importers.container import EXCERPT, Outline
from tasks.importers.decoding import JsonValue

Role = Literal["system", "user", "assistant", "tool", "environment"]
Requestor = Literal["assistant", "user"]


@dataclass(frozen=True)
class DraftCall:
    """A tool call as a source holds it.

    Attributes:
        tool: name; empty when there is none.
        raw: argument text as emitted; null when the source threw it away.
        arguments: parsed arguments, where the source has only those.
        native_id: the source's id of the call.
        error: why the call could not be read, found by the reader.
        is_executed: what the source says or implies; null leaves it to the pairing.
    """

    tool: str
    raw: str | None = None
    arguments: JsonValue = None
    native_id: str | None = None
    requestor: Requestor = "assistant"
    error: str | None = None
    is_executed: bool | None = None


@dataclass(frozen=True)
class DraftMessage:
    """One message; a tool message carries the result of one call.

    Attributes:
        result_of: id of the call it answers; null when it names none.
        result_name: tool it names.
        result: result text where it is not the message text itself.
        is_error: the source's flag on a result; null when it has none.
        requestor: whose call a result answers; null when the source does not say.
        copied: whether it did not happen in this episode, such as a demonstration.
    """

    role: Role
    text: str | None = None
    reasoning: str | None = None
    calls: tuple[DraftCall, ...] = ()
    native_id: str | None = None
    result_of: str | None = None
    result_name: str | None = None
    result: str | None = None
    is_error: bool | None = None
    error_kind: str | None = None
    requestor: Requestor | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    finish_reason: str | None = None
    served_model: str | None = None
    copied: bool = False


@dataclass(frozen=True)
class DraftVerdict:
    """How an episode ended and whether it was right: two different things."""

    outcome: Outcome
    rule: str
    termination: Termination = "unknown"
    termination_raw: str | None = None
    fault: str | None = None
    reward: float | None = None
    parts: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])


@dataclass(frozen=True)
class DraftEpisode:
    """An episode in neutral form.

    Attributes:
        format_version: version of the source format, such as a commit; empty when it has none.
        environment: environment name, such as `tau2_airline`.
        family: group of tasks; used in task ids.
        native_task: the source's task id; null when it names none.
        task_text: the whole brief as the source has it, also what the agent did not see.
        task_definition: everything of the task that changes verdicts; goes into the fingerprint.
        identity: what tells this episode from others beside its task: ids, seeds, messages.
        model_settings: model and sampling as the source states them; null when it does not.
        is_model_sourced: whether the model was read from the content (else a name or argument).
        lost: kinds of evidence that the format cannot hold.
        prompt_tokens: total where the source counts no tokens message by message.
        completion_tokens: likewise.
        native_id: the source's id of the episode; null when it has none.
        parent_native_id: native id of the episode that started this one.
        dialect: which dialect of the format it is written in; empty when there is only one.
    """

    index: int
    place: str
    environment: str
    family: str
    native_task: str | None
    task_text: str
    task_definition: JsonValue
    identity: JsonValue
    verdict: DraftVerdict
    messages: tuple[DraftMessage, ...]
    format_version: str = ""
    model: str = "unknown"
    model_settings: JsonValue = None
    is_model_sourced: bool = False
    seed: int = 0
    repeat: int = 0
    budget: int | None = None
    cost_usd: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    system_text: str | None = None
    task_prompt: str | None = None
    tools: JsonValue = None
    lost: tuple[str, ...] = ()
    raw: JsonValue = None
    replaced: int = 0
    source_file: str | None = None
    native_id: str | None = None
    parent_native_id: str | None = None
    dialect: str = ""

    @cached_property
    def identity_sha256(self) -> str:
        """Hash of the identity; made once, as an episode may be huge."""
        return sha256_hex(canonical_json(self.identity))


@dataclass(frozen=True)
class Superseded:
    """An attempt of which the source holds a later one."""

    index: int
    place: str


@dataclass(frozen=True)
class Refusal:
    """An element that did not become an episode."""

    index: int
    place: str
    reason: str
    excerpt: str = ""
    source_file: str | None = None

    @classmethod
    def of(cls, index: int, place: str, reason: str, value: JsonValue) -> "Refusal":
        """Refuse an element that could be decoded."""
        return cls(index, place, reason, canonical_json(value)[:EXCERPT])


@dataclass(frozen=True)
class Note:
    """Something a user should know about a file."""

    text: str


@dataclass(frozen=True)
class ReadOptions:
    """What a user may say about files.

    Attributes:
        model: model that acted, where the files name none.
        pair_tasks_by_index: pair episodes without task id with tasks by position, when there
            are equally many.
        source_format: name of the reader; empty lets the content decide.
        verdict_field: member of an episode that holds its verdict, where the format has none.
        redact: whether secrets are replaced.
    """

    model: str = ""
    pair_tasks_by_index: bool = False
    source_format: str = ""
    verdict_field: str = ""
    redact: bool = True


@dataclass(frozen=True)
class Source:
    """A file as a reader gets it.

    Attributes:
        path: the file.
        name: its name for people and rows.
        outline: what was seen of its content.
    """

    path: Path
    name: str
    outline: Outline
    options: ReadOptions = ReadOptions()


Drafted = DraftEpisode | Superseded | Refusal | Note


class Redacts(Protocol):
    """Takes secrets out of a JSON value."""

    def value(self, value: JsonValue, name: str = "") -> JsonValue:
        """Redact a JSON value."""
        ...


class Reader(Protocol):
    """Reads one format.

    A reader never fails on content: what it cannot read it refuses, element by element. It
    redacts each element before it looks into it.
    """

    name: str
    describes: str
    """What the format looks like, for the message about unknown files."""
    spreads: tuple[str, ...]
    """Members of an outermost object whose elements are the episodes."""

    def recognises(self, outline: Outline) -> bool:
        """Tell from the content whether a file is in this format."""
        ...

    def read(self, source: Source, redactor: Redacts) -> Iterator[Drafted]:
        """Yield episodes, refusals and notes in the order of the file."""
        ...
