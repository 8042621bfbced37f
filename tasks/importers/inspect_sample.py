"""One sample of an Inspect log to an episode (formats.md 2.8).

Texts that the log keeps once (`attachment://`) are put back where a message shows them; the pools
that events share are left alone, because events are not read.

Keys of `reward_parts`: scores {scorer: {value, answer, explanation}}, target, limit, error,
retries.
"""

from dataclasses import dataclass

from schemas.fields import Outcome, Termination
from tasks.importers.chat import read_chat_message
from tasks.importers.container import Element
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import DraftCall, DraftEpisode, DraftMessage, DraftVerdict, Source
from tasks.importers.elements import conversation_key, first_text
from tasks.importers.faults import classify_fault
from tasks.importers.names import clean_name
from tasks.importers.reading import (
    JsonObject,
    Unreadable,
    as_content,
    as_count,
    as_list,
    as_name,
    as_number,
    as_object,
    as_text,
    drop_nulls,
    require_object,
)
from tasks.importers.verdicts import judge_reward

_ATTACHED = "attachment://"
_LETTERS: dict[str, float] = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_KINDS = {"parsing": "arguments_not_json", "timeout": "timeout", "unknown": "tool_error"}
_LIMITS: dict[str, Termination] = {"context": "context_overflow", "time": "timeout"}
_LIMITS |= {"working": "timeout", "custom": "budget", "operator": "fault"}
_LONGEST = 4_000


@dataclass(frozen=True)
class LogHead:
    """What a log says once about all of its samples."""

    members: JsonObject

    @property
    def eval(self) -> JsonObject:
        """The evaluation: task, model, data set."""
        return as_object(self.members.get("eval"))

    @property
    def version(self) -> str:
        """Version of the log."""
        return as_name(self.members.get("version")) or ""


def _attached(value: JsonValue, attachments: JsonObject) -> JsonValue:
    if isinstance(value, str) and value.startswith(_ATTACHED):
        return attachments.get(value[len(_ATTACHED) :], value)
    if isinstance(value, list):
        return [_attached(item, attachments) for item in value]
    if isinstance(value, dict):
        return {name: _attached(item, attachments) for name, item in value.items()}
    return value


def _read_call(item: JsonValue) -> DraftCall:
    call = as_object(item)
    given, error = call.get("arguments"), as_text(call.get("parse_error"))
    raw = as_text(given)
    return DraftCall(
        tool=as_text(call.get("function")) or "",
        raw=raw,
        arguments=None if raw is not None or error else given,
        native_id=as_name(call.get("id")),
        error=error,
        is_executed=False if error else None,
    )


def _split_content(content: JsonValue) -> tuple[str | None, str | None]:
    """Text and reasoning of a content."""
    if not isinstance(content, list):
        return as_content(content), None
    parts = [as_object(part) for part in content]
    texts = [text for part in parts if (text := as_text(part.get("text"))) is not None]
    thoughts = [text for part in parts if (text := as_text(part.get("reasoning"))) is not None]
    shown = "\n".join(texts) if texts else None
    return shown, "\n".join(thoughts) if thoughts else None


def _read_message(value: JsonValue, position: int, sample: JsonObject) -> DraftMessage:
    message = _attached(require_object(value, f"message {position}"), _attachments(sample))
    plain = read_chat_message({**message, "tool_calls": None}, position)
    text, reasoning = _split_content(message.get("content"))
    error = as_object(message.get("error"))
    kind = as_text(error.get("type"))
    is_result = plain.role == "tool"
    return DraftMessage(
        role=plain.role,
        text=as_text(error.get("message")) or text if error and not text else text,
        reasoning=reasoning,
        calls=() if is_result else tuple(map(_read_call, as_list(message.get("tool_calls")))),
        native_id=plain.native_id,
        result_of=plain.result_of,
        result_name=as_text(message.get("function")) if is_result else None,
        is_error=bool(error) if is_result else None,
        error_kind=_KINDS.get(kind, kind) if kind else None,
        requestor=plain.requestor,
        served_model=as_text(message.get("model")),
    )


def _attachments(sample: JsonObject) -> JsonObject:
    return as_object(sample.get("attachments"))


def _grade(value: JsonValue) -> tuple[float | None, Outcome, str]:
    """Reward, outcome and rule of a score; a letter is one of Inspect's own."""
    if isinstance(value, str) and value.upper() in _LETTERS:
        value = _LETTERS[value.upper()]
    if isinstance(value, bool):
        value = float(value)
    if isinstance(value, list | dict):
        return None, "unknown", "several_values"
    outcome, rule = judge_reward(value)
    return as_number(value), outcome, rule


