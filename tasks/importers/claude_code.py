"""Claude Code sessions: lines of a tree of messages (formats.md 2.15).

A reply stands on several lines with one `message.id`: one turn, with the usage of its last line.
Agents that a session started are episodes of their own. Prompts that were taken back, and what
followed them, are left out and counted.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from tasks.importers.blocks import read_block_message
from tasks.importers.container import Element, Outline, every
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import (
    Drafted,
    DraftEpisode,
    DraftMessage,
    Note,
    Redacts,
    Refusal,
    Source,
)
from tasks.importers.elements import conversation_key, first_text
from tasks.importers.reading import (
    JsonObject,
    Unreadable,
    as_count,
    as_list,
    as_name,
    as_object,
    as_text,
)
from tasks.importers.spool import Group, Spool, SpooledRow
from tasks.importers.stated_verdict import judge_named

_TURNS = ("user", "assistant")
_LOST = ("arguments_not_json", "arguments_raw", "seed", "system_prompt", "tools")


def _has_marks(value: JsonValue) -> bool:
    line = as_object(value)
    return {"type", "sessionId", "uuid"} <= set(line) and (
        "message" in line or "parentUuid" in line
    )


class ClaudeCodeReader:
    """Reads session files."""

    name = "claude-code"
    describes = "Claude Code sessions (lines with `sessionId`, `uuid`, `message`)"
    spreads: tuple[str, ...] = ()

    def recognises(self, outline: Outline) -> bool:
        """A line of a session."""
        return _has_marks(outline.members) or any(map(_has_marks, outline.samples))

    def read(self, source: Source, redactor: Redacts) -> Iterator[Drafted]:
        """Yield an episode for each session and each agent it started, refusals first."""
        with Spool() as spool:
            for element in every(source.path, source.outline):
                refused = _spool(element, redactor, spool)
                if refused is not None:
                    yield refused
            for group in spool.groups():
                yield from _read_group(group, source)


def _spool(element: Element, redactor: Redacts, spool: Spool) -> Refusal | None:
    if element.problem is not None:
        return Refusal(element.index, element.place, element.problem, element.excerpt)
    value = redactor.value(element.value)
    try:
        key = _check(value)
    except Unreadable as error:
        return Refusal.of(element.index, element.place, str(error), value)
    if key is not None:
        spool.put(key, SpooledRow(element.index, element.place, value))
    return None


def _check(value: JsonValue) -> str | None:
    """Key of the episode that a line belongs to; null for lines that are no turns."""
    line = as_object(value)
    kind = as_text(line.get("type"))
    if kind is None:
        message = "a line of a session is an object with a `type`"
        raise Unreadable(message)
    if kind not in _TURNS:
        return None
    content = as_object(line.get("message")).get("content")
    if not isinstance(content, str | list):
        message = f"`message` of a {kind} line holds no `content`"
        raise Unreadable(message)
    session = as_name(line.get("sessionId")) or "unknown"
    agent = as_name(line.get("agentId")) or "sidechain"
    return f"{session}/{agent}" if line.get("isSidechain") is True else session


def _taken_back(lines: list[JsonObject]) -> set[str]:
    """Ids of prompts that another prompt replaced, and of all lines below them."""
    prompts: dict[str, list[str]] = {}
    children: dict[str, list[str]] = {}
    for line in lines:
        own, parent = as_name(line.get("uuid")), as_name(line.get("parentUuid"))
        if own is None or parent is None:
            continue
        children.setdefault(parent, []).append(own)
        if line.get("type") == "user" and _is_prompt(line):
            prompts.setdefault(parent, []).append(own)
    waiting = [own for several in prompts.values() for own in several[:-1]]
    gone: set[str] = set()
    while waiting:
        own = waiting.pop()
        if own not in gone:
            gone.add(own)
            waiting += children.get(own, [])
    return gone


def _is_prompt(line: JsonObject) -> bool:
    """Whether a user said something, as results of tools are user lines too."""
    content = as_object(line.get("message")).get("content")
    kinds = {as_object(block).get("type") for block in as_list(content)}
    return "tool_result" not in kinds and line.get("isMeta") is not True


def _merge(lines: list[JsonObject]) -> list[JsonObject]:
    """Lines of one reply as one message, at the place of the first; doubled lines once."""
    merged: list[JsonObject] = []
    place: dict[str, int] = {}
    seen: set[str] = set()
    for line in lines:
        own = as_name(line.get("uuid"))
        if own is not None and own in seen:
            continue
        seen |= {own} if own is not None else set()
        message = as_object(line.get("message"))
        reply = as_name(message.get("id")) if line.get("type") == "assistant" else None
        if reply is None or reply not in place:
            if reply is not None:
                place[reply] = len(merged)
            merged.append(line)
            continue
        first = merged[place[reply]]
        blocks = [*_blocks(as_object(first["message"])), *_blocks(message)]
        merged[place[reply]] = {**first, "message": {**message, "content": blocks}}
    return merged


def _blocks(message: JsonObject) -> list[JsonValue]:
    content = message.get("content")
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


def _read_line(line: JsonObject, position: int) -> tuple[DraftMessage, ...]:
    message = {"role": line.get("type"), **as_object(line.get("message"))}
    usage = as_object(message.get("usage"))
    sent = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    counts = [count for name in sent if (count := as_count(usage.get(name))) is not None]
    first, *others = read_block_message(message, position)
    if first.role == "assistant":
        first = replace(
            first,
            prompt_tokens=sum(counts) if counts else None,
            completion_tokens=as_count(usage.get("output_tokens")),
        )
    elif first.role == "user" and line.get("isMeta") is True:
        first = replace(first, role="environment")
    return (first, *others)


def _read_group(group: Group, source: Source) -> Iterator[Drafted]:
    rows = [as_object(row.value) for row in group.rows]
    gone = _taken_back(rows)
    kept = [row for row in rows if as_name(row.get("uuid")) not in gone]
    yield from _tell(group.key, rows, gone)
    try:
        messages = [m for at, line in enumerate(_merge(kept)) for m in _read_line(line, at)]
    except Unreadable as error:
        yield Refusal.of(group.first.index, group.first.place, str(error), group.first.value)
        return
    models = Counter(m.served_model for m in messages if m.served_model)
    yield _episode(group, tuple(messages), models.most_common(1)[0][0] if models else None, source)


def _tell(key: str, rows: list[JsonObject], gone: set[str]) -> Iterator[Note]:
    known = {as_name(row.get("uuid")) for row in rows}
    parents = (as_name(row.get("parentUuid")) for row in rows)
    broken = sum(parent is not None and parent not in known for parent in parents)
    if gone:
        yield Note(f"{key}: {len(gone)} lines of prompts that were taken back are left out")
    if broken:
        yield Note(f"{key}: {broken} lines name no line before them, so they stand in file order")


def _episode(
    group: Group, messages: tuple[DraftMessage, ...], model: str | None, source: Source
) -> DraftEpisode:
    task_text = first_text(messages, "user") or ""
    session, _, agent = group.key.partition("/")
    version = as_text(as_object(group.first.value).get("version"))
    return DraftEpisode(
        index=group.first.index,
        place=group.first.place,
        environment="claude_code",
        family="session",
        native_task=None,
        task_text=task_text,
        task_definition=task_text,
        identity=conversation_key(group.key, messages),
        verdict=judge_named({}, source.options.verdict_field),
        messages=messages,
        model=model or source.options.model or "unknown",
        model_settings=[model],
        is_model_sourced=model is not None,
        task_prompt=task_text or None,
        lost=_LOST,
        raw=[row.value for row in group.rows],
        native_id=group.key,
        parent_native_id=session if agent else None,
        dialect=f"version {version}" if version else "",
    )
