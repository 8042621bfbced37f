"""What one rollout takes: calls, tokens, seconds; from stored runs, else from the prompts."""

from dataclasses import dataclass
from statistics import fmean

from schemas.settings import EndpointSettings
from tasks.agent.protocols import Environment, Model, Task
from tasks.agent.run_limits import estimated_tokens
from tasks.harness import Harness
from tasks.workbench import Workbench

_STORED = """
SELECT count(*), quantile_cont(steps, [.05, .95]), avg(steps), max(steps),
       quantile_cont(prompt_tokens, [.05, .95]), avg(prompt_tokens), max(prompt_tokens),
       quantile_cont(completion_tokens, [.05, .95]), avg(completion_tokens), max(completion_tokens)
FROM trajectories
WHERE environment = ? AND model_fingerprint = ? AND arm = 'run' AND fault IS NULL
"""
_LATENCY = """
SELECT quantile_cont(s.latency_s, [.05, .95]), avg(s.latency_s)
FROM steps AS s JOIN trajectories AS t USING (trajectory_id)
WHERE t.environment = ? AND t.model_fingerprint = ? AND s.latency_s IS NOT NULL
"""
ENOUGH_RUNS = 5
"""Stored runs from which usage is taken."""
REPLY_TOKENS = (10.0, 80.0, 1024.0)
OBSERVATION_TOKENS = (10.0, 150.0, 1000.0)
LATENCY_S = (0.2, 2.0, 30.0)
"""Assumed where nothing is stored: least, likely, most."""


@dataclass(frozen=True)
class Span:
    """A quantity with its bounds."""

    lower: float
    likely: float
    upper: float

    def __add__(self, other: "Span") -> "Span":
        return Span(self.lower + other.lower, self.likely + other.likely, self.upper + other.upper)

    def __mul__(self, other: "Span") -> "Span":
        return Span(self.lower * other.lower, self.likely * other.likely, self.upper * other.upper)

    def scaled(self, factor: float) -> "Span":
        """The same in another unit."""
        return Span(self.lower * factor, self.likely * factor, self.upper * factor)


NOTHING = Span(0, 0, 0)


@dataclass(frozen=True)
class Usage:
    """What one rollout takes, and what that rests on.

    Attributes:
        latency: seconds of one call; null for models that answer at once.
    """

    calls: Span
    prompt: Span
    completion: Span
    latency: Span | None
    source: str


def rollout_usage(
    bench: Workbench,
    environment: Environment,
    model: Model,
    harness: Harness,
    tasks: tuple[Task, ...],
    endpoint: EndpointSettings | None,
) -> Usage:
    """Usage of one rollout of a model here."""
    key = [environment.name, model.fingerprint]
    with bench.warehouse.read() as reader:
        [row] = reader.frame(_STORED, key).rows()
        [delay] = reader.frame(_LATENCY, key).rows()
    latency = None
    if endpoint is not None:
        latency = Span(*LATENCY_S)
        if delay[1] is not None:
            latency = Span(delay[0][0], delay[1], max(delay[0][1], endpoint.limits.timeout_s / 10))
    if row[0] >= ENOUGH_RUNS and row[5] is not None and row[8] is not None:
        budget = environment.step_budget
        more = budget / max(1, row[3])
        return Usage(
            calls=Span(row[1][0], row[2], budget),
            prompt=Span(row[4][0], row[5], row[6] * more * more),
            completion=Span(row[7][0], row[8], row[9] * more),
            latency=latency,
            source=f"{row[0]} stored runs",
        )
    return _from_prompts(environment, harness, tasks, endpoint, latency)


def _from_prompts(
    environment: Environment,
    harness: Harness,
    tasks: tuple[Task, ...],
    endpoint: EndpointSettings | None,
    latency: Span | None,
) -> Usage:
    """Nothing is known of the model: half the budget is likely, all of it the most.

    Each call sends the opening and every turn before it.
    """
    tools = [str(tool.as_openai()) for tool in environment.tools]
    texts = [environment.system_prompt, *harness.files.values(), *tools]
    opening = estimated_tokens(texts) + fmean(estimated_tokens([task.text]) for task in tasks)
    budget = environment.step_budget
    calls = Span(1, max(1, budget / 2), budget)
    most = endpoint.sampling.max_tokens if endpoint else None
    reply = Span(REPLY_TOKENS[0], REPLY_TOKENS[1], most or REPLY_TOKENS[2])
    turn = reply + Span(*OBSERVATION_TOKENS)
    earlier = Span(*(n * (n - 1) / 2 for n in (calls.lower, calls.likely, calls.upper)))
    prompt = calls * Span(opening * 0.6, opening, opening * 1.5) + earlier * turn
    return Usage(calls, prompt, calls * reply, latency, "prompts and assumed replies")
