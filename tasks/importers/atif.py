"""ATIF documents 1.0 to 1.8, alone or in Harbor's trial folders (formats.md 2.4).

A document that goes on in another file is one episode with what follows there. Steps that are
copied context are kept and not counted. Other agents that it started are episodes of their own,
whether they stand inside the document or beside it; the trial's verdict is not theirs.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tasks.importers.atif_files import find_neighbours, follow, inside, native_id
from tasks.importers.atif_steps import is_copied, read_steps
from tasks.importers.container import Element, Outline, every, whole
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import (
    Drafted,
    DraftEpisode,
    DraftMessage,
    DraftVerdict,
    Note,
    Redacts,
    Source,
)
from tasks.importers.elements import conversation_key, first_text, read_element
from tasks.importers.harbor import Trial, find_trial, is_trial, trajectory_of
from tasks.importers.reading import (
    JsonObject,
    as_amount,
    as_count,
    as_list,
    as_name,
    as_object,
    as_text,
    drop_nulls,
    require_object,
)
from tasks.importers.stated_verdict import judge_named

_VERSION = "ATIF-v"
_LOST = ("arguments_not_json", "arguments_raw", "result_errors", "seed")


@dataclass(frozen=True)
class _Setting:
    """What is known of a document beside its own words.

    Attributes:
        trial: the trial it was made in; null for an agent that another one started.
        starter: native id of the episode that started this one.
    """

    trial: Trial | None = None
    starter: str | None = None


def _is_document(value: JsonValue) -> bool:
    members = as_object(value)
    if (as_text(members.get("schema_version")) or "").startswith(_VERSION):
        return True
    steps = [as_object(step) for step in as_list(members.get("steps"))]
    return bool(steps) and all({"step_id", "source"} <= set(step) for step in steps[:3])


def _named_starter(document: JsonObject) -> str | None:
    extra = as_object(as_object(document.get("agent")).get("extra"))
    return as_name(extra.get("parent_trajectory_id")) or as_name(extra.get("parent_session_id"))


class AtifReader:
    """Reads documents and the results of trials."""

    name = "atif"
    describes = "ATIF trajectories (`schema_version` ATIF-v1.*, `steps`), Harbor's trial folders"
    spreads: tuple[str, ...] = ()

    def recognises(self, outline: Outline) -> bool:
        """A document, several of them, or the result of a trial."""
        values = (outline.members, *outline.samples)
        return any(_is_document(value) or is_trial(value) for value in values)

    def read(self, source: Source, redactor: Redacts) -> Iterator[Drafted]:
        """Yield an episode for each document and each agent inside it."""
        if is_trial(source.outline.members):
            yield _read_result(source, redactor)
            return
        near = find_neighbours(source.path)
        if near.earlier is not None:
            yield Note(f"read as the continuation of {near.earlier}")
            return
        trial = None if near.starter else find_trial(source.path, redactor)
        for element in every(source.path, source.outline):
            yield from _read_all(element, source, _Setting(trial, near.starter), redactor)


def _read_result(source: Source, redactor: Redacts) -> Drafted:
    """The result of a trial: the verdict on its trajectory, or all there is of it."""
    made = trajectory_of(source.path)
    if made is not None:
        return Note(f"read as the verdict on {made.relative_to(source.path.parent).as_posix()}")
    return read_element(
        whole(source.path),
        redactor,
        lambda e: _episode(replace(e, value={}), (), source, _Setting(Trial(e.value))),
    )


def _read_all(
    element: Element, source: Source, setting: _Setting, redactor: Redacts
) -> Iterator[Drafted]:
    """A document, and those of the agents that it started."""
    held: list[JsonObject] = []

    def read(found: Element) -> DraftEpisode:
        document = drop_nulls(require_object(found.value, "the document"))
        held.append(document)
        starter = setting.starter or _named_starter(document)
        messages = _messages(document, source, redactor)
        own = _Setting(None if starter else setting.trial, starter)
        return _episode(replace(found, value=document), messages, source, own)

    yield read_element(element, redactor, read)
    if held and not as_object(held[0].get("agent")).get("name"):
        yield Note(f"{element.place}: the document does not name its `agent`, which ATIF requires")
    for inner, starter in (pair for document in held for pair in inside(document)):
        yield read_element(
            replace(element, value=inner, replaced=0),
            redactor,
            lambda e, by=starter: _episode(e, read_steps(e.value), source, _Setting(None, by)),
        )


def _messages(document: JsonObject, source: Source, redactor: Redacts) -> tuple[DraftMessage, ...]:
    messages = read_steps(document)
    for part in follow(document, source.path, redactor):
        own = [step for step in as_list(part.get("steps")) if not is_copied(step)]
        messages += read_steps({"steps": own})
    return messages


def _episode(
    element: Element, messages: tuple[DraftMessage, ...], source: Source, setting: _Setting
) -> DraftEpisode:
    document, trial = as_object(element.value), setting.trial
    agent = as_object(document.get("agent"))
    model = as_text(agent.get("model_name")) or (trial.model if trial else None)
    named = native_id(document)
    task_text = first_text(messages, "user") or ""
    task = trial.task if trial else None
    key = conversation_key(named, messages)
    version = as_text(document.get("schema_version"))
    return DraftEpisode(
        index=element.index,
        place=element.place,
        environment=trial.environment if trial else "atif",
        family="task",
        native_task=task,
        task_text=task_text,
        task_definition=[task, task_text],
        identity=key if messages else [key, trial.name if trial else None],
        verdict=_judge(document, source, setting),
        messages=messages,
        format_version=version or "",
        model=model or source.options.model or "unknown",
        model_settings=[model, agent.get("name"), agent.get("version")],
        is_model_sourced=model is not None,
        system_text=first_text(messages, "system"),
        task_prompt=task_text or None,
        tools=agent.get("tool_definitions"),
        lost=_lost(messages, agent),
        raw=document or (trial.members if trial else None),
        replaced=element.replaced,
        native_id=(trial.name if trial else None) or named,
        parent_native_id=setting.starter,
        dialect=(version or "no version").lower() if messages else "trial",
        **_usage(document, trial),
    )


def _usage(document: JsonObject, trial: Trial | None) -> JsonObject:
    """Totals of the document, else of the trial."""
    told = as_object(document.get("final_metrics"))
    prompt, written = (
        as_count(told.get(f"total_{side}_tokens")) for side in ("prompt", "completion")
    )
    cost = as_amount(told.get("total_cost_usd"))
    if trial is not None and not told:
        prompt, written, cost = trial.tokens("input"), trial.tokens("output"), trial.cost_usd
    return {"prompt_tokens": prompt, "completion_tokens": written, "cost_usd": cost}


def _lost(messages: tuple[DraftMessage, ...], agent: JsonObject) -> tuple[str, ...]:
    if not messages:
        return (*_LOST, "messages", "tools")
    return _LOST if agent.get("tool_definitions") else (*_LOST, "tools")


def _judge(document: JsonObject, source: Source, setting: _Setting) -> DraftVerdict:
    if setting.trial is not None:
        return setting.trial.judge()
    if setting.starter is not None:
        return DraftVerdict("unknown", "of_another_agent")
    return judge_named(document, source.options.verdict_field)
