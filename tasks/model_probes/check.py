"""All probes of an endpoint in their order, and what follows for its settings."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from schemas.settings import EndpointSettings
from tasks.model_probes.calls import probe_call, probe_parallel, probe_results, probe_text
from tasks.model_probes.capacity import probe_concurrency, probe_context, probe_listing
from tasks.model_probes.decoding import (
    probe_logprobs,
    probe_reasoning,
    probe_schema,
    probe_seed,
)
from tasks.model_probes.desk import BudgetSpent, Desk, Finding

Probe = Callable[[Desk], Awaitable[Finding]]


async def probe_reply(desk: Desk) -> Finding:
    """Whether the endpoint replies at all, and as whom."""
    heard = await desk.ask("Reply with the word ready.", most=16)
    if heard.refusal:
        return Finding("reply", "defect", heard.refusal, _for_refusal(heard.refusal))
    return Finding("reply", "ok", f"as `{heard.payload.get('model')}`")


def _for_refusal(refusal: str) -> str:
    if "max_completion_tokens" in refusal:
        return "set sampling.extra_body = { max_completion_tokens = 1024 } and leave max_tokens out"
    if "temperature" in refusal:
        return "leave sampling.temperature out"
    return "check base_url, model and key"


async def probe_usage(desk: Desk) -> Finding:
    """Whether tokens are counted."""
    heard = await desk.ask("Reply with the word ready.", most=16)
    if heard.tokens is not None:
        return Finding("usage", "ok", "counts tokens")
    change = "costs stay unknown and caps are kept by estimates, unless the server can count"
    return Finding("usage", "missing", heard.refusal or "counts no tokens", change)


PROBES: tuple[tuple[str, Probe], ...] = (
    ("listing", probe_listing),
    ("reply", probe_reply),
    ("usage", probe_usage),
    ("tool_calls", probe_call),
    ("tool_results", probe_results),
    ("parallel_calls", probe_parallel),
    ("text_calls", probe_text),
    ("schema", probe_schema),
    ("seed", probe_seed),
    ("logprobs", probe_logprobs),
    ("reasoning", probe_reasoning),
    ("context", probe_context),
    ("concurrency", probe_concurrency),
)
NEEDED = {"tools": ("tool_calls", "tool_results"), "text": ("text_calls",), "schema": ("schema",)}
"""Probes that a mode cannot do without."""


@dataclass(frozen=True)
class Checked:
    """Findings in the order of the probes."""

    findings: tuple[Finding, ...]

    def status(self, probe: str) -> str:
        """Status of one probe; `unknown` when it was not made."""
        return next((one.status for one in self.findings if one.probe == probe), "unknown")

    def is_usable(self, settings: EndpointSettings) -> bool:
        """Whether the endpoint replies, and can do what its mode needs."""
        needed = ("reply", *NEEDED[settings.mode])
        return not any(self.status(name) in ("missing", "defect") for name in needed)

    @property
    def best_mode(self) -> str | None:
        """The mode that hides least of what the endpoint can do; null when none works."""
        for mode, needed in NEEDED.items():
            if all(self.status(name) in ("ok", "unknown") for name in needed):
                return mode
        return None


async def check_endpoint(desk: Desk, on_probe: Callable[[], None] = lambda: None) -> Checked:
    """Make every probe; those that the budget does not reach are unknown.

    Raises:
        ModelFault: the endpoint cannot be reached.
    """
    findings: list[Finding] = []
    async with desk.endpoint:
        for name, probe in PROBES:
            if any(one.probe == "reply" and one.status == "defect" for one in findings):
                break  # nothing else can be asked
            try:
                findings.append(await probe(desk))
            except BudgetSpent:
                findings.append(Finding(name, "unknown", "the budget of the check was spent"))
            on_probe()
    return Checked(tuple(findings))
