"""Harbor's export for training: rows of `conversations` with the trial's result (formats.md 2.4).

An episode of a trial that a later one begins with is superseded by it.
"""

from collections.abc import Iterator

from schemas.ids import canonical_json, sha256_hex
from tasks.importers.container import Element, Outline, every
from tasks.importers.conversation import read_conversation
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import Drafted, DraftEpisode, DraftVerdict, Redacts, Source, Superseded
from tasks.importers.elements import conversation_key, first_text, read_elements
from tasks.importers.harbor import end_of, fault_of
from tasks.importers.reading import (
    as_amount,
    as_list,
    as_name,
    as_object,
    as_text,
    drop_nulls,
    require_list,
    require_object,
)
from tasks.importers.verdicts import judge_reward

_LOST = ("arguments_raw", "seed", "tokens")


def _has_marks(value: JsonValue) -> bool:
    row = as_object(value)
    return {"conversations", "agent"} <= set(row) and bool({"trial_name", "run_id"} & set(row))


def _trial_of(row: JsonValue) -> str | None:
    members = as_object(row)
    return as_name(members.get("trial_name")) or as_name(members.get("run_id"))


def _superseded(source: Source) -> set[int]:
    """Positions of rows whose messages a later row of the same trial begins with."""
    known: dict[str, list[tuple[int, int, str]]] = {}
    gone: set[int] = set()
    for element in every(source.path, source.outline):
        trial = _trial_of(element.value)
        items = as_list(as_object(element.value).get("conversations"))
        if trial is None or not items:
            continue
        for at, length, digest in known.get(trial, []):
            if length < len(items) and _digest(items[:length]) == digest:
                gone.add(at)
        known.setdefault(trial, []).append((element.index, len(items), _digest(items)))
    return gone


def _digest(items: list[JsonValue]) -> str:
    return sha256_hex(canonical_json(items))


class HarborTracesReader:
    """Reads rows of the export."""

    name = "harbor-traces"
    describes = "Harbor's trace exports (rows with `conversations`, `agent`, `trial_name`)"
    spreads: tuple[str, ...] = ()

    def recognises(self, outline: Outline) -> bool:
        """A row of a trial with its conversation."""
        return _has_marks(outline.members) or any(map(_has_marks, outline.samples))

    def read(self, source: Source, redactor: Redacts) -> Iterator[Drafted]:
        """Yield the rows, those that a later one repeats as superseded."""
        gone = _superseded(source)
        found = every(source.path, source.outline)
        yield from read_elements(found, redactor, lambda e: _read_row(e, source, gone))


def _read_row(element: Element, source: Source, gone: set[int]) -> DraftEpisode | Superseded:
    if element.index in gone:
        return Superseded(element.index, element.place)
    row = drop_nulls(require_object(element.value, "the row"))
    read = read_conversation(require_list(row.get("conversations"), "`conversations`"))
    task, model = as_name(row.get("task")), as_text(row.get("model"))
    task_text = first_text(read.messages, "user") or ""
    named = [_trial_of(row), as_name(row.get("episode"))]
    tools = row.get("tool_definitions")
    return DraftEpisode(
        index=element.index,
        place=element.place,
        environment="harbor",
        family="task",
        native_task=task,
        task_text=task_text,
        task_definition=[task, task_text],
        identity=conversation_key("/".join(filter(None, named)), read.messages),
        verdict=_judge(row.get("result")),
        messages=read.messages,
        model=model or source.options.model or "unknown",
        model_settings=[model, row.get("model_provider"), row.get("agent")],
        is_model_sourced=model is not None,
        task_prompt=task_text or None,
        system_text=first_text(read.messages, "system"),
        tools=tools,
        lost=_LOST if tools else (*_LOST, "tools"),
        raw=row,
        replaced=element.replaced,
        native_id=_trial_of(row),
    )


def _judge(result: JsonValue) -> DraftVerdict:
    """A number is the reward, a text the name of what went wrong."""
    reward = as_amount(result)
    if reward is not None:
        outcome, rule = judge_reward(reward)
        return DraftVerdict(outcome, rule, reward=reward, parts={"result": result})
    kind = as_text(result)
    if kind is None:
        return DraftVerdict("unknown", "reward_missing")
    fault = fault_of(kind)
    end = "fault" if fault else end_of(kind)
    return DraftVerdict("unknown", "fault" if fault else "reward_missing", end, kind, fault)
