"""Which harness production gets: promote, roll back, and the pointer that a proxy follows.

A decision is landed as rows, then the pointer is replaced, then the rows are taken in: so a
rollback counts within milliseconds and not after the checks of the warehouse. What a command that
is killed on the way leaves is put right in `tasks/release_store.py`.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from schemas.errors import ConfigError, DataContractError, TackroomError
from schemas.fields import Row
from schemas.releases import DecidedState, HarnessStateRow
from schemas.text import clean_text
from tasks.harness import Harness
from tasks.harness_rows import harness_rows
from tasks.release_pointer import (
    PointerWatch,
    ReleasePointer,
    draft_file,
    harness_folder,
    publish_draft,
    read_pointer,
    write_draft,
)
from tasks.release_store import (
    deciding,
    decisions_of,
    follow_pointer,
    landing_stage,
    pointer_of_rows,
    rebuild,
    rebuild_pointer,
    write_folder,
)
from tasks.workbench import Workbench

__all__ = [
    "PointerWatch",
    "ReleasePointer",
    "follow_pointer",
    "harness_folder",
    "promote",
    "read_pointer",
    "rebuild_pointer",
    "rollback",
]

MAX_REASON = 500
_FOUND = """
SELECT outcome
FROM production_verdicts
WHERE environment = ? AND treatment_harness_id = ? AND control_harness_id IS NOT DISTINCT FROM ?
    AND outcome <> 'undecided'
