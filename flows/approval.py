"""Asking a person: the run pauses in the Prefect UI, and goes on with the answer or without."""

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from threading import Timer
from typing import Any
from uuid import UUID

from prefect.exceptions import NotPausedError
from prefect.flow_runs import pause_flow_run, resume_flow_run
from prefect.input import RunInput
from prefect.runtime import flow_run
from pydantic import Field

from flows.prefect_stages import escape, plain
from tasks.approving import ApprovalCase, Decider

MAX_DIFF = 20_000
_TICKS = re.compile("`+")
LOOK_EVERY_S = 2
SPARE_S = 600
"""Time the server waits longer than we do, so that our answer reaches a run still paused."""


class Approval(RunInput):
    """What the Resume form asks for."""

    approve: bool = Field(
        default=False,
        title="Put the evolved harness in force",
        description="Off means no: the harness before this round stays in force.",
    )
    note: str = Field(default="", title="Reason", description="Kept with the decision.")


@contextmanager
def _answered_in(seconds: float, run_id: UUID) -> Iterator[list[bool]]:
    """Resume the run with the form's defaults, a rejection, when the time is over."""
    over: list[bool] = []

    def give_up() -> None:
        over.append(True)
        with suppress(NotPausedError):
            resume_flow_run(run_id, run_input={})

    timer = Timer(seconds, give_up)
    timer.daemon = True
    timer.start()
    try:
        yield over
    finally:
        timer.cancel()


def ask_person(case: ApprovalCase, timeout_s: int) -> tuple[bool, Decider, str]:
    """Pause this flow run until somebody answers; say what, who decided, and why.

    A run that is resumed without an answer, or that nobody resumes in time, is a no.
    """
    until = datetime.now(UTC) + timedelta(seconds=timeout_s)
    with _answered_in(timeout_s, UUID(str(flow_run.id))) as over:
        answer = pause_flow_run(
            wait_for_input=Approval.with_initial_data(description=render_case(case, until)),
            timeout=timeout_s + SPARE_S,
            poll_interval=LOOK_EVERY_S,
            key=f"round-{case.round_number}",
        )
    if over and not answer.approve:
        return False, "timeout", f"nobody answered within {timeout_s} s"
    return answer.approve, "person", answer.note


def render_case(case: ApprovalCase, until: datetime) -> str:
    """A case as Markdown in which no foreign text can act as markup."""
    lines = [
        f"**Round {case.round_number}** of {escape(case.cycle_id)} evolved the harness of "
        f"{escape(case.model)} in {escape(case.environment)}: {case.old_harness_id} becomes "
        f"{case.new_harness_id}. Without an answer by {until:%Y-%m-%d %H:%M} UTC it is rejected.",
        "",
        "| edit | evidence | forecast |",
        "| --- | --- | --- |",
        *(_edit_line(edit) for edit in case.edits),
        "",
        _fenced(case.diff),
    ]
    return "\n".join(lines)


def _edit_line(edit: dict[str, Any]) -> str:
    name = f"{edit['layer']} {edit['artifact']}: {edit['title']}"
    e_value = "" if edit["e_value"] is None else f", e {edit['e_value']:.4g}"
    needed = "" if edit["threshold"] is None else f" of {edit['threshold']:g}"
    evidence = (
        f"{edit['wins']} won, {edit['losses']} lost, {edit['ties']} tied{e_value}{needed}, "
        f"{edit['regressions']} regressions"
    )
    forecast = f"{edit['expected_fixes']} fixes, {edit['tasks_at_risk']} tasks at risk"
    return f"| {escape(name)} | {escape(evidence)} | {escape(forecast)} |"


def _fenced(text: str) -> str:
    """A code block that the text inside cannot end."""
    left = len(text) - MAX_DIFF
    shown = text if left <= 0 else f"{text[:MAX_DIFF]}\n[{left} characters left out]"
    body = [plain(line) for line in shown.split("\n")]
    longest = max((len(run) for line in body for run in _TICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}diff", *body, fence])
