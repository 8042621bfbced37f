"""SWE-agent `.traj` files, 0.x and 1.x (formats.md 2.5).

`history` is what the agent saw and said; `trajectory` has the actions as they were executed and
stands in where there is no history. Demonstrations are not the agent's. There is no verdict: a
SWE-bench report brings it.

Keys of `reward_parts`: exit_status, submission, tokens_sent, tokens_received.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from schemas.fields import Termination
from tasks.importers.chat import read_chat_message
from tasks.importers.container import Element, Outline, every
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import (
    DraftCall,
    Drafted,
    DraftEpisode,
    DraftMessage,
    DraftVerdict,
    Redacts,
    Source,
)
from tasks.importers.elements import conversation_key, first_text, read_elements
from tasks.importers.payload import decode_text
from tasks.importers.reading import (
    JsonObject,
    Unreadable,
    as_amount,
    as_content,
    as_count,
    as_list,
    as_name,
    as_object,
    as_text,
    drop_nulls,
    require_object,
)
from tasks.importers.stated_verdict import judge_named

_ENDS: dict[str, Termination] = {
    "submitted": "finished",
    "exit_cost": "budget",
    "exit_context": "context_overflow",
    "exit_format": "agent_error",
    "exit_command_timeout": "timeout",
    "exit_total_execution_time": "timeout",
    "exit_forfeit": "finished",
    "early_exit": "agent_error",
}
_FAULTS = {"exit_api": "api_error", "exit_error": "crash", "exit_environment_error": "crash"}
_MODEL_OF_FOLDER = re.compile(r"^(?P<model>.+?)__[^_].*__t-\d")
_LOST = ("seed", "timestamps", "tools")


def _steps(document: JsonObject) -> list[JsonObject]:
    return [as_object(step) for step in as_list(document.get("trajectory"))]


def _is_document(value: JsonValue) -> bool:
    members = as_object(value)
    history = [as_object(item) for item in as_list(members.get("history"))]
    is_kept = any({"message_type", "agent", "is_demo"} & set(item) for item in history[:5])
    is_acted = any({"action", "observation"} <= set(step) for step in _steps(members)[:5])
    return (is_kept and all("role" in item for item in history[:5])) or is_acted


def _read_history(value: JsonValue, position: int) -> tuple[DraftMessage, ...]:
    """A turn of the history; an observation answers as many calls as it names."""
    item = drop_nulls(require_object(value, f"turn {position}"))
    read = read_chat_message(item, position)
    answered = [as_name(name) for name in as_list(item.get("tool_call_ids"))]
    reasoning = [as_object(block).get("thinking") for block in as_list(item.get("thinking_blocks"))]
    thoughts = [text for text in reasoning if isinstance(text, str)]
    return (
        replace(
            read,
            result_of=read.result_of or (answered[0] if answered else None),
            reasoning="\n".join(thoughts) if thoughts else read.reasoning,
            copied=item.get("is_demo") is True,
            calls=read.calls or _written_call(item),
        ),
    )


def _written_call(item: JsonObject) -> tuple[DraftCall, ...]:
    """The action that was parsed out of a text, as a call of the command line."""
    action = as_text(item.get("action"))
    if item.get("role") != "assistant" or not action or not action.strip():
        return ()
    return (DraftCall("command", arguments={"command": action.strip()}),)


def _with_results(messages: Sequence[DraftMessage]) -> Iterator[DraftMessage]:
    """User turns that follow an action carry its observation."""
    is_asked = False
    for message in messages:
        if message.role == "user" and is_asked and not message.copied:
            yield replace(message, role="tool", requestor="assistant")
            is_asked = False
            continue
        if message.role == "assistant" and not message.copied:
            is_asked = any(call.native_id is None for call in message.calls)
        yield message


def _read_steps(steps: Sequence[JsonObject]) -> Iterator[DraftMessage]:
    for step in steps:
        calls = _written_call({**step, "role": "assistant"})
        yield DraftMessage(role="assistant", text=as_content(step.get("response")), calls=calls)
        seen = as_content(step.get("observation"))
        if calls and seen is not None:
            yield DraftMessage(role="tool", text=seen, requestor="assistant")


def _messages(document: JsonObject) -> tuple[DraftMessage, ...]:
    history = as_list(document.get("history"))
    if history:
        read = [m for at, item in enumerate(history) for m in _read_history(item, at)]
        return tuple(_with_last(list(_with_results(read)), document))
    return tuple(_read_steps(_steps(document)))


def _with_last(messages: list[DraftMessage], document: JsonObject) -> list[DraftMessage]:
    """The observation of the last action, which older histories leave out."""
    steps = _steps(document)
    last = messages[-1] if messages else None
    seen = as_content(steps[-1].get("observation")) if steps else None
    if last is None or not last.calls or last.role != "assistant" or seen is None:
        return messages
    answer = DraftMessage(
        role="tool", text=seen, requestor="assistant", result_of=last.calls[0].native_id
    )
    return [*messages, answer]


def _judge(document: JsonObject, messages: Sequence[DraftMessage], source: Source) -> DraftVerdict:
    info = as_object(document.get("info"))
    raw = as_text(info.get("exit_status"))
    stats = as_object(info.get("model_stats"))
    word, _, why = (raw or "").partition(" (")
    end = _ENDS.get(why.rstrip(")")) or _ENDS.get(word, "unknown")
    parts = drop_nulls(
        {
            "exit_status": raw,
            "submission": as_text(info.get("submission")),
            "tokens_sent": as_count(stats.get("tokens_sent")),
            "tokens_received": as_count(stats.get("tokens_received")),
        }
    )
    fault = _FAULTS.get(word)
    if fault is None and not any(m.role == "assistant" and not m.copied for m in messages):
        fault = "no_agent_turn"
    if fault is not None:
        return DraftVerdict("unknown", "fault", "fault", raw, fault, None, parts)
    field = source.options.verdict_field
    return judge_named(document, field, termination=end, termination_raw=raw, parts=parts)


def _config(document: JsonObject) -> JsonObject:
    """`replay_config`, which is an object or JSON text."""
    return as_object(decode_text(document.get("replay_config")))


def _model_of_folder(source: Source) -> str | None:
    found = _MODEL_OF_FOLDER.match(source.path.absolute().parent.name)
    return found.group("model") if found else None


def _read_document(element: Element, source: Source) -> DraftEpisode:
    document = require_object(element.value, "the file")
    messages = _messages(document)
    if not messages:
        message = "it holds neither `history` nor `trajectory`"
        raise Unreadable(message)
    config = _config(document)
    named = as_name(as_object(config.get("problem_statement")).get("id")) or _name_of(source)
    settings = as_object(as_object(config.get("agent")).get("model"))
    model = as_text(settings.get("name"))
    info = as_object(document.get("info"))
    stats = as_object(info.get("model_stats"))
    task_text = first_text(messages, "user") or ""
    is_calling = any(call.raw is not None for message in messages for call in message.calls)
    return DraftEpisode(
        index=element.index,
        place=element.place,
        environment="swe_agent",
        family="task",
        native_task=named,
        task_text=task_text,
        task_definition=task_text,
        identity=[named, conversation_key(None, messages)],
        verdict=_judge(document, messages, source),
        messages=messages,
        format_version=as_text(info.get("swe_agent_version")) or "",
        model=model or source.options.model or _model_of_folder(source) or "unknown",
        model_settings=settings,
        is_model_sourced=model is not None,
        cost_usd=as_amount(stats.get("instance_cost", stats.get("total_cost"))),
        prompt_tokens=as_count(stats.get("tokens_sent")) or None,
        completion_tokens=as_count(stats.get("tokens_received")) or None,
        system_text=first_text(messages, "system"),
        task_prompt=task_text or None,
        lost=_LOST if is_calling else ("arguments_raw", *_LOST),
        raw=_without_queries(document),
        replaced=element.replaced,
        native_id=named,
        dialect=_dialect(document),
    )


def _dialect(document: JsonObject) -> str:
    if not _steps(document):
        return "history"
    is_newer = "replay_config" in document or "execution_time" in _steps(document)[0]
    return "1.x" if is_newer else "0.x"


def _without_queries(document: JsonObject) -> JsonObject:
    """The file without the prompts that every step repeats."""
    steps = [{k: v for k, v in step.items() if k != "query"} for step in _steps(document)]
    return {**document, "trajectory": steps}


def _name_of(source: Source) -> str | None:
    """The instance: files are called after it."""
    name = source.name.rsplit("/", 1)[-1]
    return name.removesuffix(".traj") if name.endswith(".traj") else None


class SweAgentReader:
    """Reads trajectories of SWE-agent."""

    name = "swe-agent"
    describes = "SWE-agent trajectories (`history` and `trajectory` with actions)"
    spreads: tuple[str, ...] = ()

    def recognises(self, outline: Outline) -> bool:
        """A history of its agent, or steps with action and observation."""
        return _is_document(outline.members) or any(map(_is_document, outline.samples))

    def read(self, source: Source, redactor: Redacts) -> Iterator[Drafted]:
        """Yield the episode of a file, or of each of its elements."""
        found = every(source.path, source.outline)
        yield from read_elements(found, redactor, lambda e: _read_document(e, source))
