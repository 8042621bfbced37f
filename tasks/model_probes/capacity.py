"""How much an endpoint takes: who it lists, how long a conversation, how many requests at once."""

import asyncio
import re
from collections.abc import Sequence
from typing import Any, cast

from schemas.errors import ModelFault
from tasks.agent.endpoint import Endpoint
from tasks.agent.identity import find_entry
from tasks.agent.protocols import JsonObject
from tasks.model_probes.desk import BudgetSpent, Desk, Finding, Heard

LEVELS = (1, 2, 4, 8, 16, 32)
GAIN = 1.1
"""Throughput of a level that is worth it, against the level before."""
TOO_MANY = 100_000_000
"""Tokens that no model writes; asked for so that the endpoint names its limit."""
_LISTED = ("max_model_len", "context_length", "max_context_length", "n_ctx", "context_window")
_IN_META = ("n_ctx", "n_ctx_train")
_NUMBER = re.compile(r"\b(\d{3,7})\b")


async def probe_listing(desk: Desk) -> Finding:
    """Whether the endpoint lists the model under its name."""
    model = desk.endpoint.settings.model
    try:
        listing = await desk.endpoint.fetch("/models")
    except ModelFault as error:
        if error.kind == "unavailable":
            raise
        return Finding("listing", "unknown", f"lists no models: {error.what}")
    entry = find_entry(listing, model)
    if entry is None:
        return Finding("listing", "unknown", "gives no list of models")
    desk.entry = entry
    if entry:
        return Finding("listing", "ok", f"lists `{model}`")
    data = cast("list[Any]", cast("JsonObject", listing)["data"])
    names = [str(cast("JsonObject", one).get("id")) for one in data if isinstance(one, dict)]
    change = f"set model to one of: {', '.join(names[:8])}"
    return Finding("listing", "missing", f"does not list `{model}`", change)


async def probe_context(desk: Desk) -> Finding:
    """How long a conversation may be, in the endpoint's own words."""
    meta: Any = desk.entry.get("meta")
    inside = cast("JsonObject", meta) if isinstance(meta, dict) else {}
    told = [desk.entry.get(name) for name in _LISTED] + [inside.get(name) for name in _IN_META]
    known = next((value for value in told if isinstance(value, int) and value > 0), None)
    if known:
        return Finding("context", "ok", f"{known} tokens, by its list of models")
    heard = await desk.ask("Say ok.", most=TOO_MANY)
    numbers = [int(text) for text in _NUMBER.findall(heard.refusal)]
    limits = [number for number in numbers if 512 <= number < TOO_MANY and number != 100_000]
    if limits:
        return Finding("context", "ok", f"{max(limits)} tokens, by its refusal of more")
    return Finding("context", "unknown", "the endpoint does not say how long a conversation may be")


async def probe_concurrency(desk: Desk) -> Finding:
    """How many requests at once still gain something and all succeed."""
    limits = desk.endpoint.settings.limits
    # A repetition would hide that the first try failed.
    async with desk.endpoint.within(limits.model_copy(update={"max_retries": 0})) as once:
        return await _climb(desk, once, limits.concurrency)


async def _climb(desk: Desk, place: Endpoint, most: int) -> Finding:
    best, best_rate, seen = 0, 0.0, "a single request"
    for level in (one for one in LEVELS if one <= most):
        try:
            heard, took_s = await _burst(desk, place, level)
        except BudgetSpent:
            if not best:
                raise
            break
        failed = [one for one in heard if one.refusal]
        if failed:
            seen = f"{len(failed)} of {level} at once fail: {failed[0].refusal[:120]}"
            break
        rate = level / took_s
        if rate < best_rate * GAIN:
            seen = f"{level} at once are no faster than {best} ({rate:.2g} a second)"
            break
        best, best_rate, seen = level, rate, f"{rate:.2g} requests a second with {level} at once"
    if not best:
        return Finding("concurrency", "defect", seen, "set limits.concurrency = 1")
    change = f"set limits.concurrency = {best}" if best < min(most, LEVELS[-1]) else ""
    return Finding("concurrency", "ok", seen, change)


async def _burst(desk: Desk, place: Endpoint, level: int) -> tuple[Sequence[Heard], float]:
    loop = asyncio.get_running_loop()
    started = loop.time()
    texts = [f"Name the number {number} in words." for number in range(level)]
    heard = await asyncio.gather(*(desk.ask(text, most=8, place=place) for text in texts))
    return heard, max(1e-6, loop.time() - started)
