"""What a user fills in for the commands about the gate itself; they have no Prefect form."""

from pydantic import Field

from schemas.forms import Form


class PlanForm(Form):
    """What a paired trial will need, before any rollout."""

    environment: str = Field(default="sqldesk", title="Environment")
    model: str = Field(default="simulated:weak", title="Model")
    tasks: int = Field(default=0, title="Tasks", ge=0)
    slots: int = Field(default=6, title="Slots", ge=1, le=100)
    repeats: int = Field(default=1, title="Repeats", ge=1, le=16)
    loss_rate: float | None = Field(
        default=None,
        title="Loss rate",
        description="Share of pairs that a useful edit loses; empty takes what is known.",
        ge=0,
        le=0.5,
    )


class CalibrateForm(Form):
    """How often the gate is wrong, measured on runs of one unchanged agent."""

    environment: str = Field(default="sqldesk", title="Environment")
    model: str = Field(default="simulated:mid", title="Model")
    temperature: float | None = Field(
        default=None, title="Temperature", description="Of a simulated model.", gt=0, le=2
    )
    harness: str = Field(default="seed", title="Harness")
    recorded: str = Field(
        default="", title="Recorded trials", description="CSV file with task_id, trial, reward."
    )
    tasks: int = Field(default=120, title="Pairs", ge=0)
    repeats: int = Field(
        default=0, title="Repeats", description="Runs per arm; 0 takes the default.", ge=0, le=16
    )
    slots: int = Field(default=6, title="Slots", ge=1, le=100)
    bank: int = Field(
        default=8, title="Runs per task", description="Collected once, then resampled.", ge=2, le=64
    )
    candidates: int = Field(default=500, title="Useless candidates", ge=1, le=100_000)
    planted: int = Field(default=200, title="Candidates per planted effect", ge=1, le=100_000)
    gain: float = Field(default=0.2, title="Planted gain", gt=0, le=1)
    loss_rate: float | None = Field(default=None, title="Planted losses", ge=0, le=1)
    rival_tasks: int = Field(
        default=15, title="Tasks a rival reads", description="On recorded trials.", ge=2, le=10_000
    )
    seed: int = Field(default=7, title="Seed", ge=0, le=2**31 - 1)


class ForecastForm(Form):
    """How well forecasts of edits come true."""

    environment: str = Field(
        default="", title="Environment", description="Empty takes both embedded worlds."
    )
    model: str = Field(default="simulated:mid", title="Model")
    harness: str = Field(default="seed", title="Harness")
    edits: int = Field(
        default=48,
        title="Edits",
        description="Edits planted and run in full; 0 scores only what is stored.",
        ge=0,
        le=1000,
    )
    tasks: int = Field(default=0, title="Train tasks", ge=0)
    seed: int = Field(default=7, title="Seed", ge=0, le=2**31 - 1)
