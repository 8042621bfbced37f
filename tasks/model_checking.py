"""Checking and listing the models a user has named."""

import asyncio
from typing import Any

from schemas.settings import EndpointSettings, Settings, load_settings
from tasks.agent.endpoint import Endpoint
from tasks.agent.identity import UNKNOWN, ask_identity, identity_path, note_identity, read_identity
from tasks.agent.models import resolve_endpoint
from tasks.model_probes.check import NEEDED, PROBES, Checked, check_endpoint
from tasks.model_probes.desk import Desk, Finding
from tasks.progress import count, expect, in_stage

PROBE_TIMEOUT_S = 60.0
_OF_MODE = {probe: mode for mode, probes in NEEDED.items() for probe in probes}
_OF_MODE["parallel_calls"] = "tools"
BUILT_IN = ("simulated:weak", "simulated:mid", "simulated:strong", "gold", "noop")


def check_model(name: str) -> dict[str, Any]:
    """Ask an endpoint what it can do, and note who answers there.

    Raises:
        ConfigError: there is no such endpoint, or its key is not set.
        ModelFault: it cannot be reached.
    """
    settings = load_settings()
    endpoint = resolve_endpoint(name.removeprefix("openai:"), settings)
    limits = endpoint.settings.limits
    brief = limits.model_copy(
        update={"timeout_s": min(limits.timeout_s, PROBE_TIMEOUT_S), "max_retries": 1}
    )
    desk = Desk(endpoint.within(brief))
    with in_stage("model check"):
        expect("probes", len(PROBES))
        checked = asyncio.run(check_endpoint(desk, lambda: count("probes")))
        noted = _note(endpoint, settings)
    return {
        "model": f"openai:{name.removeprefix('openai:')}",
        "url": endpoint.url,
        "mode": endpoint.settings.mode,
        "usable": checked.is_usable(endpoint.settings),
        "best_mode": checked.best_mode,
        "changes": _changes(checked, endpoint.settings),
        "findings": [vars(one) for one in checked.findings],
        "requests": desk.requests,
        "tokens": desk.tokens,
        **noted,
    }


def _changes(checked: Checked, settings: EndpointSettings) -> list[str]:
    """What to change, the mode first."""
    best = checked.best_mode
    changes = [f"{one.probe}: {one.change}" for one in checked.findings if _matters(one, settings)]
    if not checked.is_usable(settings) and best and best != settings.mode:
        return [f'set mode = "{best}": it works here, and "{settings.mode}" does not', *changes]
    return changes


def _matters(one: Finding, settings: EndpointSettings) -> bool:
    """Whether a finding asks for a change of what this endpoint is configured to do."""
    if not one.change or one.status == "unknown":
        return False
    if one.probe in _OF_MODE:
        return _OF_MODE[one.probe] == settings.mode
    if one.probe == "logprobs":
        return settings.sampling.logprobs
    if one.probe == "seed":
        return settings.sampling.send_seed != (one.status == "ok")
    return True


def _note(endpoint: Endpoint, settings: Settings) -> dict[str, Any]:
    """Note who answers now; runs from now on carry it in their key."""
    found = asyncio.run(ask_identity(endpoint)) or UNKNOWN
    path = identity_path(endpoint.settings, endpoint.url, settings.home)
    before = read_identity(path) if path.exists() else None
    note_identity(found, path)
    return {"identity": found.key, "is_changed": before is not None and before != found}


def list_models(settings: Settings) -> list[dict[str, Any]]:
    """Every model a command may name, with what is configured; no endpoint is asked."""
    rows: list[dict[str, Any]] = []
    for name, one in sorted(settings.models.items()):
        endpoint = Endpoint(one)
        key = one.api_key_env
        path = identity_path(one, endpoint.url, settings.home)
        rows.append(
            {
                "model": f"openai:{name}",
                "url": endpoint.url,
                "served": one.model,
                "mode": one.mode,
                "key": None if key is None else bool(settings.variable(key)),
                "price": one.price is not None,
                "noted": path.exists(),
            }
        )
    return rows + [{"model": name} for name in BUILT_IN]
