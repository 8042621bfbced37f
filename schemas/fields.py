"""Building blocks of row models: the `Row` base, closed vocabularies and constrained types."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from schemas.ids import finite_json


class Row(BaseModel):
    """One row of a table: frozen, no unknown fields, finite numbers, meaning under each field."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False
    )


class JsonColumn:
    """Marks a text column that holds canonical JSON."""


def _require_utc(value: datetime) -> datetime:
    if value.tzinfo is None or value.utcoffset() is None:
        message = "time stamps carry a zone; use datetime.now(UTC)"
        raise ValueError(message)
    return value


JsonText = Annotated[str, AfterValidator(finite_json), JsonColumn()]
Timestamp = Annotated[datetime, AfterValidator(_require_utc)]
UnitInterval = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
NonNegative = Annotated[float, Field(ge=0)]


def _id_type(prefix: str) -> StringConstraints:
    return StringConstraints(pattern=rf"^{prefix}_[0-9a-f]{{16}}$")


TrajectoryId = Annotated[str, _id_type("traj")]
HarnessId = Annotated[str, _id_type("harn")]
ArtifactId = Annotated[str, _id_type("art")]
EditId = Annotated[str, _id_type("edit")]
CycleId = Annotated[str, _id_type("cyc")]
PatternId = Annotated[str, _id_type("pat")]
TrialId = Annotated[str, _id_type("trial")]
PromptId = Annotated[str, _id_type("prm")]
CallId = Annotated[str, _id_type("call")]
SnapshotId = Annotated[str, _id_type("snap")]
PointId = Annotated[str, _id_type("dp")]
ExampleId = Annotated[str, _id_type("ex")]

Split = Literal["train", "select", "sealed"]
Outcome = Literal["success", "failure", "unknown"]
Termination = Literal[
    "finished",
    "user_stop",
    "rule_stop",
    "budget",
    "too_many_errors",
    "context_overflow",
    "timeout",
    "agent_error",
    "user_error",
    "fault",
    "unknown",
]
Layer = Literal["contract", "skills", "actions", "regulation"]
LAYERS: tuple[Layer, ...] = ("contract", "skills", "actions", "regulation")
InterventionKind = Literal[
    "inject", "load", "rescue", "rewrite", "block", "hint", "force", "stop", "constrain"
]
Category = Literal[
    "not_attributable",
    "action_realization",
    "environment_contract",
    "trajectory_degeneration",
    "residual_reasoning",
]
Bullet = Literal["NA", "AR1", "AR2", "AR3", "EC1", "EC2", "EC3", "TD1", "TD2", "TD3", "RR"]
LabelSource = Annotated[str, StringConstraints(pattern=r"^(rules|human|judge:model_[0-9a-f]{16})$")]
Verdict = Literal["accepted", "rejected", "undecided"]
Reason = Literal[
    "evidence",
    "static",
    "duplicate",
    "inert",
    "false_fire",
    "regression",
    "token_budget",
    "leak",
    "insufficient_evidence",
    "futile",
    "no_slot",
    "no_live_world",
]
Objective = Literal["success", "executable"]
GapType = Literal["activation", "following"]

VOLATILE_FIELDS = frozenset({"created_at", "started_at", "ended_at", "latency", "host"})


def is_volatile(field: str) -> bool:
    """Tell whether a field stays outside content hashes and equality checks."""
    return field in VOLATILE_FIELDS or field.endswith("_s")
