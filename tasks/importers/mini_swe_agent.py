"""mini-swe-agent trajectories, versions 1 and 2, and bare lists of its messages (formats.md 2.6).

Version 1 writes one fenced command in each reply and gets the output as a user turn; version 2
calls tools. There is no verdict: a SWE-bench report brings it.

Keys of `reward_parts`: exit_status, submission, returncodes, error.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from schemas.fields import Termination
from tasks.importers.chat import read_chat_message
from tasks.importers.container import Element, Outline, every, whole
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
from tasks.importers.elements import conversation_key, first_text, read_element
from tasks.importers.faults import classify_fault
from tasks.importers.reading import (
    JsonObject,
    as_amount,
    as_content,
    as_count,
    as_list,
    as_name,
    as_object,
    as_text,
    drop_nulls,
    require_list,
    require_object,
)
from tasks.importers.stated_verdict import judge_named

_VERSION = "mini-swe-agent-"
_FENCE = re.compile(r"```(?:bash|sh|mswea_bash_command)?\s*\n(.*?)\n?```", re.DOTALL)
_OUTPUT = re.compile(r"\s*<returncode>(-?\d+)</returncode>")
_SUBMIT = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
_ENDS: dict[str, Termination] = {
    "Submitted": "finished",
    "LimitsExceeded": "budget",
    "TimeExceeded": "timeout",
    "RepeatedFormatError": "agent_error",
    "FormatError": "agent_error",
}
_LONGEST = 4_000


def _is_document(value: JsonValue) -> bool:
    members = as_object(value)
    version = as_text(members.get("trajectory_format")) or ""
    info = as_object(members.get("info"))
    is_told = version.startswith(_VERSION) or "mini_version" in info
    return is_told and isinstance(members.get("messages"), list)


def _is_bare(samples: Sequence[JsonValue]) -> bool:
    """A list of messages in which outputs of commands answer fenced commands."""
    turns = [as_object(sample) for sample in samples]
    if not turns or not all("role" in turn and "content" in turn for turn in turns):
        return False
    texts = [as_text(turn.get("content")) or "" for turn in turns if turn.get("role") == "user"]
    return any(map(_OUTPUT.match, texts))


def _read_version_1(messages: Sequence[DraftMessage]) -> Iterator[DraftMessage]:
    """Fenced commands as calls; what answers one is its result, and its code tells of errors."""
    is_asked = False
    for message in messages:
        if message.role == "assistant":
            found = _FENCE.findall(message.text or "")
            call = DraftCall("bash", arguments={"command": found[0]}) if len(found) == 1 else None
            is_asked = call is not None
            yield replace(message, calls=(call,)) if call else message
        elif message.role == "user" and is_asked and _is_answer(message.text):
            yield replace(message, role="tool", requestor="assistant", **_mark_code(message.text))
            is_asked = False
        else:
            yield message


def _is_answer(text: str | None) -> bool:
    """Outputs carry a code; the answer to a submission is what was submitted."""
    return text is not None and (_OUTPUT.match(text) is not None or _SUBMIT in text or not text)


def _mark_code(text: str | None) -> JsonObject:
    found = _OUTPUT.match(text or "")
    if found is None:
        return {}
    is_error = found.group(1) != "0"
    return {"is_error": is_error, "error_kind": "exit_code" if is_error else None}


def _read_message(value: JsonValue, position: int) -> DraftMessage:
    message = require_object(value, f"message {position}")
    if message.get("role") == "exit":
        return DraftMessage(role="environment", text=as_content(message.get("content")))
    read = read_chat_message(drop_nulls(message), position)
    extra = as_object(message.get("extra"))
    response = as_object(extra.get("response"))
    usage = as_object(response.get("usage"))
    choice = as_object(next(iter(as_list(response.get("choices"))), None))
    if read.role == "tool":
        return replace(read, **_mark_result(extra))
    return replace(
        read,
        prompt_tokens=as_count(usage.get("prompt_tokens")),
        completion_tokens=as_count(usage.get("completion_tokens")),
        finish_reason=as_text(choice.get("finish_reason")),
        served_model=as_text(response.get("model")),
    )


def _mark_result(extra: JsonObject) -> JsonObject:
    code = extra.get("returncode")
    is_error = bool(extra.get("exception_info")) or (isinstance(code, int) and code != 0)
    return {"is_error": is_error, "error_kind": "exit_code" if is_error else None}


def _with_submission(messages: tuple[DraftMessage, ...]) -> tuple[DraftMessage, ...]:
    """What ends a run answers the command that submitted it."""
    if len(messages) < 2 or messages[-1].role != "environment" or not messages[-2].calls:
        return messages
    call_id = messages[-2].calls[-1].native_id
    answer = replace(messages[-1], role="tool", result_of=call_id, requestor="assistant")
    return (*messages[:-1], answer)


def _judge(document: JsonObject, messages: Sequence[DraftMessage], source: Source) -> DraftVerdict:
    info = as_object(document.get("info"))
    raw = as_text(info.get("exit_status"))
    error = as_text(info.get("exception_str")) or as_text(info.get("traceback"))
    parts = drop_nulls(
        {
            "exit_status": raw,
            "submission": as_text(info.get("submission")),
            "error": error[:_LONGEST] if error else None,
        }
    )
    has_acted = any(message.role == "assistant" for message in messages)
    is_failed = raw is not None and raw not in _ENDS
    if is_failed or (messages and not has_acted):
        fault = classify_fault(f"{raw} {error or ''}") if is_failed else "no_agent_turn"
        return DraftVerdict("unknown", "fault", "fault", raw, fault, None, parts)
    end = _ENDS.get(raw or "", "unknown")
    field = source.options.verdict_field
    return judge_named(document, field, termination=end, termination_raw=raw, parts=parts)


def _read_document(element: Element, source: Source) -> DraftEpisode:
    value = element.value
    document = {"messages": value} if isinstance(value, list) else require_object(value, "the file")
    items = require_list(document.get("messages"), "`messages`")
    messages = tuple(_read_message(item, at) for at, item in enumerate(items))
    is_calling = any(message.calls for message in messages)
    if not is_calling:
        messages = tuple(_read_version_1(messages))
    messages = _with_submission(messages)
    info = as_object(document.get("info"))
    config = as_object(info.get("config"))
    model = as_text(as_object(config.get("model")).get("model_name"))
    named = as_name(document.get("instance_id")) or _name_of(source)
    task_text = first_text(messages, "user") or ""
    limit = as_amount(as_object(config.get("agent")).get("step_limit"))
    key = conversation_key(None, messages)
    return DraftEpisode(
        index=element.index,
        place=element.place,
        environment="mini_swe_agent",
        family="task",
        native_task=named,
        task_text=task_text,
        task_definition=task_text,
        identity=[named, as_text(info.get("exit_status")), key],
        verdict=_judge(document, messages, source),
        messages=messages,
        format_version=as_text(document.get("trajectory_format")) or "",
        model=model or source.options.model or "unknown",
        model_settings=[model, as_object(config.get("model")).get("model_kwargs")],
        is_model_sourced=model is not None,
        budget=int(limit) if limit and limit > 0 else None,
        cost_usd=as_amount(as_object(info.get("model_stats")).get("instance_cost")),
        system_text=first_text(messages, "system"),
        task_prompt=task_text or None,
        lost=("seed", "tools") if is_calling else ("arguments_raw", "seed", "tokens", "tools"),
        raw=document,
        replaced=element.replaced,
        native_id=named,
        dialect=as_text(document.get("trajectory_format")) or "messages",
    )


def _name_of(source: Source) -> str | None:
    """The instance by the file's name, where the file is called after one."""
    name = source.name.rsplit("/", 1)[-1].split(".traj")[0]
    return name if "__" in name else None


class MiniSweAgentReader:
    """Reads trajectories of mini-swe-agent."""

    name = "mini-swe-agent"
    describes = "mini-swe-agent trajectories (`trajectory_format` mini-swe-agent-1 or 1.1)"
    spreads: tuple[str, ...] = ()

    def recognises(self, outline: Outline) -> bool:
        """A file of its format, several of them, or a list of its messages."""
        if outline.kind == "object":
            return _is_document(outline.members)
        return any(map(_is_document, outline.samples)) or (
            outline.kind == "array" and _is_bare(outline.samples)
        )

    def read(self, source: Source, redactor: Redacts) -> Iterator[Drafted]:
        """Yield the episode of a file, or of each of its elements."""
        is_several = any(map(_is_document, source.outline.samples))
        found = every(source.path, source.outline) if is_several else iter((whole(source.path),))
        for element in found:
            yield read_element(element, redactor, lambda e: _read_document(e, source))
