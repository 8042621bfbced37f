"""Rows of evaluations: cells of a matrix, what differs between them, and the card of the whole."""

from typing import Literal

from schemas.fields import (
    Count,
    HarnessId,
    JsonText,
    NonNegative,
    Row,
    Split,
    Timestamp,
    UnitInterval,
)

Protocol = Literal["grid", "editors", "transfer"]
ContrastKind = Literal["harness", "loop", "without_layer", "with_layer", "all_layers", "editor"]
RelativeStatus = Literal["ok", "base_zero", "base_small", "unbounded", "too_few"]
RatioStatus = Literal["ok", "unbounded", "reference_harmed", "both_zero", "too_few"]


class EvaluationRow(Row):
    """Success of one model in one harness on one split: one cell of a matrix."""

    evaluation_id: str
    """Hash of everything that determines the numbers."""
    environment: str
    """Environment."""
    model: str
    """Model, with its loop where that is not `tool_call`."""
    harness_id: HarnessId
    """Harness."""
    split: Split
    """Split."""
    purpose: str
    """Why it was made, such as `baseline`, `final` or `evaluate`."""
    cycle_id: str | None
    """Cycle it belongs to; null for a single evaluation."""
    round: Count | None
    """Round after which it was made."""
    tasks: Count
    """Tasks scored; faults are left out."""
    successes: NonNegative
    """Sum of task means."""
    faults: Count
    """Episodes left out because infrastructure failed."""
    success: UnitInterval | None
    """Share of tasks solved; null when no task was scored."""
    success_lo: UnitInterval | None
    """Lower end of the 95 % Wilson interval over tasks."""
    success_hi: UnitInterval | None
    """Upper end of the 95 % Wilson interval over tasks."""
    mean_steps: NonNegative | None
    """Mean steps an episode."""
    mean_prompt_tokens: NonNegative | None
    """Mean prompt tokens an episode."""
    card_id: str | None = None
    """Evaluation card it belongs to; null for a score within a cycle."""
    loop: str = "tool_call"
    """Agent loop; `own` for a program of the user."""
    trials: Count = 1
    """Trials of each task."""
    pass_hat: JsonText = "{}"
    """Unbiased pass^k by k: the chance that k trials of a task all succeed. Null where some task
    has fewer judged trials, and where trials are no equals since the agent learns from them."""
    by_trial: JsonText = "[]"
    """Success in the first trial, the second, and so on."""
    mean_completion_tokens: NonNegative | None = None
    """Mean completion tokens an episode."""
    cost_usd: NonNegative | None = None
    """Price of all its episodes; null when an endpoint has none."""
    constrained: Count = 0
    """Episodes in which a decoder was held to a schema, which hides calls that cannot run."""
    executable: UnitInterval | None = None
    """Mean over tasks of the share of turns that became actions; null when no task was scored."""
    executable_lo: UnitInterval | None = None
    """Lower end of the 95 % Wilson interval over tasks."""
    executable_hi: UnitInterval | None = None
    """Upper end of the 95 % Wilson interval over tasks."""


class EvaluationContrastRow(Row):
    """Paired difference of two cells on the tasks judged in both."""

    card_id: str
    """Card it belongs to."""
    contrast_id: str
    """Hash of kind and both cells."""
    kind: ContrastKind
    """What differs: harness, loop, editor; `without_layer` is the whole harness against the same
    without a layer, `with_layer` one layer alone against none, `all_layers` all against none."""
    subject: str
    """Harness, loop, editor or layer that is tried."""
    environment: str
    """Environment."""
    model: str
    """Model, with its loop, that is tried."""
    loop: str
    """Agent loop that is tried."""
    split: Split
    """Split."""
    old_evaluation_id: str
    """Cell compared with."""
    new_evaluation_id: str
    """Cell that is tried."""
    pairs: Count
    """Tasks judged in both."""
    old_success: UnitInterval | None
    """Success of the old cell on them."""
    new_success: UnitInterval | None
    """Success of the new cell on them."""
    delta: float | None
    """Mean difference of success, new less old."""
    delta_lo: float | None
    """Lower end of its 95 % interval, bootstrapped over tasks."""
    delta_hi: float | None
    """Upper end of its 95 % interval."""
    delta_bound: float | None
    """One-sided 95 % lower bound of the difference: above 0 the layer or harness is needed."""
    wins: Count
    """Tasks the new cell does better."""
    losses: Count
    """Tasks it does worse."""
    ties: Count
    """Tasks without a difference."""
    p_value: UnitInterval
    """Exact one-sided McNemar test of wins against losses."""
    relative_gain: float | None
    """Difference over the old success; null where that is below 0.1."""
    relative_lo: float | None
    """Lower Fieller limit."""
    relative_hi: float | None
    """Upper Fieller limit."""
    relative_status: RelativeStatus
    """Why the relative gain or its limits are null."""
    transfer_ratio: float | None = None
    """Difference over that of the source model; null unless the source gains for sure."""
    transfer_lo: float | None = None
    """Lower Fieller limit."""
    transfer_hi: float | None = None
    """Upper Fieller limit."""
    transfer_status: RatioStatus | None = None
    """Why the transfer ratio is null; null itself without a source model."""
    seed: Count = 0
    """Seed of the bootstrap."""
    executable_delta: float | None = None
    """Mean difference of the share of executable actions on the tasks known in both."""
    executable_lo: float | None = None
    """Lower end of its 95 % interval, bootstrapped over tasks."""
    executable_hi: float | None = None
    """Upper end of its 95 % interval."""


