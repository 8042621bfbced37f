"""An episode as the engines hand it on: the rows of one trajectory together."""

from dataclasses import dataclass, field

from schemas.harness import ArtifactFaultRow
from schemas.notes import AgentNoteRow
from schemas.trajectories import (
    InterventionRow,
    PromptRow,
    StepRow,
    ToolCallRow,
    TrajectoryRow,
    TrajectorySourceRow,
)


@dataclass(frozen=True)
class Episode:
    """One trajectory with its steps, calls and interventions, each sorted by its key.

    `prompts` holds the texts that `trajectory` refers to, by prompt id.
    """

    trajectory: TrajectoryRow
    steps: tuple[StepRow, ...]
    calls: tuple[ToolCallRow, ...]
    interventions: tuple[InterventionRow, ...] = ()
    faults: tuple[ArtifactFaultRow, ...] = ()
    sources: tuple[TrajectorySourceRow, ...] = ()
    prompts: dict[str, PromptRow] = field(default_factory=dict[str, PromptRow])
    notes: tuple[AgentNoteRow, ...] = ()

    @property
    def trajectory_id(self) -> str:
        """Id of the trajectory."""
        return self.trajectory.trajectory_id

    @property
    def is_failure(self) -> bool:
        """Whether the checker said failure and no infrastructure was at fault."""
        return self.trajectory.outcome == "failure" and self.trajectory.fault is None

    @property
    def is_success(self) -> bool:
        """Whether the checker said success."""
        return self.trajectory.outcome == "success" and self.trajectory.fault is None

    def prompt_text(self, prompt_id: str | None) -> str:
        """Text of a prompt the trajectory refers to; empty when there is none."""
        prompt = self.prompts.get(prompt_id or "")
        return prompt.text if prompt else ""

    @property
    def task_text(self) -> str:
        """What the agent was told to do."""
        return self.prompt_text(self.trajectory.task_prompt_id)

    def calls_at(self, step_index: int) -> tuple[ToolCallRow, ...]:
        """Calls made at one step, in order."""
        return tuple(call for call in self.calls if call.step_index == step_index)
