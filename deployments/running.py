"""Running a flow from the command line against a Prefect server."""

import logging
import os
import time
from collections.abc import Callable
from typing import Any

from deployments.server import client_environment, prefect_server
from deployments.signals import ended_by_signals
from schemas.forms import CycleForm
from schemas.plans import CyclePlan
from schemas.settings import load_settings


def run_cycle_flow(
    form: CycleForm, *, keep_server: bool, note: Callable[[str], None]
) -> dict[str, Any]:
    """Run the cycle flow in this process, tracked by a server; return its summary.

    A cycle that is finished is answered from the warehouse: no server is started for it.
    `startup_s` is what starting or finding the server and loading the libraries took, `wall_s`
    the cycle itself.
    """
    begun = time.monotonic()
    from tasks.cycle import plan_cycle

    plan = plan_cycle(form)
    if plan.is_finished:
        note("already done: answered from the warehouse")
        return _timed(begun, time.monotonic(), lambda: _summarize(plan))
    if plan.note:
        note(plan.note)
    home = load_settings().home
    home.mkdir(parents=True, exist_ok=True)
    home = home.resolve()

    def load(api_url: str) -> None:
        os.environ.update(client_environment(home, api_url))
        load_libraries()

    note("starting")
    with (
        ended_by_signals(),
        prefect_server(home, environ=os.environ, keep=keep_server, meanwhile=load) as api_url,
    ):
        from flows.evolution_cycle import evolution_cycle

        note(f"server {api_url}")
        try:
            return _timed(begun, time.monotonic(), lambda: evolution_cycle(form))
        finally:
            send_logs()


def _summarize(plan: CyclePlan) -> dict[str, Any]:
    from tasks.reporting import summarize_cycle

    return summarize_cycle(plan)


def _timed(begun: float, started: float, run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    summary = run()
    ended = time.monotonic()
    return summary | {
        "startup_s": round(started - begun, 3),
        "wall_s": round(ended - started, 3),
    }


def load_libraries() -> None:
    """Import what a cycle needs, which takes as long as a server takes to start."""
    import flows.evolution_cycle  # noqa: F401  (registers the flow)
    from warehouse.suites import warm_up

    warm_up()


def send_logs() -> None:
    """Wait until the server has the logs of the run: it may end right after."""
    for handler in logging.getLogger("prefect.flow_runs").handlers:
        handler.flush()
