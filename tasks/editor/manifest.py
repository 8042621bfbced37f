"""Why an edit was made: evidence, cause, predictions, risks and what to watch."""

from pydantic import BaseModel, ConfigDict, Field

from schemas.fields import Layer

MAX_TOKEN_INCREASE = 0.5
"""No single edit may declare more than half an episode's tokens."""


class Evidence(BaseModel):
    """One place in a train episode that argues for the edit."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    trajectory_id: str = Field(max_length=64)
    step: int | None = None


class Manifest(BaseModel):
    """What an editor says about its edit; nothing in it is believed by the gate."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    evidence: tuple[Evidence, ...] = Field(default=(), max_length=50)
    root_cause: str = Field(default="", max_length=2000)
    layer: Layer | None = None
    """Layer it says it edits; null when the editor does not say."""
    predicted_fixes: tuple[str, ...] = Field(default=(), max_length=500)
    """Ids of tasks that are expected to pass."""
    predicted_risks: tuple[str, ...] = Field(default=(), max_length=500)
    """Ids of tasks that pass today and that the edit touches."""
    token_increase: float = Field(default=0, ge=0, le=MAX_TOKEN_INCREASE)
    """Share by which the edit raises the tokens of an episode, as far as it knows."""
    why_safe: str = Field(default="", max_length=2000)
    watch: str = Field(default="", max_length=2000)
    """Failure modes that the edit could bring."""
    pattern_id: str | None = Field(default=None, max_length=64)

    def to_json(self) -> str:
        """Render for the `edits` table."""
        return self.model_dump_json()
