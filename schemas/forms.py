"""What a user fills in to start a flow; each model becomes a form in the Prefect UI."""

from collections.abc import Mapping
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from schemas.errors import ConfigError
from schemas.fields import Objective, Split


class Form(BaseModel):
    """Base of flow parameters: complete defaults, no unknown fields, validated in code."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


F = TypeVar("F", bound=Form)
LOOPS = "tool_call, react, plan_execute or reflexion."


def read_form(form: type[F], values: Mapping[str, Any]) -> F:
    """Check what a user filled in.

    Raises:
        ConfigError: the first value that cannot be used, in one line.
    """
    try:
        return form.model_validate(dict(values))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        # An item of a list has a place as well, which no option has.
        parts = [part for part in first["loc"] if isinstance(part, str)]
        name = ".".join(parts).replace("_", "-")
        given = f"got {str(first['input'])[:100]!r}"
        if first["type"] == "string_pattern_mismatch":
            # A pattern is for programs; the description says the same to people.
            hint = form.model_fields[str(first["loc"][0])].description or ""
            what = f"--{name} is not understood; {given}"
            raise ConfigError(what, hint=hint) from None
        what = f"--{name}: {first['msg']}; {given}"
        raise ConfigError(what) from None


def max_usd_field() -> Any:
    """Cap of a run in dollars."""
    return Field(
        default=0.0,
        title="Most US dollars",
        description="The run stops before it would spend more on models; 0 takes the settings.",
        ge=0,
    )


def max_tokens_field() -> Any:
    """Cap of a run in tokens."""
    return Field(
        default=0,
        title="Most tokens",
        description="The same in tokens, sent and written together.",
        ge=0,
    )


def record_field() -> Any:
    """File that a run's replies are recorded into."""
    return Field(
        default="", title="Record to", description="File that takes every reply of the model."
    )


def concurrency_field() -> Any:
    """Episodes a run plays side by side."""
    return Field(
        default=0,
        title="Episodes side by side",
        description="0 takes the settings.",
        ge=0,
        le=1024,
    )


LIMITS = frozenset({"max_usd", "max_tokens", "concurrency"})
"""Fields that bound a run."""
NO_RESULT = LIMITS | {"record"}
"""Fields of a form that change no result, and so are in no id."""


class CycleForm(Form):
    """One evolution cycle. All but `NO_RESULT` changes results and is part of the cycle id."""

    environment: str = Field(
        default="sqldesk",
        title="Environment",
        description="World: sqldesk, household, orderdesk, webshop (sqldesk?steps=8 sets the step "
        "budget) or package.module:factory.",
    )
    model: str = Field(
        default="simulated:weak",
        title="Model",
        description="Frozen model: simulated:weak|mid|strong, openai:NAME, replay:FILE.",
    )
    agent: str = Field(
        default="",
        title="Agent",
        description="command:TEMPLATE: your own program around the model; empty: our loop.",
    )
    loop: str = Field(default="tool_call", title="Agent loop", description=LOOPS)
    reference: str = Field(
        default="simulated:strong",
        title="Reference model",
        description="Model whose gain the benefit is measured against.",
    )
    editor: str = Field(
        default="rules",
        title="Editor",
        description="rules, openai:NAME, command:TEMPLATE, prompt:NAME; null, harmful and random "
        "test the gate.",
    )
    harness: str = Field(
        default="seed",
        title="Base harness",
        description="seed, evolved, a name such as current, or a harness id.",
    )
    objective: Objective = Field(
        default="success",
        title="Objective",
        description="What wins a pair of the gate: success, or the share of executable actions, "
        "for models that solve next to nothing. Guards ask success either way.",
    )
    seed: int = Field(default=7, title="Seed", ge=0, le=2**31 - 1)
    rounds: int = Field(default=3, title="Most edit rounds", ge=0, le=20)
    patience: int = Field(
        default=1,
        title="Rounds without a commit",
        description="So many rounds in a row that commit nothing end the editing.",
        ge=1,
        le=20,
    )
    most_rollouts: int = Field(
        default=0,
        title="Most rollouts",
        description="No round starts once the cycle has used so many to evolve; 0 sets no limit.",
        ge=0,
    )
    slots: int = Field(
        default=6,
        title="Slots",
        description="Paired trials a cycle may start; the e-value needed is 20 times this.",
        ge=1,
        le=100,
    )
    tasks: int = Field(
        default=0,
        title="Tasks per split",
        description="First N tasks of each split, families equal; 0 takes all.",
        ge=0,
    )
    repeats: int = Field(
        default=1,
        title="Repeats",
        description="Rollouts per arm and task; more than 1 needs a temperature above 0.",
        ge=1,
        le=16,
    )
    exposures: int = Field(
        default=32,
        title="Exposure forks",
        description="Train runs a round may go on with under an edit, to rank edits and refuse "
        "harmful ones; 0 leaves this out.",
        ge=0,
        le=10_000,
    )
    approval: Literal["none", "required"] = Field(
        default="none",
        title="Approval",
        description="required pauses the run before a round's edits come into force.",
    )
    approval_timeout_s: int = Field(
        default=86_400,
        title="Seconds to wait for approval",
        description="Edits that nobody approves in this time are rejected.",
        ge=10,
        le=30 * 86_400,
    )
    record: str = record_field()
    max_usd: float = max_usd_field()
    max_tokens: int = max_tokens_field()
    concurrency: int = concurrency_field()

    @property
    def words(self) -> tuple[str, ...]:
        """Models and editors that are asked."""
        return (self.model, self.reference, self.editor)


class CollectForm(Form):
    """Run episodes and land them."""

    environment: str = Field(default="sqldesk", title="Environment")
    model: str = Field(default="simulated:weak", title="Model")
    agent: str = Field(default="", title="Agent", description="command:TEMPLATE, or empty.")
    loop: str = Field(default="tool_call", title="Agent loop", description=LOOPS)
    harness: str = Field(default="seed", title="Harness")
    split: Split = Field(default="train", title="Split")
    seed: int = Field(default=7, title="Seed", ge=0, le=2**31 - 1)
    tasks: int = Field(default=0, title="Tasks", ge=0)
    repeats: int = Field(default=1, title="Repeats", ge=1, le=16)
    record: str = record_field()
    max_usd: float = max_usd_field()
    max_tokens: int = max_tokens_field()
    concurrency: int = concurrency_field()

    @property
    def words(self) -> tuple[str, ...]:
        """Models and editors that are asked."""
        return (self.model,)


class ImportedEvolutionForm(Form):
    """Edits from imported failures, gated by replay alone: there is no live world to try in."""

    environment: str = Field(
        default="", title="Environment", description="One imported environment; empty takes all."
    )
    candidate: str = Field(
        default="", title="Candidate folder", description="A harness of your own to gate as well."
    )
    seed: int = Field(default=7, title="Seed", ge=0, le=2**31 - 1)


class DiagnoseForm(Form):
    """Why a model does not benefit from the harness of a finished cycle."""

    cycle_id: str = Field(default="", title="Cycle", description="Empty takes the newest.")


class SynthesizeForm(Form):
    """Training examples for the benefit gaps of a cycle."""

    cycle_id: str = Field(default="", title="Cycle", description="Empty takes the newest.")


class ArmsForm(Form):
    """What else a finished cycle's rollouts would have bought."""

    cycle_id: str = Field(
        default="", title="Cycle", description="A finished cycle; empty takes the newest."
    )
    arms: list[Literal["sampling", "random", "prompt"]] = Field(
        default=["sampling", "random"],
        title="Arms",
        description="sampling tries sealed tasks again and again; random and prompt are editors.",
    )
