"""The gate without a live world: static checks and replay over imported history.

Nothing can be rolled out, so nothing is accepted: a candidate that history does not refuse is
`undecided`, reason `no_live_world`, with its rates on passing and failing history and the tasks
its text would reach. Such candidates can be exported and tried where the world is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.episode import Episode
from schemas.gate import GateDecisionRow, ReplayCheckRow
from schemas.harness import EditPredictionRow
from tasks.gate.candidate import Candidate
from tasks.gate.check import check_candidates
from tasks.gate.findings import Checked, decide_early
from tasks.gate.static import StaticContext
from tasks.gate.touch import Replayer


@dataclass(frozen=True)
class ImportedResult:
    """Decisions over imported history, in the order of the candidates."""

    checked: tuple[Checked, ...]
    decisions: tuple[GateDecisionRow, ...]
    replays: tuple[ReplayCheckRow, ...]
    predictions: tuple[EditPredictionRow, ...]


async def gate_over_imports(
    candidates: Sequence[Candidate],
    context: StaticContext,
    episodes: Sequence[Episode],
    replayer: Replayer,
    *,
    cycle_id: str,
) -> ImportedResult:
    """Judge candidates by imported episodes alone."""
    checked = await check_candidates(candidates, context, episodes, replayer)
    return ImportedResult(
        checked=tuple(checked),
        decisions=tuple(_decide(entry, cycle_id) for entry in checked),
        replays=tuple(entry.replay for entry in checked if entry.replay),
        predictions=tuple(row for entry in checked for row in entry.predictions),
    )


def _decide(entry: Checked, cycle_id: str) -> GateDecisionRow:
    return decide_early(entry, cycle_id, "no_live_world" if entry.is_clean else entry.reason)
