"""Bounded evidence for a model that edits: patterns, cases, single runs; train only."""

from dataclasses import dataclass, field

from schemas.episode import Episode
from schemas.failures import FailurePatternRow
from tasks.editor.compact import (
    find_partner,
    first_divergence,
    render_divergence,
    render_run,
)
from tasks.editor.facts import mine
from tasks.editor.generators.draft import read_target
from tasks.editor.protocols import Brief

MAX_CASES = 12
CASES_EACH = 3
FIRST_CHARS = 24_000
ROUND_CHARS = 80_000


@dataclass
class EvidenceDesk:
    """Hands out evidence until the round's share is spent; holds only train episodes."""

    brief: Brief
    spent: int = 0
    _by_id: dict[str, Episode] = field(default_factory=dict[str, Episode])

    def __post_init__(self) -> None:
        self._by_id = {
            episode.trajectory_id: episode
            for episode in self.brief.episodes
            if episode.trajectory.split == "train"
        }

    def opening(self) -> str:
        """Patterns and first cases for the first message."""
        facts = mine(self.brief)
        parts: list[str] = []
        cases = 0
        for number, pattern in enumerate(self.brief.patterns, start=1):
            parts.append(_pattern_line(number, pattern))
            members = [
                member
                for member in read_target(facts, [pattern]).members
                if member.run.run_id in self._by_id
            ]
            for member in members[: min(CASES_EACH, MAX_CASES - cases)]:
                parts.append(self._case(member.run.episode, member.step))
                cases += 1
        text = "\n\n".join(parts)[:FIRST_CHARS]
        self.spent += len(text)
        return text or "No failure recurs."

    def _case(self, episode: Episode, step: int | None) -> str:
        partner = find_partner(episode, list(self._by_id.values()))
        head = f"case {episode.trajectory_id} step {step}"
        if partner is None:
            return f"{head}\n{render_run(episode)}"
        same = partner.trajectory.task_id == episode.trajectory.task_id
        return f"{head}\n{render_divergence(first_divergence(episode, partner), same_task=same)}"

    def run(self, trajectory_id: str) -> str:
        """One run in full, or why it is not shown."""
        episode = self._by_id.get(trajectory_id)
        if episode is None:
            return f"There is no train trajectory {trajectory_id[:60]!r}."
        if self.spent >= ROUND_CHARS:
            return "The evidence of this round is spent; decide with what you have."
        text = render_run(episode, max_moves=40)[: ROUND_CHARS - self.spent]
        self.spent += len(text)
        return text


def _pattern_line(number: int, pattern: FailurePatternRow) -> str:
    return (
        f"pattern {number} {pattern.pattern_id}: {pattern.bullet} {pattern.signature[:300]}"
        f" in {pattern.runs} runs of {pattern.tasks} tasks, earliest layer {pattern.layer}"
    )
