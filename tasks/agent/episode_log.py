"""Rows of one running episode, gathered turn by turn and closed into an `Episode`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeVar

from schemas.episode import Episode
from schemas.fields import Outcome, Termination
from schemas.harness import ArtifactFaultRow
from schemas.ids import canonical_json, make_id, sha256_hex
from schemas.notes import AgentNoteRow
from schemas.text import clean_text
from schemas.trajectories import (
    InterventionRow,
    PromptRow,
    StepRow,
    ToolCallRow,
    TrajectoryRow,
)
from tasks.agent.conversation import Message, opening_messages
from tasks.agent.noting import Note
from tasks.agent.protocols import (
    ModelReply,
    Verdict,
)
from tasks.harness import ArtifactFault, Intervention

Number = TypeVar("Number", int, float)
FAULT_LENGTH = 300
CONSTRAINT = "response_format"
"""Stands for the artifact where no artifact of the harness acted but the endpoint's decoder."""


@dataclass(frozen=True)
class Identity:
    """What determines an episode before it runs; fields as in `TrajectoryRow`."""

    trajectory_id: str
    environment: str
    environment_fingerprint: str
    family: str
    task_id: str
    split: str
    model: str
    model_fingerprint: str
    harness_id: str
    seed: int
    repeat: int
    arm: str
    budget: int | None
    origin: Literal["rollout", "traffic"] = "rollout"


@dataclass(frozen=True)
class Ending:
    """How an episode ended; without a verdict the outcome is unknown."""

    termination: Termination
    verdict: Verdict | None = None
    fault: str | None = None
    detail: str | None = None

    @property
    def outcome(self) -> Outcome:
        """What the checker said."""
        return self.verdict.outcome if self.verdict else "unknown"


