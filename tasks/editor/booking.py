"""Which pattern an edit is booked on: one whose evidence it touches in time.

The pattern gives the edit its root cause and the failures it must reach; the gate measures the
coverage of exactly these. An edit that answers no single pattern is booked on none and says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.failures import FailurePatternRow
from tasks.agent.clearance import MIN_COVERAGE, deadline
from tasks.editor.facts import Facts
from tasks.editor.generators.draft import Draft, Member, read_target, signature_kind
from tasks.editor.manifest import Evidence
from tasks.editor.reading import as_object

MAX_EVIDENCE = 50


@dataclass(frozen=True)
class Booking:
    """A pattern with its members at hand, and those in which an edit acts in time."""

    pattern: FailurePatternRow
    members: tuple[Member, ...]
    acted: frozenset[str]

    @property
    def is_fit(self) -> bool:
        """Whether the edit reaches as much of the pattern as the gate asks for."""
        return reaches(self.acted, self.members)


def reaches(acted: frozenset[str], members: Sequence[Member]) -> bool:
    """Whether acting in these runs covers enough of a pattern."""
    return len(acted) >= MIN_COVERAGE * len({member.run.run_id for member in members})


def book(facts: Facts, draft: Draft, patterns: Sequence[FailurePatternRow]) -> Booking | None:
    """Find the pattern that an edit answers best; null when it touches the evidence of none."""
    found = [_try(facts, draft, pattern) for pattern in patterns if _is_about(draft, pattern)]
    touched = [booking for booking in found if booking.acted]
    return max(touched, key=lambda one: _rank(draft, one), default=None)


def _rank(draft: Draft, booking: Booking) -> tuple[bool, bool, int, float, str]:
    """Patterns that recur come first: reaching all of a single run says little."""
    pattern, reached = booking.pattern, len(booking.acted)
    is_sure = booking.is_fit and pattern.eligible
    is_own = "" != pattern.family == draft.family
    return is_sure, is_own, reached, reached / len(booking.members), pattern.pattern_id


def _try(facts: Facts, draft: Draft, pattern: FailurePatternRow) -> Booking:
    members = read_target(facts, [pattern]).members
    in_time = [member for member in members if _acts_in_time(draft, member)]
    return Booking(pattern, members, frozenset(member.run.run_id for member in in_time))


def _acts_in_time(draft: Draft, member: Member) -> bool:
    first = 0 if draft.acts is None else draft.acts.get(member.run.run_id)
    if first is None:
        return False
    last = deadline(member.run.episode, member.step)
    return last is None or first <= last


def _is_about(draft: Draft, pattern: FailurePatternRow) -> bool:
    """Whether a pattern says nothing else than what the edit is about; `tool:verb` is a tool."""
    if draft.family and pattern.family not in (None, draft.family):
        return False
    signature = as_object(pattern.signature) or {}
    said = {key: str(signature.get(key) or "").split(":")[0] for key in draft.about}
    return all(said[key] in ("", wanted) for key, wanted in draft.about.items())


def evidence_of(booking: Booking) -> tuple[Evidence, ...]:
    """All members of the pattern, also those the edit does not reach."""
    return tuple(
        Evidence(trajectory_id=member.run.run_id, step=member.step)
        for member in booking.members[:MAX_EVIDENCE]
    )


def own_evidence(draft: Draft) -> tuple[Evidence, ...]:
    """The failures in which an edit without a pattern acts."""
    acts = sorted((draft.acts or {}).items())
    return tuple(Evidence(trajectory_id=run, step=step) for run, step in acts[:MAX_EVIDENCE])


def cause_of(booking: Booking, draft: Draft) -> str:
    """Root cause in the words of the pattern, then what the edit makes of it."""
    return f"{describe_pattern(booking.pattern)} {draft.root_cause} {_reached(booking)}"


def _reached(booking: Booking) -> str:
    return f"The edit acts in time in {len(booking.acted)} of its {len(booking.members)} runs."


def describe_pattern(pattern: FailurePatternRow) -> str:
    """What a pattern is, in one sentence."""
    signature = as_object(pattern.signature) or {}
    parts = [
        f"{key} {_short(value)}"
        for key, value in sorted(signature.items())
        if key != "kind" and value not in (None, "", [])
    ]
    what = (signature_kind(pattern) or pattern.rule).replace("_", " ")
    details = f" ({', '.join(parts)})" if parts else ""
    where = f" of family {pattern.family}" if pattern.family else ""
    runs = f"{pattern.runs} failed run{'s'[: pattern.runs != 1]}"
    tasks = f"{pattern.tasks} task{'s'[: pattern.tasks != 1]}"
    return f"{pattern.bullet} {what}{details} in {runs} of {tasks}{where}."


def mined_from_all(facts: Facts, draft: Draft, booking: Booking | None) -> str:
    """Root cause of an edit that was found in all failures; it may fit a pattern all the same."""
    where = f" Booked on {describe_pattern(booking.pattern)} {_reached(booking)}" if booking else ""
    acts = draft.acts or {run.run_id: 0 for run in facts.failures}
    tasks = {facts.by_id[run_id].task_id for run_id in acts if run_id in facts.by_id}
    return (
        f"Mined from all {len(facts.failures)} failures, not from one pattern."
        f" {draft.root_cause} The edit acts in {len(acts)} runs of {len(tasks)} tasks.{where}"
    )


def _short(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return " ".join(text.split())[:80]
