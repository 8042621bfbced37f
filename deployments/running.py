"""Running a flow from the command line against a Prefect server."""

import os
import time
from collections.abc import Callable
from typing import Any

from deployments.server import client_environment, prefect_server
from schemas.forms import CycleForm
from schemas.settings import load_settings


def run_cycle_flow(
    form: CycleForm, *, keep_server: bool, note: Callable[[str], None]
) -> dict[str, Any]:
    """Run the cycle flow in this process, tracked by a server; return its summary.

    `startup_s` is what starting or finding the server and loading the libraries took, `wall_s`
    the cycle itself.
    """
    from tasks.cycle import check_words

    check_words(form)
    settings = load_settings()
    settings.home.mkdir(parents=True, exist_ok=True)
    home = settings.home.resolve()
    begun = time.monotonic()
    note("starting")
    with prefect_server(home, environ=os.environ, keep=keep_server) as api_url:
        os.environ.update(client_environment(home, api_url))
        from flows.evolution_cycle import evolution_cycle
        from warehouse.suites import warm_up

        warm_up()
        started = time.monotonic()
        note(f"server {api_url}")
        summary = evolution_cycle(form)
        ended = time.monotonic()
    return summary | {
        "startup_s": round(started - begun, 3),
        "wall_s": round(ended - started, 3),
    }