ORDER BY created_at, verdict_id
LIMIT 1
"""
_STATE = """
SELECT state, is_accepted FROM harness_states_now WHERE environment = ? AND harness_id = ?
"""
Target = Literal["", "canary", "released"]
Decision = Literal["promote", "rollback"]


@dataclass(frozen=True)
class _Step:
    """One row to be: a harness, its state from now on, and why."""

    harness_id: str
    state: DecidedState
    reason: str


def promote(
    word: str, environment: str, to: Target = "", *, reason: str = "", force: bool = False
) -> dict[str, Any]:
    """Give a harness its next state, or the one named, and let running proxies follow at once.

    Raises:
        ConfigError: no harness of this environment is meant, or it is forced without a reason.
        TackroomError: the gate never accepted it, production found it worse than what is released,
            or it is released and asked to be a canary.
    """
    bench = Workbench.open()
    if force and not reason.strip():
        what = "--force needs a reason"
        raise ConfigError(what, hint="add --reason, which is kept with the decision")
    harness = bench.harness(environment, word)
    if harness.environment != environment:
        what = f"harness {harness.harness_id} is for {harness.environment}, not for {environment}"
        raise ConfigError(what, hint="name the environment it was written for")
    with deciding(bench, environment) as pointer:
        harness_id = harness.harness_id
        state, is_accepted = _state_of(bench, environment, harness_id)
        target = to or ("released" if state == "canary" else "canary")
        if state == target or (state == "released" and not to):
            return _told(pointer, harness_id, state) | {"already_done": True}
        if state == "released":
            what = f"harness {harness_id} is released in {environment}, so it cannot be its canary"
            raise TackroomError(what, hint="roll back, or promote another harness")
        doubts = _doubts(bench, pointer, harness_id, is_accepted=is_accepted)
        if doubts and not force:
            raise TackroomError(doubts, hint="--force --reason TEXT promotes it all the same")
        steps = _promotion(pointer, harness_id, target, reason)
        forced = bool(doubts)
        after = _decide(bench, pointer, steps, "promote", harnesses=[harness], is_forced=forced)
    return _told(after, harness_id, target) | {"before": state, "already_done": False}


def rollback(environment: str, reason: str = "", *, canary: bool = False) -> dict[str, Any]:
    """Return to the harness released before, and withdraw the canary; or the canary alone.

    The canary goes too: what it was tried against is what is taken back.

    Raises:
        TackroomError: nothing was released before, or there is no canary to withdraw.
    """
    bench = Workbench.open()
    with deciding(bench, environment) as pointer:
        steps = _withdrawal(pointer, reason) if canary else _return(pointer, reason)
        after = _decide(bench, pointer, steps, "rollback")
    return _told(after, after.released, "released" if after.released else None) | {
        "retired": [step.harness_id for step in steps if step.state == "retired"],
        "already_done": False,
    }


def _promotion(
    pointer: ReleasePointer, harness_id: str, target: str, reason: str
) -> Sequence[_Step]:
    given = clean_text(reason)[:MAX_REASON]
    if target == "canary":
        replaced = [pointer.canary] if pointer.canary else []
        why = f"{harness_id} became the canary"
        return [
            *(_Step(one, "retired", why) for one in replaced),
            _Step(harness_id, "canary", given),
        ]
    replaced = [pointer.released] if pointer.released else []
    why = f"{harness_id} was released; a rollback returns here"
    return [*(_Step(one, "retired", why) for one in replaced), _Step(harness_id, "released", given)]


def _return(pointer: ReleasePointer, reason: str) -> Sequence[_Step]:
    if pointer.released is None or pointer.previous is None:
        only = f"{pointer.released} is the first" if pointer.released else "nothing is released"
        what = f"there is no earlier release of {pointer.environment} to return to: {only}"
        hint = "rollback --canary withdraws the canary" if pointer.canary else "promote another"
        raise TackroomError(what, hint=hint)
    given = clean_text(reason)[:MAX_REASON]
    withdrawn = [pointer.canary] if pointer.canary else []
    return [
        *(
            _Step(one, "retired", "the release it was tried against was taken back")
            for one in withdrawn
        ),
        _Step(pointer.released, "retired", given),
        _Step(pointer.previous, "released", f"rolled back from {pointer.released}"),
    ]


def _withdrawal(pointer: ReleasePointer, reason: str) -> Sequence[_Step]:
    if pointer.canary is None:
        what = f"{pointer.environment} has no canary to withdraw"
        raise TackroomError(what, hint="without --canary the release is rolled back")
    return [_Step(pointer.canary, "retired", clean_text(reason)[:MAX_REASON])]


def _decide(
    bench: Workbench,
    pointer: ReleasePointer,
    steps: Sequence[_Step],
    decision: Decision,
    *,
    harnesses: Sequence[Harness] = (),
    is_forced: bool = False,
) -> ReleasePointer:
    """Land a decision, put it in force, take it in."""
    home, environment = bench.settings.home, pointer.environment
    new = [
        HarnessStateRow(
            environment=environment,
            ordinal=pointer.ordinal + place,
            harness_id=step.harness_id,
            state=step.state,
            decision=decision,
            is_forced=is_forced and step.state != "retired",
            reason=step.reason,
            created_at=bench.now,
        )
        for place, step in enumerate(steps, start=1)
    ]
    after = pointer_of_rows(environment, [*decisions_of(bench, environment), *new])
    for harness in harnesses:
        write_folder(bench, harness)
    write_draft(home, after)
    rows: list[Row] = [*(row for one in harnesses for row in harness_rows(one)), *new]
    try:
        bench.land(rows, landing_stage(environment))
    except TackroomError:
        draft_file(home, environment).unlink(missing_ok=True)
        raise
    publish_draft(home, environment)
    try:
        bench.commit()
    except DataContractError:
        rebuild(bench, environment)  # rows that were refused decide nothing
        raise
    return after


def _doubts(
    bench: Workbench, pointer: ReleasePointer, harness_id: str, *, is_accepted: bool
) -> str:
    """Why a harness should not be promoted; empty when nothing speaks against it."""
    if not is_accepted:
        return f"the gate accepted no edit that led to harness {harness_id}"
    with bench.warehouse.read() as reader:
        found = reader.scalar(_FOUND, [pointer.environment, harness_id, pointer.released])
    if found == "worse":
        return f"production found harness {harness_id} worse than {pointer.released or 'none'}"
    return ""


def _state_of(bench: Workbench, environment: str, harness_id: str) -> tuple[str, bool]:
    with bench.warehouse.read() as reader:
        rows = reader.frame(_STATE, [environment, harness_id]).rows()
    return (str(rows[0][0]), bool(rows[0][1])) if rows else ("draft", False)


def _told(pointer: ReleasePointer, harness_id: str | None, state: str | None) -> dict[str, Any]:
    return {"harness_id": harness_id, "state": state} | asdict(pointer)
