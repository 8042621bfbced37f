"""Forms about stored trajectories: import, labels, how far these agree, export."""

from typing import Literal

from pydantic import Field

from schemas.forms import Form, concurrency_field, max_tokens_field, max_usd_field


class ImportForm(Form):
    """Read recorded trajectories from files."""

    paths: list[str] = Field(
        default_factory=list[str], title="Files", description="Files or folders on the server."
    )
    model: str = Field(default="", title="Model", description="Model, where the file names none.")
    pair_tasks_by_index: bool = Field(
        default=False,
        title="Pair tasks by position",
        description="For files whose episodes name no task and hold as many tasks as episodes.",
    )
    source_format: str = Field(
        default="", title="Format", description="Name of the format; empty goes by the content."
    )
    labels: str = Field(
        default="",
        title="Verdicts",
        description="CSV, JSON lines or a SWE-bench report with verdicts on the episodes.",
    )
    verdict_field: str = Field(
        default="",
        title="Verdict field",
        description="Member of an episode that holds its verdict, where its format has none.",
    )
    redact: bool = Field(
        default=True, title="Redact secrets", description="Replace secrets before storing."
    )


class AnnotateForm(Form):
    """Label failed trajectories by rule priority."""

    environment: str = Field(
        default="", title="Environment", description="Only this environment; empty takes all."
    )
    protocol: Literal["decisive", "paper"] = Field(
        default="decisive",
        title="Protocol",
        description="paper counts every hit; decisive only those the failure hangs on.",
    )
    use_gold: bool = Field(
        default=True,
        title="Use gold",
        description="Let rules and judge read expected actions and check results.",
    )
    judge: str = Field(
        default="",
        title="Judge",
        description="openai:NAME labels as well, independently; empty asks nobody.",
        pattern=r"^(openai:.+)?$",
    )
    max_usd: float = max_usd_field()
    max_tokens: int = max_tokens_field()
    concurrency: int = concurrency_field()

    @property
    def words(self) -> tuple[str, ...]:
        """Models that are asked."""
        return (self.judge,) if self.judge else ()


class AgreementForm(Form):
    """How far two sources of labels agree."""

    reference: str = Field(
        default="",
        title="Reference labels",
        description="CSV or JSON lines with key, category, bullet, step; empty compares the rules "
        "with a judge.",
    )
    source: str = Field(
        default="rules",
        title="Source",
        description="rules, human, or judge where there is one; else its full name.",
    )
    version: str = Field(
        default="1.0", title="Taxonomy version", description="Such as 1.0, 1.0-no-gold, 1.0-paper."
    )
    seed: int = Field(default=7, title="Seed", ge=0, le=2**31 - 1)


class TrajectoryExportForm(Form):
    """Stored trajectories in a format that other tools read."""

    format: Literal["chat", "atif", "inspect"] = Field(default="chat", title="Format")
    out: str = Field(
        default="", title="Folder", description="Empty takes `exports` of the data folder."
    )
    environment: str = Field(
        default="", title="Environment", description="Only this environment; empty takes all."
    )
    split: Literal["", "train", "select", "sealed"] = Field(
        default="", title="Split", description="Only this split; empty takes all."
    )
