"""What a run may spend, in the words of its form or else of the settings."""

from collections.abc import Iterator
from contextlib import contextmanager

from schemas.errors import ConfigError
from schemas.evaluation_forms import EditorsForm, EvaluateForm, TransferForm
from schemas.forms import CollectForm, CycleForm
from schemas.settings import Settings
from schemas.trajectory_forms import AnnotateForm
from tasks.agent.run_limits import RunLimits, Spending, limited

PaidForm = AnnotateForm | CollectForm | CycleForm | EvaluateForm | EditorsForm | TransferForm
_PAID = ("openai", "prompt")
"""Kinds of models and editors that an endpoint stands behind."""


def limits_of(settings: Settings) -> RunLimits:
    """Limits of a run that says nothing of its own."""
    caps = settings.caps
    return RunLimits(Spending(caps.max_tokens, caps.max_usd), settings.concurrency)


@contextmanager
def run_within(form: PaidForm, settings: Settings) -> Iterator[RunLimits]:
    """Hold what the block asks of models to the caps of a form, else of the settings.

    Raises:
        ConfigError: dollars are capped, and an endpoint has no price.
    """
    caps = settings.caps
    spending = Spending(form.max_tokens or caps.max_tokens, form.max_usd or caps.max_usd)
    if spending.max_usd:
        _require_prices(form, settings)
    with limited(RunLimits(spending, form.concurrency or settings.concurrency)) as limits:
        yield limits


def _require_prices(form: PaidForm, settings: Settings) -> None:
    for word in form.words:
        kind, _, name = word.partition(":")
        endpoint = settings.models.get(name)
        if kind in _PAID and (endpoint is None or endpoint.price is None):
            what = f"dollars cannot be capped: `{word}` has no price"
            raise ConfigError(what, hint=f"add [models.{name}.price], or cap tokens instead")
