"""Forms of evaluations: a grid of given harnesses, editors by models, transfer from a model."""

from typing import Annotated, Literal

from pydantic import Field

from schemas.forms import (
    LIMITS,
    LOOPS,
    CycleForm,
    Form,
    concurrency_field,
    max_tokens_field,
    max_usd_field,
)

TRIALS = "Runs of each task; 1 where a model always replies alike."
Words = Annotated[list[str], Field(min_length=1)]
LayerStudy = Literal["leave-one-out", "add-one-in"]


class EvaluateForm(Form):
    """Success of every model in every harness, world and loop, compared in pairs."""

    environments: Words = Field(default=["sqldesk"], title="Environments")
    models: Words = Field(default=["simulated:weak"], title="Models")
    agent: str = Field(default="", title="Agent", description="command:TEMPLATE, or empty.")
    loops: Words = Field(default=["tool_call"], title="Agent loops", description=LOOPS)
    harnesses: Words = Field(
        default=["current"],
        title="Harnesses",
        description="seed, evolved, a name such as current, or an id; the first is compared with.",
    )
    split: Literal["train", "select", "sealed", "all"] = Field(
        default="select", title="Split", description="gold and noop always run on all splits."
    )
    without: Literal["", "contract", "skills", "actions", "regulation"] = Field(
        default="", title="Without layer", description="Also run without this layer, paired."
    )
    layers: list[LayerStudy] = Field(
        default_factory=list[LayerStudy],
        title="Layers",
        description="leave-one-out takes out each layer in turn; add-one-in tries each alone.",
    )
    source: str = Field(
        default="",
        title="Source model",
        description="One of the models; the others' gain is set against its gain.",
    )
    seed: int = Field(default=7, title="Seed", ge=0, le=2**31 - 1)
    tasks: int = Field(default=0, title="Tasks per split", ge=0)
    trials: int = Field(default=1, title="Trials", description=TRIALS, ge=1, le=16)
    max_usd: float = max_usd_field()
    max_tokens: int = max_tokens_field()
    concurrency: int = concurrency_field()

    @property
    def words(self) -> tuple[str, ...]:
        """Models and editors that are asked."""
        return tuple(self.models)


class EvolvedForm(Form):
    """What the cycles of an evaluation have in common."""

    environment: str = Field(default="sqldesk", title="Environment")
    loop: str = Field(default="tool_call", title="Agent loop", description=LOOPS)
    harness: str = Field(default="seed", title="Base harness")
    split: Literal["select", "sealed"] = Field(
        default="sealed",
        title="Split",
        description="Edits are chosen on select, so only sealed is fresh.",
    )
    seed: int = Field(default=7, title="Seed", ge=0, le=2**31 - 1)
    rounds: int = Field(default=3, title="Most edit rounds", ge=0, le=20)
    slots: int = Field(default=6, title="Slots", ge=1, le=100)
    tasks: int = Field(default=0, title="Tasks per split", ge=0)
    trials: int = Field(default=1, title="Trials", description=TRIALS, ge=1, le=16)
    max_usd: float = max_usd_field()
    max_tokens: int = max_tokens_field()
    concurrency: int = concurrency_field()

    def cycle(self, model: str, editor: str) -> CycleForm:
        """The cycle that evolves the base harness on a model with an editor."""
        shared = ("environment", "loop", "harness", "seed", "rounds", "slots", "tasks", *LIMITS)
        values = {name: getattr(self, name) for name in shared}
        values |= {"model": model, "editor": editor, "repeats": self.trials}
        return CycleForm.model_validate(values)


class EditorsForm(EvolvedForm):
    """Every editor evolves the harness of every model: who updates well, who benefits."""

    editors: Words = Field(default=["rules", "null"], title="Editors")
    models: Words = Field(default=["simulated:weak", "simulated:mid"], title="Models")

    @property
    def words(self) -> tuple[str, ...]:
        """Models and editors that are asked."""
        return (*self.models, *self.editors)


class TransferForm(EvolvedForm):
    """Evolve on one model, freeze the harness, run the others in it."""

    source: str = Field(default="simulated:weak", title="Source model")
    models: Words = Field(default=["simulated:mid", "simulated:strong"], title="Other models")
    editor: str = Field(default="rules", title="Editor")

    @property
    def words(self) -> tuple[str, ...]:
        """Models and editors that are asked."""
        return (self.source, *self.models, self.editor)
