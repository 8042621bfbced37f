"""The numbers and switches of the annotation protocol, and the taxonomy version they make."""

from dataclasses import asdict, dataclass

from schemas.ids import canonical_json, sha256_hex
from tasks.agent.clearance import DECISIVE_WINDOW
from tasks.agent.commands import CLEAR, NEAR

TAXONOMY_VERSION = "1.0"


@dataclass(frozen=True)
class Parameters:
    """Settlements of the annotation guide; defaults are those of methods.md G.

    Attributes:
        decisive_filter: count only hits without which the episode would not have failed;
            off, the first matching bullet wins literally (`--protocol paper`).
        use_gold: let rules read expected actions, check results and the oracle's instructions.
        repair_window: agent turns within which a hit can be undone.
        budget_share: share of the budget that hits of one bullet must use to be decisive.
        repeat_run: equal actions in a row that make a loop.
        repeat_share: share of repeats within `repeat_window` turns that makes a loop.
        repeat_window: turns looked at for the share of repeats.
        cycle_turns: turns of an alternation of two actions that make a loop.
        idle_share: share of looking without doing within `idle_window` turns that makes a loop.
        idle_window: turns looked at for idling.
        stall_hits: observations without progress within `stall_window` that make a stall.
        stall_window: consecutive observations looked at for a stall.
        early_share: share of the budget within which a commitment counts as early.
        early_candidates: candidates that should be inspected before an early commitment.
        revisit_share: share of repeated visits that makes a wrong search strategy.
        failed_family: failures of one command family that make a wrong strategy.
        prose_words: words from which on an answer value is prose.
        similarity: string similarity from which on a command is a near miss.
        clear: lead in similarity that the nearest command must have over the next.
        name_tokens: most words of an identifier with spaces.
    """

    decisive_filter: bool = True
    use_gold: bool = True
    repair_window: int = DECISIVE_WINDOW
    budget_share: float = 0.30
    repeat_run: int = 3
    repeat_share: float = 0.40
    repeat_window: int = 20
    cycle_turns: int = 4
    idle_share: float = 0.50
    idle_window: int = 10
    stall_hits: int = 3
    stall_window: int = 5
    early_share: float = 0.25
    early_candidates: int = 2
    revisit_share: float = 0.50
    failed_family: int = 3
    prose_words: int = 5
    similarity: float = NEAR
    clear: float = CLEAR
    name_tokens: int = 5


DEFAULT = Parameters()
PAPER = Parameters(decisive_filter=False)
NO_GOLD = Parameters(use_gold=False)


def taxonomy_version(parameters: Parameters) -> str:
    """Name the taxonomy version; anything but the defaults adds a suffix that tells it apart."""
    named = {DEFAULT: "", PAPER: "-paper", NO_GOLD: "-no-gold"}
    if parameters in named:
        return TAXONOMY_VERSION + named[parameters]
    return f"{TAXONOMY_VERSION}-{sha256_hex(canonical_json(asdict(parameters)))[:8]}"
