"""How a run used the skill that was due in it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from schemas.episode import Episode
from tasks.agent.protocols import Task
from tasks.benefit.following import Check, check_following, drift_step, is_followed
from tasks.harness import Harness
from tasks.harness.retrieval import find_skill
from tasks.harness.skills import Skill

GIVEN = -1


@dataclass(frozen=True)
class Due:
    """A skill as an artifact."""

    skill: Skill
    artifact_id: str


@dataclass(frozen=True)
class Use:
    """A run, the skill that retrieval would give it, and what became of that skill.

    Attributes:
        episode: the run, its skills on demand.
        due: the skill whose trigger held; null when none did.
        step_index: step at which the trigger first held.
        loaded_at: step at which the skill was loaded; null when it never was, `GIVEN` when the
            harness gave it before the first step.
        is_called: whether it was loaded within the window.
        checks: its checkpoints; empty when it was not loaded.
    """

    episode: Episode
    due: Due | None
    step_index: int = 0
    loaded_at: int | None = None
    is_called: bool = False
    checks: tuple[Check, ...] = ()

    @property
    def is_followed(self) -> bool | None:
        """Whether the loaded skill was obeyed; null when it was not loaded or none can tell."""
        return is_followed(self.checks)

    @property
    def has_activation_gap(self) -> bool:
        """Whether the skill should have been loaded and was not."""
        return self.due is not None and not self.is_called

    @property
    def has_following_gap(self) -> bool:
        """Whether the skill was loaded and not obeyed."""
        return self.due is not None and self.is_called and self.is_followed is False

    @property
    def drift(self) -> int | None:
        """First step that leaves the loaded skill; null when none does."""
        if self.due is None or self.loaded_at is None:
            return None
        return drift_step(self.episode, self.due.skill, self.checks, self.loaded_at)


def due_skill(harness: Harness, text: str) -> Due | None:
    """The skill that retrieval picks for what a run opens with."""
    skill = find_skill(harness.skills, text)
    if skill is None:
        return None
    return Due(skill, harness.artifact("skills", skill.name).artifact_id)


def due_tasks(harness: Harness, tasks: Sequence[Task]) -> tuple[Task, ...]:
    """Tasks of the families in which some skill is due; all when no task text tells.

    An environment may say more when a run opens, so an empty answer settles nothing.
    """
    families = {task.family for task in tasks if due_skill(harness, task.text)}
    return tuple(task for task in tasks if task.family in families) if families else tuple(tasks)


def read_use(episode: Episode, due: Due | None, window: int) -> Use:
    """Read one run. The trigger is told from what opens it, so it holds from its first step."""
    if due is None:
        return Use(episode, None)
    loads = [
        GIVEN if row.kind == "inject" else row.step_index
        for row in episode.interventions
        if row.kind in ("load", "inject") and row.artifact_id == due.artifact_id
    ]
    if not loads:
        return Use(episode, due)
    loaded_at = min(loads)
    checks = check_following(episode, due.skill, loaded_at)
    return Use(episode, due, 0, loaded_at, loaded_at <= window, checks)


def read_uses(episodes: Iterable[Episode], harness: Harness, window: int) -> list[Use]:
    """Read the runs that were judged; a fault says nothing about the agent."""
    return [
        read_use(episode, due_skill(harness, episode.task_text), window)
        for episode in episodes
        if episode.is_success or episode.is_failure
    ]


def read_given(episodes: Iterable[Episode], harness: Harness, window: int) -> list[Use]:
    """Read judged runs whose skill was given by the harness, so that nothing had to be called."""
    by_id = {harness.artifact("skills", skill.name).artifact_id: skill for skill in harness.skills}
    return [
        read_use(episode, Due(by_id[row.artifact_id], row.artifact_id), window)
        for episode in episodes
        if episode.is_success or episode.is_failure
        for row in episode.interventions
        if row.kind == "inject" and row.artifact_id in by_id
    ]


def activation_rate(uses: Iterable[Use]) -> float | None:
    """Share of the runs with a skill due that loaded it at all; null without any."""
    due = [use for use in uses if use.due is not None]
    return sum(use.loaded_at is not None for use in due) / len(due) if due else None


def following_rate(uses: Iterable[Use]) -> float | None:
    """Share of the runs that loaded their skill and obeyed it; null when none can tell."""
    told = [use.is_followed for use in uses if use.is_followed is not None]
    return sum(told) / len(told) if told else None
