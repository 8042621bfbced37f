"""The registry of all tables: name, row model, key, group. Everything else is derived."""

from dataclasses import dataclass
from typing import Literal

from schemas import (
    acceptance,
    arms,
    benefit,
    data,
    editors,
    evaluation,
    failures,
    gate,
    harness,
    notes,
    releases,
    runs,
    traffic,
    trajectories,
)
from schemas.fields import Row, is_volatile

Group = Literal["runs", "trajectories", "failures", "harness", "gate", "benefit", "data"]


@dataclass(frozen=True)
class Table:
    """One table of the warehouse.

    Attributes:
        name: table name.
        row: row model; its docstrings become comments.
        key: primary key columns.
        group: chapter of the data dictionary.
        in_digest: whether `tackroom doctor --digest` covers it.
    """

    name: str
    row: type[Row]
    key: tuple[str, ...]
    group: Group
    in_digest: bool = True

    @property
    def columns(self) -> tuple[str, ...]:
        """Column names in order."""
        return tuple(self.row.model_fields)

    @property
    def stable_columns(self) -> tuple[str, ...]:
        """Columns that two runs of the same work must agree on."""
        return tuple(name for name in self.columns if not is_volatile(name))


_TABLES = (
    Table("cycles", runs.CycleRow, ("cycle_id",), "runs"),
    Table(
        "stage_events",
        runs.StageEventRow,
        ("cycle_id", "stage", "state", "created_at"),
        "runs",
        in_digest=False,
    ),
    Table(
        "cycle_trajectories",
        runs.CycleTrajectoryRow,
        ("cycle_id", "trajectory_id", "purpose"),
        "runs",
    ),
    Table(
        "validation_results",
        runs.ValidationResultRow,
        ("batch_id", "table_name", "check_name"),
        "runs",
        in_digest=False,
    ),
    Table("quarantine", runs.QuarantineRow, ("quarantine_id",), "runs", in_digest=False),
    Table("schema_migrations", runs.SchemaMigrationRow, ("version",), "runs", in_digest=False),
    Table("tasks", trajectories.TaskRow, ("task_id", "environment_fingerprint"), "trajectories"),
    Table("trajectories", trajectories.TrajectoryRow, ("trajectory_id",), "trajectories"),
    Table(
        "trajectory_sources",
        trajectories.TrajectorySourceRow,
        ("trajectory_id", "source_file", "source_index", "raw_sha256"),
        "trajectories",
    ),
    Table(
        "verdicts",
        trajectories.VerdictRow,
        ("trajectory_id", "source"),
        "trajectories",
    ),
    Table("steps", trajectories.StepRow, ("trajectory_id", "step_index"), "trajectories"),
    Table("tool_calls", trajectories.ToolCallRow, ("tool_call_id",), "trajectories"),
    Table(
        "interventions",
        trajectories.InterventionRow,
        ("trajectory_id", "step_index", "ordinal"),
        "trajectories",
    ),
    Table("agent_notes", notes.AgentNoteRow, ("trajectory_id", "ordinal"), "trajectories"),
    Table("prompts", trajectories.PromptRow, ("prompt_id",), "trajectories"),
    Table("snapshots", trajectories.SnapshotRow, ("snapshot_id",), "trajectories"),
    Table("import_reports", trajectories.ImportReportRow, ("import_id",), "trajectories"),
    Table("traffic_sessions", traffic.TrafficSessionRow, ("trajectory_id",), "trajectories"),
    Table(
        "rule_hits",
        failures.RuleHitRow,
        ("trajectory_id", "taxonomy_version", "rule", "signature"),
        "failures",
    ),
    Table(
        "failure_labels",
        failures.FailureLabelRow,
        ("trajectory_id", "taxonomy_version", "source"),
        "failures",
    ),
    Table("failure_patterns", failures.FailurePatternRow, ("pattern_id",), "failures"),
    Table("harness_versions", harness.HarnessVersionRow, ("harness_id",), "harness"),
    Table("harness_files", harness.HarnessFileRow, ("harness_id", "path"), "harness"),
    Table(
        "harness_artifacts", harness.HarnessArtifactRow, ("harness_id", "artifact_id"), "harness"
    ),
    Table("harness_names", harness.HarnessNameRow, ("environment", "name", "ordinal"), "harness"),
    Table("harness_states", releases.HarnessStateRow, ("environment", "ordinal"), "harness"),
    Table(
        "artifact_faults",
        harness.ArtifactFaultRow,
        ("trajectory_id", "step_index", "artifact_id"),
        "harness",
    ),
    Table("edits", harness.EditRow, ("edit_id",), "harness"),
    Table(
        "edit_predictions",
        harness.EditPredictionRow,
        ("edit_id", "task_id", "prediction", "forecaster"),
        "harness",
    ),
    Table("editor_sessions", editors.EditorSessionRow, ("session_id",), "harness"),
    Table("editor_messages", editors.EditorMessageRow, ("session_id", "message_index"), "harness"),
    Table("replay_checks", gate.ReplayCheckRow, ("edit_id", "artifact"), "gate"),
    Table(
        "exposure_trials",
        gate.ExposureTrialRow,
        ("edit_id", "source_trajectory_id", "repeat"),
        "gate",
    ),
    Table("paired_trials", gate.PairedTrialRow, ("trial_id", "task_id"), "gate"),
    Table("gate_decisions", gate.GateDecisionRow, ("edit_id",), "gate"),
    Table("approvals", acceptance.ApprovalRow, ("cycle_id", "round"), "gate"),
    Table(
        "gate_calibrations",
        gate.GateCalibrationRow,
        ("calibration_id", "rule", "effect"),
        "gate",
    ),
    Table("edit_follow_ups", acceptance.EditFollowUpRow, ("edit_id",), "gate"),
    Table("budget_arms", arms.BudgetArmRow, ("cycle_id", "arm"), "gate"),
    Table("production_verdicts", releases.ProductionVerdictRow, ("verdict_id",), "gate"),
    Table("evaluations", evaluation.EvaluationRow, ("evaluation_id",), "gate"),
    Table(
        "evaluation_contrasts",
        evaluation.EvaluationContrastRow,
        ("card_id", "contrast_id"),
        "gate",
    ),
    Table(
        "evaluation_summaries",
        evaluation.EvaluationSummaryRow,
        ("card_id", "kind", "axis", "member"),
        "gate",
    ),
    Table("evaluation_cards", evaluation.EvaluationCardRow, ("card_id",), "gate"),
    Table("benefit_rates", benefit.BenefitRateRow, ("cycle_id", "model", "reference"), "benefit"),
    Table("decision_points", benefit.DecisionPointRow, ("decision_point_id",), "benefit"),
    Table(
        "counterfactuals",
        benefit.CounterfactualRow,
        ("decision_point_id", "arm", "repeat"),
        "benefit",
    ),
    Table(
        "following_checks",
        benefit.FollowingCheckRow,
        ("trajectory_id", "artifact_id", "checkpoint"),
        "benefit",
    ),
    Table(
        "benefit_gaps",
        benefit.BenefitGapRow,
        ("cycle_id", "model", "family", "gap_type", "artifact_id"),
        "benefit",
    ),
    Table("training_examples", data.TrainingExampleRow, ("example_id",), "data"),
    Table("exports", data.ExportRow, ("export_id",), "data"),
)

TABLES: dict[str, Table] = {table.name: table for table in _TABLES}
TABLE_OF_ROW: dict[type[Row], Table] = {table.row: table for table in _TABLES}
