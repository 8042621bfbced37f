"""What a paired trial will need before any rollout: pairs, rollouts, tokens, cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from schemas.errors import ConfigError
from schemas.gate_forms import PlanForm
from schemas.settings import Price
from tasks.agent.offers import repeats_alike
from tasks.agent.protocols import Model
from tasks.gate.candidate import GateSettings
from tasks.gate.power import (
    MOST_PAIRS,
    POWER_AIM,
    Rates,
    pairs_needed,
    pairs_read,
    power,
    rates_of,
    resolvable_gain,
)
from tasks.workbench import Workbench

GAINS = (0.05, 0.1, 0.2)
ASSUMED_LOSS_RATE = 0.05
"""Loss rate of methods.md C.4, where nothing better is known."""
MIN_MEASURED_TASKS = 30
"""Repeated tasks from which a loss rate is taken."""
MORE_REPEATS = 3
_TOKENS = """
SELECT count(*), avg(prompt_tokens), avg(completion_tokens) FROM trajectories
WHERE environment = ? AND model = ? AND arm = 'run' AND fault IS NULL
  AND prompt_tokens IS NOT NULL AND completion_tokens IS NOT NULL
"""
_NOISE = """
WITH repeated AS (
    SELECT harness_id, seed, task_id, count(*) AS runs,
           count(*) FILTER (outcome = 'success') AS passed
    FROM trajectories
    WHERE environment = ? AND model = ? AND arm = 'run' AND fault IS NULL
      AND outcome IN ('success', 'failure')
    GROUP BY ALL HAVING count(*) > 1
)
SELECT count(*), avg(passed * (runs - passed) / (runs * (runs - 1))) FROM repeated
"""


@dataclass(frozen=True)
class _Setup:
    """What is planned for, and what is known of it."""

    pairs: int
    available: int
    repeats: int
    is_deterministic: bool
    settings: GateSettings
    loss_rate: float
    loss_source: str
    tokens: dict[str, Any] | None
    price: Price | None


def plan_gate(form: PlanForm, bench: Workbench | None = None) -> dict[str, Any]:
    """Say what gains of 5, 10 and 20 points need, and what the tasks at hand cannot show.

    Raises:
        ConfigError: a word names nothing, or there is no task to pair.
    """
    bench = bench or Workbench.open()
    environment, model = bench.environment(form.environment), bench.model(form.model)
    available = len(environment.tasks("select"))
    pairs = min(form.tasks, available) if form.tasks else available
    if not pairs:
        what = f"environment {environment.name!r} has no select tasks"
        raise ConfigError(what, hint="the paired gate needs a select split")
    loss_rate, loss_source = _loss_rate(form, bench, environment.name, model)
    is_alike = repeats_alike(model, environment)
    setup = _Setup(
        pairs=pairs,
        available=available,
        repeats=1 if is_alike else form.repeats,
        is_deterministic=is_alike,
        settings=GateSettings(slots=form.slots),
        loss_rate=loss_rate,
        loss_source=loss_source,
        tokens=_tokens(bench, environment.name, model),
        price=_price(bench, form.model),
    )
    smallest = resolvable_gain(
        pairs, setup.settings.threshold, loss_rate=loss_rate, repeats=setup.repeats
    )
    gains = [_needs(setup, gain) for gain in GAINS]
    return {
        "environment": environment.name,
        "model": model.name,
        "simulated": model.is_simulated,
        "tasks": pairs,
        "tasks_available": available,
        "slots": form.slots,
        "threshold": setup.settings.threshold,
        "repeats": setup.repeats,
        "loss_rate": loss_rate,
        "loss_rate_from": loss_source,
        "power": POWER_AIM,
        "tokens_per_rollout": setup.tokens,
        "resolvable_gain": smallest,
        "gains": gains,
        "advice": _advice(setup, smallest, gains, asked_repeats=form.repeats),
    }


def _needs(setup: _Setup, gain: float) -> dict[str, Any]:
    threshold = setup.settings.threshold
    rates = rates_of(gain, setup.loss_rate, setup.repeats)
    pairs = pairs_needed(rates, threshold) if rates else None
    here = power(setup.pairs, rates.win, rates.loss, threshold) if rates else 0.0
    rollouts = _rollouts(setup, pairs, rates) if pairs and rates else None
    tokens = round(rollouts * setup.tokens["total"]) if rollouts and setup.tokens else None
    return {
        "gain": gain,
        "pairs": pairs,
        "mean_pairs": pairs_read(pairs, rates, threshold) if pairs and rates else None,
        "repeats": setup.repeats,
        "rollouts": rollouts,
        "tokens": tokens,
        "cost_usd": _cost(setup, rollouts),
        "power_here": here,
        "is_resolvable": here >= POWER_AIM,
    }


def _rollouts(setup: _Setup, pairs: int, rates: Rates) -> int:
    """Both arms in whole blocks, and fresh repeats of both arms for the losses to be expected."""
    block = setup.settings.block
    run = ceil(pairs / block) * block
    made = 2 * setup.repeats * run
    if setup.is_deterministic:
        return made
    return made + 2 * setup.settings.fresh_repeats * ceil(run * rates.loss)


def _cost(setup: _Setup, rollouts: int | None) -> float | None:
    if rollouts is None or setup.tokens is None or setup.price is None:
        return None
    one = setup.tokens["prompt"] * setup.price.prompt
    one += setup.tokens["completion"] * setup.price.completion
    return rollouts * one / 1_000_000


def _tokens(bench: Workbench, environment: str, model: Model) -> dict[str, Any] | None:
    """Mean tokens of the stored runs of this model here; null when there is none."""
    with bench.warehouse.read() as reader:
        [(runs, prompt, completion)] = reader.frame(_TOKENS, [environment, model.name]).rows()
    if not runs:
        return None
    return {
        "prompt": prompt,
        "completion": completion,
        "total": prompt + completion,
        "trajectories": runs,
    }


def _loss_rate(
    form: PlanForm, bench: Workbench, environment: str, model: Model
) -> tuple[float, str]:
    """Losses to plan with: given, measured between repeats of one harness, or assumed.

    Simulated models are not measured: their arms share their luck, as no endpoint's arms do.
    """
    if form.loss_rate is not None:
        return form.loss_rate, "given"
    if not model.is_simulated and not model.is_deterministic:
        with bench.warehouse.read() as reader:
            [(tasks, share)] = reader.frame(_NOISE, [environment, model.name]).rows()
        if tasks >= MIN_MEASURED_TASKS:
            return float(share), f"measured between repeats of {tasks} stored tasks"
    return ASSUMED_LOSS_RATE, "assumed"


def _price(bench: Workbench, word: str) -> Price | None:
    kind, _, name = word.partition(":")
    endpoint = bench.settings.models.get(name) if kind == "openai" else None
    return endpoint.price if endpoint else None


def _advice(
    setup: _Setup, smallest: float | None, gains: Sequence[dict[str, Any]], asked_repeats: int
) -> list[str]:
    """What the tasks at hand cannot show, and what would help."""
    said: list[str] = []
    if setup.tokens is None:
        said.append("Tokens are unknown: no run of this model is stored for this environment.")
    elif setup.price is None:
        said.append("Cost is unknown: no price is set under [models.NAME.price].")
    if setup.is_deterministic and asked_repeats > 1:
        said.append("Repeats add nothing at temperature 0, so one run per arm is planned.")
    if smallest is None:
        said.append(f"{setup.pairs} pairs resolve no gain at all at this threshold and loss rate.")
    else:
        points = f"{100 * smallest:.1f} points"
        said.append(f"The smallest gain that {setup.pairs} pairs resolve is {points}.")
    for row in gains:
        if not row["is_resolvable"]:
            said.append(_remedy(setup, smallest, row))
    return said


def _remedy(setup: _Setup, smallest: float | None, row: dict[str, Any]) -> str:
    gain, pairs = row["gain"], row["pairs"]
    options: list[str] = []
    if pairs is None:
        options.append(f"more than {MOST_PAIRS} tasks")
    else:
        there = " (--tasks)" if pairs <= setup.available else f" (there are {setup.available})"
        options.append(f"{pairs} tasks{there}")
    if smallest is not None and smallest <= 1:
        options.append(f"a bundle of {ceil(smallest / gain - 1e-9)} such edits")
    options += [
        text
        for text in (_with_repeats(setup, gain), _with_one_slot(setup, gain))
        if text is not None
    ]
    head = f"+{100 * gain:g} points are not resolved by {setup.pairs} pairs"
    return f"{head} (power {row['power_here']:.2f}); it takes {', or '.join(options)}."


def _with_repeats(setup: _Setup, gain: float) -> str | None:
    repeats = max(MORE_REPEATS, setup.repeats + 2)
    rates = rates_of(gain, setup.loss_rate, repeats)
    if setup.is_deterministic or rates is None:
        return None
    pairs = pairs_needed(rates, setup.settings.threshold)
    if pairs is None:
        return None
    return f"{pairs} tasks with --repeats {repeats}, if the gain is spread over the tasks"


def _with_one_slot(setup: _Setup, gain: float) -> str | None:
    rates = rates_of(gain, setup.loss_rate, setup.repeats)
    if setup.settings.slots == 1 or rates is None:
        return None
    pairs = pairs_needed(rates, GateSettings(slots=1).threshold)
    return None if pairs is None else f"{pairs} tasks with --slots 1"
