"""verifiers `results.jsonl` of versions 0.1: a row for each rollout (formats.md 2.21).

Model and environment stand in `metadata.json` beside it. Rewards are sums of weighted parts: only
where all of a file lie between 0 and 1 is one of 1 a success; else nothing is decided until the
user names a member, such as one of the parts.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from schemas.fields import Termination
from tasks.importers.container import Element, Outline, every, whole
from tasks.importers.conversation import read_conversation
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
from tasks.importers.faults import classify_fault
from tasks.importers.names import clean_name
from tasks.importers.reading import (
    JsonObject,
    Unreadable,
    as_content,
    as_list,
    as_name,
    as_number,
    as_object,
    as_text,
    drop_nulls,
    require_object,
)
from tasks.importers.stated_verdict import judge_named, plain_members
from tasks.importers.verdicts import judge_reward

METADATA = "metadata.json"
_STOPS: dict[str, Termination] = {
    "max_turns_reached": "budget",
    "prompt_too_long": "context_overflow",
}
_STOPS |= {"max_total_completion_tokens_reached": "budget", "timeout_reached": "timeout"}
_NOT_PARTS = frozenset({"prompt", "completion", "info", "tool_defs", "trajectory"})


@dataclass
class _Run:
    """What is known of all rows of a file.

    Attributes:
        is_unit: whether every reward lies between 0 and 1.
        made: rollouts read so far, by example.
    """

    metadata: JsonObject
    is_unit: bool
    made: Counter[str] = field(default_factory=Counter[str])

    def rollout(self, example: str | None) -> int:
        """Which rollout of its example a row is: the rows do not say."""
        if example is None:
            return 0
        self.made[example] += 1
        return self.made[example] - 1


def _has_marks(value: JsonValue) -> bool:
    row = as_object(value)
    is_rollout = {"prompt", "completion", "reward"} <= set(row)
    return is_rollout and bool({"example_id", "generation_ms", "timing", "answer"} & set(row))


class VerifiersReader:
    """Reads rows of rollouts."""

    name = "verifiers"
    describes = "verifiers results (rows with `prompt`, `completion`, `reward`)"
    spreads: tuple[str, ...] = ()

    def recognises(self, outline: Outline) -> bool:
        """A rollout with its reward."""
        return _has_marks(outline.members) or any(map(_has_marks, outline.samples))

    def read(self, source: Source, redactor: Redacts) -> Iterator[Drafted]:
        """Yield rollouts; a scale of rewards that is not 0 to 1 is said."""
        beside = source.path.parent / METADATA
        metadata = whole(beside).value if beside.is_file() else None
        rewards = (_reward(e.value) for e in every(source.path, source.outline))
        is_unit = all(reward is None or 0 <= reward <= 1 for reward in rewards)
        run = _Run(as_object(redactor.value(metadata)), is_unit)
        if not is_unit and not source.options.verdict_field:
            yield Note("rewards are not between 0 and 1, so none of them is taken for a verdict")
        for element in every(source.path, source.outline):
            yield read_element(element, redactor, lambda e: _read_row(e, source, run))


def _reward(value: JsonValue) -> float | None:
    return as_number(as_object(value).get("reward"))


def _side(value: JsonValue, role: str) -> list[JsonValue]:
    """Messages of a prompt or completion; those of plain completions are texts."""
    return [{"role": role, "content": value}] if isinstance(value, str) else as_list(value)


def _read_row(element: Element, source: Source, run: _Run) -> DraftEpisode:
    row = drop_nulls(require_object(element.value, "the row"))
    given = _side(row.get("prompt"), "user")
    items = given + _side(row.get("completion"), "assistant")
    if not items:
        message = "it holds neither prompt nor completion"
        raise Unreadable(message)
    read = read_conversation(items)
    example = as_name(row.get("example_id", row.get("id")))
    info = as_object(row.get("info"))
    tools = row.get("tool_defs") or info.get("oai_tools")
    model = as_text(run.metadata.get("model"))
    named = as_text(run.metadata.get("env_id")) or as_text(run.metadata.get("env"))
    task_text = first_text(read.messages, "user") or ""
    key = conversation_key(None, read.messages)
    rollout = run.rollout(example)
    return DraftEpisode(
        index=element.index,
        place=element.place,
        environment=f"verifiers_{clean_name(named)}" if named else "verifiers",
        family=clean_name(as_text(row.get("task"))),
        native_task=example,
        task_text=task_text,
        task_definition=[given, row.get("answer"), info],
        identity=[example, rollout, key],
        verdict=_judge(row, read.messages, source, run),
        messages=read.messages,
        model=model or source.options.model or "unknown",
        model_settings=[model, run.metadata.get("sampling_args")],
        is_model_sourced=model is not None,
        repeat=rollout,
        system_text=first_text(read.messages, "system"),
        task_prompt=task_text or None,
        tools=tools,
        lost=("seed", "tokens") if tools else ("seed", "tokens", "tools"),
        raw=row,
        replaced=element.replaced,
        native_id=as_name(row.get("trajectory_id")),
        dialect=read.dialect,
    )


def _judge(
    row: JsonObject, messages: tuple[DraftMessage, ...], source: Source, run: _Run
) -> DraftVerdict:
    parts = plain_members(row, _NOT_PARTS)
    stop, error = as_text(row.get("stop_condition")), as_content(row.get("error"))
    if error:
        fault = classify_fault(error)
        return DraftVerdict("unknown", "fault", "fault", stop, fault, _reward(row), parts)
    if not any(message.role == "assistant" for message in messages):
        return DraftVerdict("unknown", "fault", "fault", stop, "no_agent_turn", None, parts)
    end = _STOPS.get(stop or "", "unknown")
    if row.get("is_truncated") is True and end == "unknown":
        end = "budget"
    field_name = source.options.verdict_field
    if field_name:
        return judge_named(row, field_name, termination=end, termination_raw=stop, parts=parts)
    if not run.is_unit:
        return DraftVerdict("unknown", "reward_not_0_to_1", end, stop, None, _reward(row), parts)
    outcome, rule = judge_reward(row.get("reward"))
    return DraftVerdict(outcome, rule, end, stop, None, _reward(row), parts)
