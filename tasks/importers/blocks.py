"""Messages in the shape of the Anthropic API: content blocks, results inside user turns."""

from collections.abc import Iterator

from tasks.importers.chat import read_role
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import DraftCall, DraftMessage, Role
from tasks.importers.reading import (
    JsonObject,
    as_content,
    as_list,
    as_name,
    as_object,
    as_text,
    require_object,
)

_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_RESULT_ENDING = "tool_result"
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})


def has_blocks(value: JsonValue) -> bool:
    """Whether a message holds blocks that only this shape has."""
    content = as_object(value).get("content")
    kinds = {as_text(as_object(block).get("type")) or "" for block in as_list(content)}
    return bool(kinds & (_CALLS | _THOUGHTS)) or any(map(_is_result, kinds))


def _is_result(kind: str) -> bool:
    return kind.endswith(_RESULT_ENDING)


def read_block_message(value: JsonValue, position: int) -> tuple[DraftMessage, ...]:
    """One message of the agent, or a turn of the user taken apart into results and texts.

    Raises:
        Unreadable: it is no object or has no known role.
    """
    message = require_object(value, f"message {position}")
    role = read_role(message, position)
    content = message.get("content")
    if not isinstance(content, list):
        return (DraftMessage(role=role, text=as_content(content)),)
    blocks = [block if isinstance(block, dict) else {"text": block} for block in content]
    if role == "assistant":
        return (_read_reply(message, blocks), *_results(blocks))
    return tuple(_read_turn(role, blocks)) or (DraftMessage(role=role, text=""),)


def _join(blocks: list[JsonObject], key: str) -> str | None:
    texts = [text for block in blocks if (text := as_text(block.get(key))) is not None]
    return "\n".join(texts) if texts else None


def _read_reply(message: JsonObject, blocks: list[JsonObject]) -> DraftMessage:
    plain = [block for block in blocks if block.get("type") in (None, "text")]
    thoughts = [block for block in blocks if as_text(block.get("type")) in _THOUGHTS]
    return DraftMessage(
        role="assistant",
        text=_join(plain, "text"),
        reasoning=_join(thoughts, "thinking"),
        calls=tuple(_read_call(block) for block in blocks if as_text(block.get("type")) in _CALLS),
        native_id=as_name(message.get("id")),
        served_model=as_text(message.get("model")),
        finish_reason=as_text(message.get("stop_reason")),
    )


def _read_call(block: JsonObject) -> DraftCall:
    given = block.get("input")
    raw = as_text(given)
    return DraftCall(
        tool=as_text(block.get("name")) or "",
        raw=raw,
        arguments=None if raw is not None else given,
        native_id=as_name(block.get("id")),
    )


def _results(blocks: list[JsonObject]) -> Iterator[DraftMessage]:
    for block in blocks:
        if _is_result(as_text(block.get("type")) or ""):
            flag = block.get("is_error")
            yield DraftMessage(
                role="tool",
                text=as_content(block.get("content")),
                result_of=as_name(block.get("tool_use_id")),
                is_error=flag if isinstance(flag, bool) else False,
                error_kind="tool_error" if flag is True else None,
                requestor="assistant",
            )


def _read_turn(role: Role, blocks: list[JsonObject]) -> Iterator[DraftMessage]:
    """Results first: they answer the reply before, and texts of the same turn follow them."""
    yield from _results(blocks)
    others = [block for block in blocks if not _is_result(as_text(block.get("type")) or "")]
    if others:
        text = _join(others, "text")
        shown = text if text is not None else as_content(others)
        yield DraftMessage(role=role, text=shown)
