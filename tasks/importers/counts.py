"""What is counted while a file is read, and the sentences that a user should read about it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from schemas.episode import Episode
from tasks.importers.call_rows import ORPHANS
from tasks.importers.draft import DraftEpisode


def disputed_note(contradictions: Sequence[str]) -> list[str]:
    """What to say about known episodes that were found again with another verdict; at most one."""
    if not contradictions:
        return []
    count = len(contradictions)
    others = f", and {count - 1} others" if count > 1 else ""
    return [
        f"disputed: a known episode was found with another verdict: {contradictions[0]}{others}"
    ]


@dataclass
class Counts:
    """Running counts of one file; see `ImportReportRow` for their meaning."""

    episodes: int = 0
    imported: int = 0
    duplicates: int = 0
    refused: int = 0
    unknown_task: int = 0
    replaced: int = 0
    orphans: int = 0
    outcomes: dict[str, int] = field(default_factory=dict[str, int])
    notes: list[str] = field(default_factory=list[str])
    contradictions: list[str] = field(default_factory=list[str])

    def add_import(self, draft: DraftEpisode, episode: Episode) -> None:
        """Count an episode that became a trajectory."""
        self.imported += 1
        self.replaced += draft.replaced
        self.unknown_task += draft.native_task is None
        self.orphans += sum(call.error_kind in ORPHANS for call in episode.calls)
        word = "fault" if draft.verdict.fault else draft.verdict.outcome
        self.outcomes[word] = self.outcomes.get(word, 0) + 1

    def all_notes(self) -> list[str]:
        """Notes of the reader, then what the counts have to say."""
        unknown, faults = self.outcomes.get("unknown", 0), self.outcomes.get("fault", 0)
        said = (
            (unknown, f"{unknown} episodes carry no usable reward; their outcome is unknown"),
            (faults, f"{faults} episodes ended in an infrastructure failure; none is labelled"),
            (self.orphans, f"{self.orphans} calls have no result or results no call"),
        )
        told = [text for count, text in said if count]
        return [*self.notes, *told, *disputed_note(self.contradictions)]
