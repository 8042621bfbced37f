"""tau-bench results: a JSON array of episodes with `traj` and `info` (formats.md 2.1).

The format stores neither model, seed, tools nor time stamps. What it threw away when it was
written (calls whose arguments were no JSON, all but the first call of a message) is named in
`lost`, so that a low rate of such failures is not taken for a finding.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from tasks.importers.action_text import is_text_strategy, tools_in_prompt, with_text_actions
from tasks.importers.chat import read_chat_message
from tasks.importers.container import Element, Outline, every
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import (
    Drafted,
    DraftEpisode,
    DraftMessage,
    Note,
    Redacts,
    Source,
)
from tasks.importers.elements import read_elements
from tasks.importers.names import UNKNOWN
from tasks.importers.reading import (
    JsonObject,
    Unreadable,
    as_count,
    as_list,
    as_name,
    as_number,
    as_object,
    as_text,
    drop_nulls,
    require_list,
    require_object,
)
from tasks.importers.tau_bench_verdict import STEP_CAP, judge, task_actions
from tasks.importers.tau_domain import domain_of_content, domain_of_name
from tasks.importers.tool_errors import error_kind, is_error_text

_RUN_NAME = re.compile(
    r"^(?:tool-calling|few-shot|react|act)-(?P<model>.+?)-\d+(?:\.\d+)?_range_", re.IGNORECASE
)
_DOMAIN_NAME = re.compile(r"^(?P<model>.+?)[-_.](?:airline|retail|telecom)(?![a-z])", re.IGNORECASE)
_LOST = ("arguments_not_json", "extra_calls", "seed", "timestamps", "tokens", "tools")


def model_of_name(file_name: str) -> str | None:
    """Model that a results file is called after."""
    stem = file_name.rsplit("/", 1)[-1]
    found = _RUN_NAME.match(stem) or _DOMAIN_NAME.match(stem)
    return found.group("model") if found else None


def _mark_errors(message: DraftMessage) -> DraftMessage:
    if message.role != "tool":
        return message
    text = message.result if message.result is not None else message.text or ""
    is_error = is_error_text(text)
    return replace(message, is_error=is_error, error_kind=error_kind(text) if is_error else None)


def _read_messages(episode: JsonObject) -> tuple[DraftMessage, ...]:
    items = require_list(episode.get("traj"), "`traj`")
    messages = tuple(read_chat_message(item, at) for at, item in enumerate(items))
    if is_text_strategy(messages):
        messages = with_text_actions(messages)
    else:
        messages = tuple(map(_mark_extra_calls, messages))
    return tuple(map(_mark_errors, messages))


def _mark_extra_calls(message: DraftMessage) -> DraftMessage:
    """Only the first call of a message is executed; others stand there unanswered."""
    if len(message.calls) < 2:
        return message
    extra = tuple(
        call if call.is_executed is not None else replace(call, is_executed=False)
        for call in message.calls[1:]
    )
    return replace(message, calls=(message.calls[0], *extra))


def _system_text(messages: tuple[DraftMessage, ...]) -> str:
    return next((m.text or "" for m in messages if m.role == "system"), "")


def _first_request(messages: tuple[DraftMessage, ...]) -> str | None:
    return next((m.text for m in messages if m.role == "user" and m.text), None)


def _names_of_tools(messages: tuple[DraftMessage, ...], info: JsonObject) -> set[str]:
    called = {call.tool for message in messages for call in message.calls}
    return called | {str(action["name"]) for action in task_actions(info)}


def _domain(messages: tuple[DraftMessage, ...], info: JsonObject, name: str) -> str | None:
    found = domain_of_content(_system_text(messages), _names_of_tools(messages, info))
    return found or domain_of_name(name)


def _identity(episode: JsonObject, hint: str) -> JsonValue:
    """All but the verdict; episodes without a single message are told apart by their file."""
    info = as_object(episode.get("info"))
    identity = {
        "task_id": episode.get("task_id"),
        "trial": episode.get("trial"),
        "traj": episode.get("traj"),
        "user_cost": info.get("user_cost"),
        "error": info.get("error"),
        "traceback": info.get("traceback"),
    }
    if not episode.get("traj"):
        identity["file"] = hint
    return drop_nulls(identity)


def _brief(info: JsonObject) -> str:
    return as_text(as_object(info.get("task")).get("instruction")) or ""


def _model(source: Source) -> str:
    return source.options.model or model_of_name(source.name) or "unknown"


def _read_episode(element: Element, source: Source, sibling: str | None) -> DraftEpisode:
    episode = require_object(element.value, "the episode")
    info = as_object(episode.get("info"))
    messages = _read_messages(episode)
    if not messages and not info.get("error"):
        message = "it holds neither messages nor an error"
        raise Unreadable(message)
    domain = _domain(messages, info, source.name) or (None if messages else sibling) or UNKNOWN
    system_text = _system_text(messages)
    agent_turns = sum(message.role == "assistant" for message in messages)
    return DraftEpisode(
        index=element.index,
        place=element.place,
        environment=f"tau_bench_{domain}",
        family="task" if domain == UNKNOWN else domain,
        native_task=as_name(episode.get("task_id")),
        task_text=_brief(info),
        task_definition=drop_nulls(info.get("task")),
        identity=_identity(episode, source.name),
        verdict=judge(episode, messages),
        messages=messages,
        model=_model(source),
        repeat=as_count(episode.get("trial")) or 0,
        budget=STEP_CAP if agent_turns <= STEP_CAP else None,
        cost_usd=as_number(info.get("agent_cost")),
        system_text=system_text or None,
        task_prompt=_first_request(messages),
        tools=tools_in_prompt(system_text),
        lost=_LOST if messages else (*_LOST, "messages"),
        raw=episode,
        replaced=element.replaced,
    )


def _has_marks(value: JsonValue) -> bool:
    return isinstance(value, dict) and "traj" in value and ("info" in value or "reward" in value)


class TauBenchReader:
    """Reads tau-bench results."""

    name = "tau-bench"
    describes = "tau-bench results (array of episodes with `traj`, `info`, `reward`)"
    spreads: tuple[str, ...] = ()

    def recognises(self, outline: Outline) -> bool:
        """An element with a `traj` and a verdict or `info`."""
        if outline.kind == "object":
            return _has_marks(outline.members)
        return any(map(_has_marks, outline.samples))

    def read(self, source: Source, redactor: Redacts) -> Iterator[Drafted]:
        """Yield episodes and refusals; crashed episodes may borrow the domain of siblings."""
        sibling = domain_of_name(source.name) or _domain_of_samples(source.outline)
        crashed = borrowed = 0
        found = every(source.path, source.outline)
        for drafted in read_elements(found, redactor, lambda e: _read_episode(e, source, sibling)):
            yield drafted
            if isinstance(drafted, DraftEpisode) and not drafted.messages:
                crashed += 1
                borrowed += domain_of_name(source.name) is None and sibling is not None
        if crashed:
            yield Note(
                f"{crashed} episodes hold no messages: the format drops them when an episode "
                "crashes, also when the agent's arguments were no JSON"
            )
        if borrowed:
            yield Note(f"{borrowed} episodes without messages got the domain of their siblings")


def _domain_of_samples(outline: Outline) -> str | None:
    found: set[str] = set()
    for sample in outline.samples:
        episode = as_object(sample)
        try:
            messages = tuple(
                read_chat_message(item, at) for at, item in enumerate(as_list(episode.get("traj")))
            )
        except Unreadable:
            continue
        domain = _domain(messages, as_object(episode.get("info")), "")
        found |= {domain} if domain else set[str]()
    return found.pop() if len(found) == 1 else None
