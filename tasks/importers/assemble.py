"""Neutral drafts to rows: ids, hashes, prompts, paired calls.

What makes an imported trajectory the same one wherever it is found: environment, fingerprint of
format and task, task, what the source itself says of the model, harness, seed and trial, and a
hash over the episode's own identity (native ids and all messages, without verdict and clocks).
File names, positions and names given on the command line are not in it. So a copy in another
file is the same trajectory with one more source, while another run of the same task and trial
has other messages and never collides. Verdicts are left out so that a regraded copy is seen as
such (`engine.py` keeps its verdict as a row of `verdicts`).
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from schemas.episode import Episode
from schemas.fields import Split
from schemas.ids import canonical_json, make_id, sha256_hex
from schemas.text import clean_text
from schemas.trajectories import (
    PromptRow,
    StepRow,
    TaskRow,
    ToolCallRow,
    TrajectoryRow,
    TrajectorySourceRow,
)
from tasks.importers.call_rows import make_call_rows
from tasks.importers.draft import DraftEpisode, DraftMessage

HarnessOf = Callable[[str], str]
SplitOf = Callable[[str], Split]
_TASK_CHARACTERS = 200
_SAFE = "[]()=,.:;+*@!$&' |"


def fingerprint_of(draft: DraftEpisode, source_format: str) -> str:
    """Hash of the source format, its version and the task's definition."""
    key = [source_format, draft.format_version, draft.task_definition]
    return sha256_hex(canonical_json(key))


def task_id_of(draft: DraftEpisode) -> str:
    """`environment/family/task`, or `environment/unknown/...` when the source names no task."""
    if draft.native_task is None:
        return f"{draft.environment}/unknown/{draft.identity_sha256[:16]}"
    return f"{draft.environment}/{draft.family}/{task_name(draft.native_task)}"


def task_name(native_task: str) -> str:
    """Last part of a task id, as it is made of the name that a source gives a task."""
    name = quote(clean_text(native_task), safe=_SAFE)
    if len(name) > _TASK_CHARACTERS:
        name = f"{name[: _TASK_CHARACTERS - 17]}-{sha256_hex(name)[:16]}"
    return name


def _model_fingerprint(draft: DraftEpisode) -> str:
    if draft.is_model_sourced:
        return sha256_hex(canonical_json([draft.model, draft.model_settings]))
    return f"unstated:{draft.model}"


def _trajectory_key(draft: DraftEpisode, fingerprint: str, harness_id: str) -> list[Any]:
    stated = _model_fingerprint(draft) if draft.is_model_sourced else "unstated"
    task_id = task_id_of(draft)
    model = f"{stated}#{draft.identity_sha256}"
    return [
        draft.environment,
        fingerprint,
        task_id,
        model,
        harness_id,
        draft.seed,
        draft.repeat,
        "run",
    ]


def _prompt(kind: str, text: str | None) -> PromptRow | None:
    if not text:
        return None
    values = {"prompt_id": make_id("prm", [kind, text]), "kind": kind, "text": text}
    return PromptRow.model_validate(values)


def _step_rows(
    messages: Sequence[DraftMessage], calls: Sequence[ToolCallRow], trajectory_id: str
) -> tuple[StepRow, ...]:
    answers: dict[int, list[str]] = {}
    for call in calls:
        if call.result is not None and call.result_step_index != call.step_index:
            answers.setdefault(call.step_index, []).append(call.result)
    return tuple(
        StepRow(
            trajectory_id=trajectory_id,
            step_index=at,
            role=message.role,
            text=message.text,
            reasoning=message.reasoning,
            observation="\n".join(answers[at]) if at in answers else None,
            finish_reason=message.finish_reason,
            prompt_tokens=message.prompt_tokens,
            completion_tokens=message.completion_tokens,
            served_model=message.served_model,
            native_id=message.native_id,
            copied=message.copied,
        )
        for at, message in enumerate(messages)
    )


def _sum(values: Sequence[int | None], total: int | None) -> int | None:
    """Sum of what is known; the source's own total where no message says anything."""
    known = [value for value in values if value is not None]
    return sum(known) if known else total


def _transcript_hash(steps: Sequence[StepRow], calls: Sequence[ToolCallRow]) -> str:
    said = [[step.role, step.text, step.reasoning] for step in steps]
    called = [
        [
            call.step_index,
            call.requestor,
            call.tool,
            call.arguments_raw,
            call.arguments,
            call.result,
        ]
        for call in calls
    ]
    return sha256_hex(canonical_json([said, called]))