@dataclass
class EpisodeLog:
    """Mutable while the episode runs; `messages` is the conversation as the model sees it."""

    identity: Identity
    messages: list[Message] = field(default_factory=list[Message])
    steps: list[StepRow] = field(default_factory=list[StepRow])
    calls: list[ToolCallRow] = field(default_factory=list[ToolCallRow])
    interventions: list[InterventionRow] = field(default_factory=list[InterventionRow])
    faults: dict[tuple[int, str], ArtifactFaultRow] = field(
        default_factory=dict[tuple[int, str], ArtifactFaultRow]
    )
    prompts: dict[str, PromptRow] = field(default_factory=dict[str, PromptRow])
    notes: list[AgentNoteRow] = field(default_factory=list[AgentNoteRow])
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None
    user_replies: Sequence[ModelReply] = ()

    def spend(self, reply: ModelReply) -> None:
        """Add a reply to the totals; a total stays unknown until some reply says a number."""
        self.add_tokens(reply.prompt_tokens, reply.completion_tokens)
        self.cost_usd = _total((self.cost_usd, reply.cost_usd))

    def add_tokens(self, sent: int | None, written: int | None) -> None:
        """Add tokens to the totals."""
        self.prompt_tokens = _total((self.prompt_tokens, sent))
        self.completion_tokens = _total((self.completion_tokens, written))

    def open(self, messages: Sequence[Message], tools: Sequence[Message]) -> None:
        """Begin the conversation with the messages and tools a harness left."""
        for kind, role in (("system", "system"), ("task", "user")):
            texts = [clean_text(item["content"]) for item in messages if item["role"] == role]
            if texts:
                self._add_prompt(kind, "\n\n".join(texts))
        self._add_prompt("tools", canonical_json(list(tools)))
        self.messages = opening_messages(self._prompt_text("system"), self._prompt_text("task"))

    def add_to_task(self, extra: str) -> None:
        """Put a text behind the task, before the first turn."""
        if extra:
            self._add_prompt("task", f"{self._prompt_text('task')}\n\n{clean_text(extra)}")
            self.messages = opening_messages(self._prompt_text("system"), self._prompt_text("task"))

    def copy_interventions(self, source: Episode, step_index: int) -> None:
        """Take over what happened in a turn of another episode, without its opening."""
        for row in source.interventions:
            if row.step_index == step_index and row.kind != "inject":
                update = {
                    "trajectory_id": self.identity.trajectory_id,
                    "ordinal": self._next_ordinal(step_index),
                }
                self.interventions.append(row.model_copy(update=update))
        for fault in source.faults:
            if fault.step_index == step_index:
                copied = fault.model_copy(update={"trajectory_id": self.identity.trajectory_id})
                self.faults.setdefault((step_index, fault.artifact_id), copied)

    def _next_ordinal(self, step_index: int) -> int:
        return sum(row.step_index == step_index for row in self.interventions)

    def _add_prompt(self, kind: str, text: str) -> None:
        prompt_id = make_id("prm", [kind, text])
        self.prompts[kind] = PromptRow.model_validate(
            {"prompt_id": prompt_id, "kind": kind, "text": text}
        )

    def intervene(self, step_index: int, interventions: Sequence[Intervention]) -> None:
        """Keep what a harness did at a step."""
        for item in interventions:
            row = InterventionRow(
                trajectory_id=self.identity.trajectory_id,
                step_index=step_index,
                ordinal=self._next_ordinal(step_index),
                layer=item.layer,
                artifact_id=item.artifact_id,
                artifact=item.artifact,
                kind=item.kind,
                before=_clean(item.before),
                after=_clean(item.after),
                suppressed=item.suppressed,
            )
            self.interventions.append(row)

    def keep_notes(self, notes: Sequence[Note]) -> None:
        """Keep what the agent is shown of its own writing."""
        self.notes = [
            AgentNoteRow(
                trajectory_id=self.identity.trajectory_id,
                ordinal=ordinal,
                kind=note.kind,
                text=note.text,
                about_trajectory_id=note.about or None,
                carried=note.is_carried,
            )
            for ordinal, note in enumerate(notes)
        ]

    def constrain(self, step_index: int) -> None:
        """Keep that the decoder of a step was held to a schema of the tools."""
        row = InterventionRow(
            trajectory_id=self.identity.trajectory_id,
            step_index=step_index,
            ordinal=self._next_ordinal(step_index),
            layer="actions",
            artifact_id=make_id("art", [CONSTRAINT]),
            artifact=CONSTRAINT,
            kind="constrain",
        )
        self.interventions.append(row)

    def constrain_all(self) -> None:
        """As `constrain`, for every step that the model wrote."""
        for step in self.steps:
            if not step.forced:
                self.constrain(step.step_index)

    def book_faults(self, step_index: int, faults: Sequence[ArtifactFault]) -> None:
        """Keep which rules failed at a step; the first failure of a rule counts."""
        for fault in faults:
            row = ArtifactFaultRow(
                trajectory_id=self.identity.trajectory_id,
                step_index=step_index,
                artifact_id=fault.artifact_id,
                kind=fault.kind,
                message=clean_text(fault.message)[:FAULT_LENGTH],
            )
            self.faults.setdefault((step_index, fault.artifact_id), row)

    def close(self, ending: Ending, now: datetime) -> Episode:
        """Make the episode of everything gathered."""
        return Episode(
            trajectory=self._trajectory(ending, now),
            steps=tuple(self.steps),
            calls=tuple(self.calls),
            interventions=tuple(self.interventions),
            faults=tuple(self.faults[key] for key in sorted(self.faults)),
            prompts={row.prompt_id: row for row in self.prompts.values()},
            notes=tuple(self.notes),
        )

    def _trajectory(self, ending: Ending, now: datetime) -> TrajectoryRow:
        verdict = ending.verdict
        said = [self.messages, self._prompt_text("tools")]
        return TrajectoryRow.model_validate(
            vars(self.identity)
            | {
                "outcome": ending.outcome,
                "outcome_rule": "world_verdict" if verdict else "no_verdict",
                "termination": ending.termination,
                "termination_raw": ending.detail,
                "fault": ending.fault,
                "reward": verdict.reward if verdict else None,
                "reward_parts": canonical_json(verdict.parts if verdict else {}),
                "steps": len(self.steps),
                "prompt_tokens": self.prompt_tokens,
                "completion_tokens": self.completion_tokens,
                "cost_usd": self.cost_usd,
                "user_prompt_tokens": _total(one.prompt_tokens for one in self.user_replies),
                "user_completion_tokens": _total(
                    one.completion_tokens for one in self.user_replies
                ),
                "user_cost_usd": _total(one.cost_usd for one in self.user_replies),
                "system_prompt_id": self._prompt_id("system"),
                "task_prompt_id": self._prompt_id("task"),
                "tools_prompt_id": self._prompt_id("tools"),
                "transcript_sha256": sha256_hex(canonical_json(said)),
                "created_at": now,
            }
        )

    def _prompt_id(self, kind: str) -> str | None:
        return self.prompts[kind].prompt_id if kind in self.prompts else None

    def _prompt_text(self, kind: str) -> str:
        return self.prompts[kind].text if kind in self.prompts else ""


def _total(parts: Iterable[Number | None]) -> Number | None:
    """The sum of what is known; null when nothing is."""
    known = [part for part in parts if part is not None]
    return sum(known[1:], known[0]) if known else None


def _clean(text: str | None) -> str | None:
    return None if text is None else clean_text(text)