class EvaluationSummaryRow(Row):
    """What the contrasts of one kind say together, over all cells or over those of one member."""

    card_id: str
    """Card it belongs to."""
    kind: ContrastKind
    """Kind of contrast."""
    axis: Literal["all", "environment", "model", "loop", "subject"]
    """Axis along which cells are taken together."""
    member: str
    """Value on that axis; empty for `all`. By `subject` editors give the update gain, by `model`
    the benefit."""
    cells: Count
    """Contrasts with a task judged in both cells."""
    improved: UnitInterval | None
    """Share of them with a difference above 0."""
    improved_lo: UnitInterval | None
    """Lower end of the 95 % Wilson interval over cells."""
    improved_hi: UnitInterval | None
    """Upper end of the 95 % Wilson interval over cells."""
    clear_gains: Count
    """Contrasts whose whole interval lies above 0."""
    clear_losses: Count
    """Contrasts whose whole interval lies below 0."""
    gain: float | None
    """Mean difference of success."""
    gain_lo: float | None
    """Lower end of its 95 % interval; tasks are drawn once for all cells that share them."""
    gain_hi: float | None
    """Upper end of its 95 % interval."""
    best_gain: float | None
    """Largest difference: what picking the best afterwards would claim, biased upwards."""
    relative_gain: float | None
    """Mean relative gain over the cells where it is defined."""
    relative_lo: float | None
    """Lower end of its 95 % interval."""
    relative_hi: float | None
    """Upper end of its 95 % interval."""
    relative_cells: Count
    """Cells it is defined in."""


class EvaluationCardRow(Row):
    """How an evaluation was made: everything a reader of its numbers should know."""

    card_id: str
    """Hash of the inputs and of the trajectories it rests on."""
    inputs_id: str
    """Hash of the inputs alone: by it an evaluation that is done is recognised."""
    protocol: Protocol
    """`grid` of given harnesses, `editors` by models, or `transfer` from a source model."""
    simulated: bool
    """Whether a simulated or built-in model made any of the numbers."""
    models: JsonText
    """Models with fingerprint, sampling, and whether they are simulated or deterministic."""
    harnesses: JsonText
    """Harnesses with environment and the word they were named by."""
    loops: JsonText
    """Agent loops."""
    pools: JsonText
    """Task pools: by environment and split the tasks there are, used, and held out."""
    step_budgets: JsonText
    """Most turns of an episode by environment."""
    noise: JsonText
    """Why equal runs may end differently, by environment; those where they cannot are left out."""
    trials: Count
    """Trials of each task; 1 where a model always replies alike."""
    seed: Count
    """Seed of episodes and of all draws."""
    source: str
    """Model that the transfer ratio is taken against; empty for none."""
    cycles: JsonText
    """Cycles that evolved the harnesses, by editor and model; empty for given harnesses."""
    cells: Count
    """Cells scored."""
    episodes: Count
    """Episodes they rest on."""
    faults: Count
    """Episodes left out because infrastructure failed; they are run again by the same command."""
    inputs: JsonText
    """All inputs as hashed."""
    release: str
    """Release that made it."""
    created_at: Timestamp
    """When (UTC)."""
