"""What is counted while a file is read, and the sentences that a user should read about it."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from schemas.episode import Episode
from tasks.importers.call_rows import ORPHANS
from tasks.importers.draft import DraftCall, DraftEpisode


def disputed_note(contradictions: Sequence[str]) -> list[str]:
    """What to say about known episodes that were found again with another verdict; at most one."""
    if not contradictions:
        return []
    count = len(contradictions)
    others = f", and {count - 1} others" if count > 1 else ""
    return [
        f"disputed: a known episode was found with another verdict: {contradictions[0]}{others}"
    ]


def _is_bare(call: DraftCall) -> bool:
    return call.raw is None and call.arguments is None and call.error is None


@dataclass
class Counts:
    """Running counts of one file; see `ImportReportRow` for their meaning."""

    episodes: int = 0
    imported: int = 0
    duplicates: int = 0
    superseded: int = 0
    refused: int = 0
    unknown_task: int = 0
    replaced: int = 0
    orphans: int = 0
    bare_calls: int = 0
    copied: int = 0
    outcomes: Counter[str] = field(default_factory=Counter[str])
    dialects: set[str] = field(default_factory=set[str])
    lost: Counter[str] = field(default_factory=Counter[str])
    notes: list[str] = field(default_factory=list[str])
    contradictions: list[str] = field(default_factory=list[str])

    def add_import(self, draft: DraftEpisode, episode: Episode) -> None:
        """Count an episode that became a trajectory."""
        self.imported += 1
        self.replaced += draft.replaced
        self.unknown_task += draft.native_task is None
        self.orphans += sum(call.error_kind in ORPHANS for call in episode.calls)
        self.bare_calls += sum(_is_bare(call) for m in draft.messages for call in m.calls)
        self.copied += sum(message.copied for message in draft.messages)
        self.outcomes["fault" if draft.verdict.fault else draft.verdict.outcome] += 1
        self.dialects |= {draft.dialect} - {""}
        self.lost.update(json.loads(episode.trajectory.lost_evidence))

    def all_notes(self) -> list[str]:
        """Notes of the reader, then what the counts have to say."""
        unknown, faults = self.outcomes["unknown"], self.outcomes["fault"]
        said = (
            (unknown, f"{unknown} episodes carry no usable reward; their outcome is unknown"),
            (faults, f"{faults} episodes ended in an infrastructure failure; none is labelled"),
            (self.orphans, f"{self.orphans} calls have no result or results no call"),
            (self.bare_calls, f"{self.bare_calls} calls carry no arguments, taken as `{{}}`"),
            (self.copied, f"{self.copied} copied or demonstrated messages are not counted"),
        )
        told = [text for count, text in said if count]
        return [*self.notes, *told, *disputed_note(self.contradictions)]