def _judge(sample: JsonObject, scorer: str) -> DraftVerdict:
    scores = as_object(sample.get("scores"))
    limit = as_object(sample.get("limit"))
    error = sample.get("error")
    told = as_text(as_object(error).get("message")) or as_content(error)
    retries = as_list(sample.get("error_retries"))
    parts = drop_nulls(
        {
            "scores": scores or None,
            "target": sample.get("target"),
            "limit": limit or None,
            "error": told[:_LONGEST] if told else None,
            "retries": len(retries) or None,
        }
    )
    kind = as_text(limit.get("type"))
    end: Termination = _LIMITS.get(kind, "budget") if kind else "finished"
    graded = as_object(scores.get(scorer)) if scorer else _only(scores)
    reward, outcome, rule = _grade(graded.get("value"))
    if told:
        return DraftVerdict("unknown", "fault", "fault", kind, classify_fault(told), reward, parts)
    if not scorer and len(scores) > 1:
        reward, outcome, rule = _agreeing(scores)
    return DraftVerdict(outcome, rule, end, kind, None, reward, parts)


def _only(scores: JsonObject) -> JsonObject:
    return as_object(next(iter(scores.values()))) if len(scores) == 1 else {}


def _agreeing(scores: JsonObject) -> tuple[float | None, Outcome, str]:
    """Several scorers decide only where they all say the same."""
    found = {_grade(as_object(score).get("value")) for score in scores.values()}
    return found.pop() if len(found) == 1 else (None, "unknown", "scorers_differ")


def _input_text(sample: JsonObject, messages: tuple[DraftMessage, ...]) -> str:
    given = _attached(sample.get("input"), _attachments(sample))
    return given if isinstance(given, str) else first_text(messages, "user") or ""


def read_sample(element: Element, head: LogHead, source: Source) -> DraftEpisode:
    """One sample of a log.

    Raises:
        Unreadable: it is no object, has no messages, or one that cannot be read.
    """
    sample = drop_nulls(require_object(element.value, "the sample"))
    items = as_list(sample.get("messages"))
    messages = tuple(_read_message(item, at, sample) for at, item in enumerate(items))
    if not messages and not sample.get("error"):
        message = "it holds neither messages nor an error"
        raise Unreadable(message)
    named = as_name(sample.get("id"))
    task_text = _input_text(sample, messages)
    model = as_text(head.eval.get("model"))
    settings = as_object(head.eval.get("model_generate_config"))
    usage = as_object(as_object(sample.get("model_usage")).get(model or ""))
    epoch = as_count(sample.get("epoch")) or 1
    native_id = as_name(sample.get("uuid")) or (f"{named}_epoch_{epoch}" if named else None)
    key = conversation_key(None, messages)
    return DraftEpisode(
        index=element.index,
        place=element.place,
        environment=f"inspect_{clean_name(as_text(head.eval.get('task')))}",
        family="sample",
        native_task=named,
        task_text=task_text,
        task_definition=[head.eval.get("task_version"), named, task_text, sample.get("target")],
        identity=[as_name(head.eval.get("run_id")), named, epoch, key],
        verdict=_judge(sample, source.options.verdict_field),
        messages=messages,
        format_version=head.version,
        model=model or source.options.model or "unknown",
        model_settings=[model, settings, head.eval.get("model_args")],
        is_model_sourced=model is not None,
        seed=as_count(settings.get("seed")) or 0,
        repeat=max(epoch - 1, 0),
        prompt_tokens=as_count(usage.get("input_tokens")),
        completion_tokens=as_count(usage.get("output_tokens")),
        system_text=first_text(messages, "system"),
        task_prompt=first_text(messages, "user"),
        lost=_lost(messages),
        raw={name: value for name, value in sample.items() if name not in _NOT_HASHED},
        replaced=element.replaced,
        native_id=native_id,
    )


def _lost(messages: tuple[DraftMessage, ...]) -> tuple[str, ...]:
    calls = [call for message in messages for call in message.calls]
    is_raw = all(call.raw is not None or call.error is not None for call in calls)
    return ("tools",) if is_raw else ("arguments_raw", "tools")


_NOT_HASHED = frozenset({"events", "message_pool", "events_data", "store"})
"""What repeats the messages at many times their size."""
