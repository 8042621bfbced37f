"""Conversations of one's own: chat messages, Responses items, Anthropic turns, ShareGPT.

What most programs can write: a line, or an element of a list, for each conversation. There is no
verdict in it; a file of verdicts brings one, or the member that the user names. Ids, tasks and
models are taken where a member of a usual name holds one.
"""

from collections.abc import Iterator

from tasks.importers.container import Element, Outline, every, whole
from tasks.importers.conversation import Conversation, is_message, read_conversation
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import Drafted, DraftEpisode, DraftMessage, Redacts, Source
from tasks.importers.elements import conversation_key, first_text, read_element, read_elements
from tasks.importers.reading import (
    JsonObject,
    Unreadable,
    as_content,
    as_count,
    as_list,
    as_name,
    as_object,
    as_text,
    drop_nulls,
    require_object,
)
from tasks.importers.responses_items import is_item
from tasks.importers.stated_verdict import judge_named, plain_members

ENVIRONMENT = "openai_chat"
_LISTS = ("messages", "conversations", "conversation", "trajectory", "items", "input", "prompt")
_FOLLOWING = ("completion", "output", "response")
_IDS = ("conversation_id", "session_id", "trajectory_id", "trace_id", "uuid", "id", "instance_id")
_TASKS = ("task_id", "instance_id", "task")
_MODELS = ("model", "model_name", "model_name_or_path")
_PAIR = ("preferred_output", "chosen")
_NOT_KEPT = frozenset({*_LISTS, *_FOLLOWING, "tools", "functions", "system", "instructions"})


def _read_list(value: JsonValue) -> list[JsonValue] | None:
    items = as_list(value)
    return items if any(map(is_message, items)) else None


def find_messages(episode: JsonObject) -> list[JsonValue] | None:
    """The list of messages of a conversation, with those that follow it in another member."""
    for name in _LISTS:
        value = episode.get(name)
        if isinstance(value, str) and name in ("input", "prompt") and _follows(episode):
            value = [{"role": "user", "content": value}]
        found = _read_list(value)
        if found is not None:
            return found + _follows(episode)
    output = _read_list(episode.get("output"))
    return output if output is not None and any(map(is_item, output)) else None


def _follows(episode: JsonObject) -> list[JsonValue]:
    for name in _FOLLOWING:
        value = episode.get(name)
        found = _read_list(value)
        if found is not None:
            return found
        if isinstance(value, dict) and is_message(value):
            return [value]
    return []


def _first(episode: JsonObject, names: tuple[str, ...]) -> str | None:
    return next((name for key in names if (name := as_name(episode.get(key)))), None)


def _with_instructions(episode: JsonObject, read: Conversation) -> tuple[DraftMessage, ...]:
    """Instructions that stand apart from the messages come first."""
    given = episode.get("system", episode.get("instructions"))
    text = as_content(given) if isinstance(given, str | list) else None
    if not text or any(message.role == "system" for message in read.messages):
        return read.messages
    return (DraftMessage(role="system", text=text), *read.messages)


def _lost(messages: tuple[DraftMessage, ...], tools: JsonValue) -> tuple[str, ...]:
    calls = [call for message in messages for call in message.calls]
    checks = (
        ("arguments_raw", any(call.raw is None and call.arguments is not None for call in calls)),
        ("seed", True),
        ("tokens", True),
        ("tools", not tools),
    )
    return tuple(kind for kind, is_lost in checks if is_lost)


def read_dialogue(element: Element, source: Source, value: JsonValue) -> DraftEpisode:
    """One conversation.

    Raises:
        Unreadable: it has no messages, or one that cannot be read.
    """
    episode = drop_nulls(require_object(value, "the conversation"))
    if any(name in episode for name in _PAIR):
        message = "a pair of preferences: it holds two answers, not what one agent did"
        raise Unreadable(message)
    items = find_messages(episode)
    if items is None:
        message = "it holds no messages under a usual name"
        raise Unreadable(message)
    read = read_conversation(items)
    messages = _with_instructions(episode, read)
    tools = episode.get("tools") or episode.get("functions")
    native_id, model = _first(episode, _IDS), _first(episode, _MODELS)
    task_text = first_text(messages, "user") or ""
    return DraftEpisode(
        index=element.index,
        place=element.place,
        environment=ENVIRONMENT,
        family="chat",
        native_task=_first(episode, _TASKS),
        task_text=task_text,
        task_definition=task_text,
        identity=conversation_key(native_id, messages),
        verdict=judge_named(
            episode,
            source.options.verdict_field,
            termination_raw=as_text(episode.get("exit_status")),
            parts=plain_members(episode, _NOT_KEPT),
        ),
        messages=messages,
        model=model or source.options.model or "unknown",
        model_settings=model,
        is_model_sourced=model is not None,
        seed=as_count(episode.get("seed")) or 0,
        system_text=first_text(messages, "system"),
        task_prompt=task_text or None,
        tools=tools if isinstance(tools, list) else None,
        lost=_lost(messages, tools),
        raw=episode,
        replaced=element.replaced,
        native_id=native_id,
        dialect=read.dialect,
    )


def _has_marks(value: JsonValue) -> bool:
    members = as_object(value)
    return any(name in members for name in _PAIR) or find_messages(members) is not None


class OpenAIChatReader:
    """Reads conversations in the usual shapes of messages."""

    name = "openai-chat"
    describes = "conversations (`messages`, `conversations`, `input` and `output` items, or a list)"
    spreads: tuple[str, ...] = ("data", "episodes", "examples", "records", "rows", "trajectories")

    def recognises(self, outline: Outline) -> bool:
        """Elements with messages, or a file that is one list of messages."""
        if _has_marks(outline.members):
            return True
        return any(_has_marks(sample) or is_message(sample) for sample in outline.samples)

    def read(self, source: Source, redactor: Redacts) -> Iterator[Drafted]:
        """Yield a conversation for each element; a list of messages is one."""
        if _is_one(source.outline):
            yield self._read_bare(source, redactor)
            return
        found = every(source.path, source.outline)
        yield from read_elements(found, redactor, lambda e: read_dialogue(e, source, e.value))

    def _read_bare(self, source: Source, redactor: Redacts) -> Drafted:
        if source.outline.kind == "array":
            element = whole(source.path)
        else:
            found = list(every(source.path, source.outline))
            bad = next((one for one in found if one.problem is not None), None)
            element = bad or Element(
                0, "line 1", [one.value for one in found], sum(one.replaced for one in found)
            )
        return read_element(
            element, redactor, lambda e: read_dialogue(e, source, {"messages": e.value})
        )


def _is_one(outline: Outline) -> bool:
    """Whether the elements are messages of one conversation."""
    samples = outline.samples
    is_list = outline.kind in ("array", "lines") and bool(samples)
    return is_list and all(is_message(s) and not _has_marks(s) for s in samples)