def _tools_text(draft: DraftEpisode) -> str | None:
    return canonical_json(draft.tools) if draft.tools else None


class Assembler:
    """Makes rows of drafts of one format."""

    def __init__(
        self, source_format: str, harness_of: HarnessOf, split_of: SplitOf, now: datetime
    ) -> None:
        self._format = source_format
        self._harness_of = harness_of
        self._split_of = split_of
        self._now = now

    def task_row(self, draft: DraftEpisode) -> TaskRow:
        """Row of the task that an episode attempted."""
        task_id = task_id_of(draft)
        return TaskRow(
            environment=draft.environment,
            task_id=task_id,
            family=draft.family if draft.native_task is not None else "unknown",
            split=self._split_of(task_id),
            text=draft.task_text,
            environment_fingerprint=fingerprint_of(draft, self._format),
        )

    def source_row(
        self, draft: DraftEpisode, trajectory_id: str, file_name: str
    ) -> TrajectorySourceRow:
        """Row of the place an episode was found at."""
        return TrajectorySourceRow(
            trajectory_id=trajectory_id,
            source_file=draft.source_file or file_name,
            source_index=draft.index,
            raw_sha256=sha256_hex(canonical_json(draft.raw)),
            source_format=self._format,
            native_id=draft.native_id,
            parent_native_id=draft.parent_native_id,
        )

    def trajectory_id(self, draft: DraftEpisode) -> str:
        """Id of the trajectory, the same wherever the episode is found."""
        fingerprint = fingerprint_of(draft, self._format)
        harness_id = self._harness_of(draft.environment)
        return make_id("traj", _trajectory_key(draft, fingerprint, harness_id))

    def episode(self, draft: DraftEpisode, file_name: str) -> Episode:
        """All rows of an episode."""
        trajectory_id = self.trajectory_id(draft)
        calls = make_call_rows(draft.messages, trajectory_id)
        steps = _step_rows(draft.messages, calls, trajectory_id)
        prompts = {
            "system": _prompt("system", draft.system_text),
            "task": _prompt("task", draft.task_prompt),
            "tools": _prompt("tools", _tools_text(draft)),
        }
        return Episode(
            trajectory=self._trajectory_row(draft, trajectory_id, steps, calls, prompts),
            steps=steps,
            calls=calls,
            sources=(self.source_row(draft, trajectory_id, file_name),),
            prompts={row.prompt_id: row for row in prompts.values() if row is not None},
        )

    def _trajectory_row(
        self,
        draft: DraftEpisode,
        trajectory_id: str,
        steps: Sequence[StepRow],
        calls: Sequence[ToolCallRow],
        prompts: dict[str, PromptRow | None],
    ) -> TrajectoryRow:
        task, verdict = self.task_row(draft), draft.verdict
        agent = [m for m in draft.messages if m.role == "assistant" and not m.copied]
        ids = {kind: row.prompt_id if row else None for kind, row in prompts.items()}
        cost = draft.cost_usd
        return TrajectoryRow(
            trajectory_id=trajectory_id,
            environment=draft.environment,
            environment_fingerprint=task.environment_fingerprint,
            family=task.family,
            task_id=task.task_id,
            split=task.split,
            model=draft.model,
            model_fingerprint=_model_fingerprint(draft),
            harness_id=self._harness_of(draft.environment),
            seed=draft.seed,
            repeat=draft.repeat,
            arm="run",
            origin="import",
            outcome=verdict.outcome,
            outcome_rule=verdict.rule,
            termination=verdict.termination,
            termination_raw=verdict.termination_raw,
            fault=verdict.fault,
            reward=verdict.reward,
            reward_parts=canonical_json(verdict.parts),
            steps=len(agent),
            budget=draft.budget,
            prompt_tokens=_sum([m.prompt_tokens for m in agent], draft.prompt_tokens),
            completion_tokens=_sum([m.completion_tokens for m in agent], draft.completion_tokens),
            cost_usd=cost if cost is not None and cost >= 0 else None,
            system_prompt_id=ids["system"],
            task_prompt_id=ids["task"],
            tools_prompt_id=ids["tools"],
            lost_evidence=canonical_json(sorted(draft.lost)),
            transcript_sha256=_transcript_hash(steps, calls),
            created_at=self._now,
        )
