"""Bounded evidence for a model that edits: patterns, cases, single runs; train only."""

from dataclasses import dataclass, field

from schemas.episode import Episode
from schemas.errors import EditRejected
from schemas.failures import FailurePatternRow
from tasks.editor.compact import find_partner, first_divergence, render_divergence, render_run
from tasks.editor.manifest import Evidence
from tasks.editor.protocols import Brief, pattern_members

MAX_CASES = 12
CASES_EACH = 3
PATTERN_CHARS = 6_000
FIRST_CHARS = 24_000
ROUND_CHARS = 80_000
SPENT = "the evidence of this round is spent"


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

    @property
    def episodes(self) -> dict[str, Episode]:
        """The train episodes by id."""
        return dict(self._by_id)

    def members(self, pattern: FailurePatternRow) -> tuple[Evidence, ...]:
        """Members of a pattern whose runs are at hand."""
        return tuple(
            Evidence(trajectory_id=name, step=step)
            for name, step in pattern_members(pattern)
            if name in self._by_id
        )

    def opening(self) -> str:
        """Patterns, and the first cases of each as far as they fit, whole."""
        lines = [_pattern_line(i, row) for i, row in enumerate(self.brief.patterns, start=1)]
        text = "\n".join(lines)[:PATTERN_CHARS] or "No failure recurs."
        cases = 0
        for pattern in self.brief.patterns:
            for member in self.members(pattern)[: min(CASES_EACH, MAX_CASES - cases)]:
                case = f"\n\n{self._case(pattern, member)}"
                if len(text) + len(case) > FIRST_CHARS:
                    continue
                text += case
                cases += 1
        self.spent += len(text)
        return text

    def _case(self, pattern: FailurePatternRow, member: Evidence) -> str:
        episode = self._by_id[member.trajectory_id]
        head = f"case of {pattern.pattern_id}: {member.trajectory_id} step {member.step}"
        return f"{head}\n{self._compared(episode, None)}"

    def _compared(self, failed: Episode, won: Episode | None) -> str:
        partner = won or find_partner(failed, list(self._by_id.values()))
        if partner is None:
            return render_run(failed)
        same = partner.trajectory.task_id == failed.trajectory.task_id
        return render_divergence(first_divergence(failed, partner), same_task=same)

    def run(self, trajectory_id: str) -> str:
        """One run, its middle left out when it is long.

        Raises:
            EditRejected: there is no such train run, or the round's evidence is spent.
        """
        return self.spend(render_run(self._find(trajectory_id), max_moves=40))

    def compare(self, failed_id: str, successful_id: str | None) -> str:
        """Where a failed run parts from a successful one.

        Raises:
            EditRejected: there is no such train run, or the round's evidence is spent.
        """
        failed = self._find(failed_id)
        won = self._find(successful_id) if successful_id else None
        if failed.is_success:
            what = f"run {failed_id} is no failure"
            raise EditRejected(what, hint="give a failed run first")
        return self.spend(self._compared(failed, won))

    def spend(self, text: str) -> str:
        """Take as much of a text as the round still allows.

        Raises:
            EditRejected: nothing is left.
        """
        left = ROUND_CHARS - self.spent
        if left <= 0:
            raise EditRejected(SPENT, hint="decide with what you have")
        self.spent += min(len(text), left)
        return text if len(text) <= left else f"{text[:left]}… [{SPENT}]"

    def _find(self, trajectory_id: str) -> Episode:
        episode = self._by_id.get(trajectory_id)
        if episode is None:
            what = f"there is no train trajectory {trajectory_id[:60]!r}"
            raise EditRejected(what, hint="SELECT trajectory_id FROM trajectories")
        return episode


def _pattern_line(number: int, pattern: FailurePatternRow) -> str:
    return (
        f"pattern {number} {pattern.pattern_id}: {pattern.bullet} {pattern.signature[:300]}"
        f" in {pattern.runs} runs of {pattern.tasks} tasks, earliest layer {pattern.layer}"
    )
