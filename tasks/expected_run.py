"""What is known of a run before it is made, as `--dry-run` prints it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from schemas.settings import EndpointSettings
from tasks.agent.protocols import Model
from tasks.rollout_usage import NOTHING, Span, Usage


@dataclass(frozen=True)
class Role:
    """Rollouts of one model in a run."""

    model: Model
    endpoint: EndpointSettings | None
    usage: Usage
    rollouts: Span


@dataclass
class Bounds:
    """What is known of a run before it."""

    head: dict[str, Any]
    concurrency: int
    notes: list[str] = field(default_factory=list[str])
    roles: list[Role] = field(default_factory=list[Role])

    def told(self) -> dict[str, Any]:
        """As printed by `--dry-run`."""
        each = [(one, one.rollouts * one.usage.calls) for one in self.roles]
        tokens = _total(
            one.rollouts * (one.usage.prompt + one.usage.completion) for one in self.roles
        )
        return {
            **self.head,
            "dry_run": True,
            "rollouts": _whole(_total(one.rollouts for one in self.roles)),
            "calls": _whole(_total(calls for _, calls in each)),
            "tokens": _whole(tokens),
            "cost_usd": self._cost(),
            "time_s": _rounded(_total(self._time(one, calls) for one, calls in each)),
            "usage_from": {one.model.name: one.usage.source for one in self.roles},
            "notes": self.notes,
        }

    def _cost(self) -> dict[str, float] | None:
        total = NOTHING
        for one in self.roles:
            if one.endpoint is None:
                continue
            if one.endpoint.price is None:
                return None
            prompt = one.usage.prompt.scaled(one.endpoint.price.prompt / 1e6)
            written = one.usage.completion.scaled(one.endpoint.price.completion / 1e6)
            total += one.rollouts * (prompt + written)
        return _rounded(total, 4)

    def _time(self, one: Role, calls: Span) -> Span:
        if one.endpoint is None or one.usage.latency is None:
            return NOTHING
        limits = one.endpoint.limits
        together = min(self.concurrency, limits.concurrency)
        waits = [(calls * one.usage.latency).scaled(1 / together)]
        if limits.requests_per_minute:
            waits.append(calls.scaled(60 / limits.requests_per_minute))
        if limits.tokens_per_minute:
            tokens = one.rollouts * (one.usage.prompt + one.usage.completion)
            waits.append(tokens.scaled(60 / limits.tokens_per_minute))
        return Span(
            max(w.lower for w in waits), max(w.likely for w in waits), max(w.upper for w in waits)
        )


def _total(spans: Iterable[Span]) -> Span:
    return sum(spans, NOTHING)


def _whole(span: Span) -> dict[str, int]:
    return {"lower": int(span.lower), "likely": round(span.likely), "upper": round(span.upper)}


def _rounded(span: Span, digits: int = 1) -> dict[str, float]:
    return {
        "lower": round(span.lower, digits),
        "likely": round(span.likely, digits),
        "upper": round(span.upper, digits),
    }
