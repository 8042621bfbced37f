"""`evidence.json`: on what a harness was accepted, as it travels with an exported folder."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from schemas.fields import Layer

API = 1


class Part(BaseModel):
    """Base of the parts of a card: frozen, no unknown fields, finite numbers."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False
    )


class ParameterOutline(Part):
    """One parameter of a tool, nested ones by their path."""

    types: tuple[str, ...]
    """JSON types it may have, sorted; empty when the definition does not say."""
    required: bool
    """Whether it must be given where the object around it is given."""
    choices: tuple[str, ...] | None = None
    """Canonical JSON of the values it may have; null when the set is open, or has over 50."""


class ToolSeal(Part):
    """A tool as it was defined when the harness was accepted."""

    parameters_sha256: str
    """sha256 of the canonical JSON of its parameters."""
    description_sha256: str
    """sha256 of its description, hints of the harness left out."""
    parameters: dict[str, ParameterOutline]
    """Its parameters by path, such as `filter.from` or `rows[]`."""


class Score(Part):
    """Success on a split."""

    success: float | None
    """Share of tasks solved; null when none was judged."""
    lo: float | None
    """Lower end of its 95 % interval."""
    hi: float | None
    """Upper end."""
    tasks: int
    """Tasks judged."""


class AcceptedEdit(Part):
    """One edit that the harness holds."""

    edit_id: str
    """The edit."""
    editor: str
    """Who proposed it."""
    layer: Layer
    """Layer it changes."""
    artifact: str
    """Artifact it adds or changes."""
    kind: str
    """What sort of edit."""
    title: str
    """What it does, in one line."""


class Forecast(Part):
    """What the edits foretold of train tasks, and what came of it."""

    fixes: int
    """Fixes foretold by the editor, one for each edit and task."""
    risks: int
    """Regressions foretold by editor or replay."""
    observed_fixes: int
    """Foretold fixes whose task had failed and was run again."""
    realised_fixes: int
    """How many of them came true."""
    unpredicted_losses: int
    """Tasks lost that nobody had foretold."""
    verdicts: dict[str, int]
    """Edits by what their promises were worth: holds, falsified, unknown."""


class Acceptance(Part):
    """One paired trial that accepted edits of the harness."""

    cycle_id: str
    """Cycle."""
    round: int
    """Round of the cycle."""
    accepted_at: str
    """Date of the proposals (UTC)."""
    environment_fingerprint: str | None
    """Hash of generator, tasks and checker of the world; null when unknown."""
    split: Literal["select"]
    """Split whose tasks were paired."""
    model: str
    """Model that acted in both arms."""
    simulated: bool
    """Whether that is one of our simulated models."""
    tried_harness_id: str | None
    """Harness that the trial compared; edits that did nothing were taken out of it afterwards."""
    against_harness_id: str | None
    """Harness that was in force."""
    tasks: int
    """Tasks in the trial."""
    pairs: int
    """Valid pairs."""
    wins: int
    """Pairs won."""
    losses: int
    """Pairs lost."""
    ties: int
    """Pairs without a difference."""
    e_value: float | None
    """e-value reached."""
    threshold: float | None
    """e-value that was needed."""
    effect_points: float | None
    """Gain in success, in points."""
    effect_lo_points: float | None
    """Lower end of its 95 % interval."""
    effect_hi_points: float | None
    """Upper end."""
    regressions: int
    """Lost pairs that counted against the budget."""
    must_pass_lost: Literal[0]
    """Must-pass tasks lost; the gate accepts none."""
    forecast: Forecast
    """What was foretold, and what came of it."""
    sealed_base: Score | None
    """Sealed split, harness the cycle started from; null when it was not scored."""
    sealed_final: Score | None
    """Sealed split, this harness; null when this is not what the cycle ended with."""
    edits: tuple[AcceptedEdit, ...]
    """Accepted edits that it holds."""
    edits_left_out: int
    """Further edits, left out for length."""


class EvidenceCard(Part):
    """On what a harness was accepted."""

    api: Literal[1] = API
    """Version of this format."""
    harness_id: str
    """The harness."""
    environment: str
    """Environment it is written for."""
    status: Literal["accepted", "none"]
    """`none`: no edit that led to it was accepted, so there is no evidence."""
    note: str
    """What a reader must know, in a sentence or two."""
    simulated: bool
    """Whether any number here was made by a simulated model."""
    models: tuple[str, ...]
    """Models that acted."""
    cycle_ids: tuple[str, ...]
    """Cycles, the newest first."""
    accepted_at: str | None
    """Date of the newest acceptance (UTC)."""
    method: str
    """How evidence was weighed."""
    acceptances: tuple[Acceptance, ...]
    """Trials, the newest first, back to the harness that everything started from."""
    acceptances_left_out: int
    """Earlier trials, left out for length."""
    tools: dict[str, ToolSeal] | None
    """Tools at acceptance by name; null when no run tells them."""
