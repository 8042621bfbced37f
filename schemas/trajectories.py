"""Rows that record what happened: tasks, trajectories, steps, calls, interventions, imports."""

from typing import Literal

from schemas.fields import (
    ArtifactId,
    CallId,
    Count,
    HarnessId,
    InterventionKind,
    JsonText,
    Layer,
    NonNegative,
    Outcome,
    PromptId,
    Row,
    SnapshotId,
    Split,
    Termination,
    Timestamp,
    TrajectoryId,
)


class TaskRow(Row):
    """One problem of an environment."""

    environment: str
    """Name of the environment the task belongs to."""
    task_id: str
    """`environment/family/number`; `environment/unknown/...` when a source did not say."""
    family: str
    """Group of tasks of one kind inside the environment."""
    split: Split
    """What the task may be used for: train, select or sealed."""
    text: str
    """What the agent is told to do; empty when a source did not say."""
    environment_fingerprint: str
    """Hash of generator, tasks and checker that the task comes from."""


class TrajectoryRow(Row):
    """One episode of (environment, task, model, harness, seed); belongs to no cycle."""

    trajectory_id: TrajectoryId
    """Hash of everything that determines the episode; cycle and candidate are not in it."""
    environment: str
    """Name of the environment."""
    environment_fingerprint: str
    """Hash of generator, tasks and checker; for imports, the source format and its version."""
    family: str
    """Task family."""
    task_id: str
    """Task that was attempted."""
    split: Split
    """Split of the task."""
    model: str
    """Name of the model that acted, as the user wrote it."""
    model_fingerprint: str
    """Endpoint, served model, template and sampling, as far as they change results."""
    harness_id: HarnessId
    """Harness the model ran in; imports carry the empty seed harness of their environment."""
    seed: int
    """Seed of the episode."""
    repeat: Count
    """Which repetition of the same episode this is; 0 at temperature 0."""
    arm: str
    """`run`, or `fork:<trajectory>:<step>:<name>` for a fork."""
    origin: Literal["rollout", "import", "traffic"]
    """Whether we ran the episode, read it from a file, or it passed the runtime."""
    outcome: Outcome
    """What the checker said; never mixed up with how the episode ended."""
    outcome_rule: str
    """Which rule turned the source's verdict into the outcome."""
    termination: Termination
    """How the episode ended."""
    termination_raw: str | None = None
    """The source's own word for how it ended."""
    fault: str | None = None
    """Infrastructure failure that ended the episode; such episodes are never labelled."""
    reward: float | None = None
    """Reward as the checker gave it, unclamped."""
    reward_parts: JsonText = "{}"
    """Parts of the verdict, such as per-check results."""
    steps: Count
    """Steps taken by the agent (model calls)."""
    budget: Count | None = None
    """Most steps the episode was allowed; null when unknown."""
    prompt_tokens: Count | None = None
    """Tokens sent to the model; null when unknown."""
    completion_tokens: Count | None = None
    """Tokens the model wrote; null when unknown."""
    cost_usd: NonNegative | None = None
    """Price of the model calls in US dollars; null when unknown."""
    user_prompt_tokens: Count | None = None
    """Tokens sent to a model that plays the user; null where none does, or when unknown."""
    user_completion_tokens: Count | None = None
    """Tokens such a model wrote; null where none does, or when unknown."""
    user_cost_usd: NonNegative | None = None
    """Price of its calls in US dollars; null where none plays the user, or when unknown."""
    system_prompt_id: PromptId | None = None
    """System text the model saw, in `prompts`."""
    task_prompt_id: PromptId | None = None
    """Task text the model saw, in `prompts`."""
    tools_prompt_id: PromptId | None = None
    """Tool definitions the model saw as JSON, in `prompts`; null when unknown."""
    lost_evidence: JsonText = "[]"
    """Kinds of evidence the source format cannot hold, such as `arguments_raw`."""
    transcript_sha256: str
    """Hash over everything the model said and saw; equal transcripts are one observation."""
    created_at: Timestamp
    """When the row was made (UTC)."""


class TrajectorySourceRow(Row):
    """A place an imported episode was found at."""

    trajectory_id: TrajectoryId
    """The imported trajectory."""
    source_file: str
    """File name as the user gave it, without the folder."""
    source_index: Count
    """Position of the episode in the file, from 0."""
    raw_sha256: str
    """Hash of the episode's canonical JSON after redaction."""
    source_format: str
    """Format the file was read as."""
    native_id: str | None = None
    """The source's own id of the episode: a session, trace, instance or trial."""
    parent_native_id: str | None = None
    """Native id of the episode that started this one, where an agent started another."""


class VerdictRow(Row):
    """A verdict that came later than the episode, such as a label file."""

    trajectory_id: TrajectoryId
    """The trajectory judged."""
    source: str
    """Who judged: a file name, `production`, a person."""
    outcome: Outcome
    """What was said."""
    reward: float | None = None
    """Reward that came with it."""
    disputed: bool = False
    """Whether somebody doubts this verdict."""


class StepRow(Row):
    """One message or agent turn of a trajectory."""

    trajectory_id: TrajectoryId
    """The trajectory."""
    step_index: Count
    """Position from 0: the agent turn of a rollout, the message of an imported episode."""
    role: Literal["system", "user", "assistant", "tool", "environment"]
    """Who spoke."""
    text: str | None = None
    """What was said, exactly as written."""
    reasoning: str | None = None
    """Reasoning the model gave apart from its text."""
    observation: str | None = None
    """What came back to the agent after this turn, hints included."""
    forced: bool = False
    """Whether a regulation rule replaced the model call."""
    admissible: JsonText | None = None
    """Commands the environment offered before the turn; null when it offers none."""
    state_hash_before: str | None = None
    """Hash of the environment's state before the turn."""
    state_hash_after: str | None = None
    """Hash of the environment's state after the turn."""
    finish_reason: str | None = None
    """Why the model stopped, in the endpoint's words."""
    prompt_tokens: Count | None = None
    """Tokens sent for this turn."""
    completion_tokens: Count | None = None
    """Tokens written in this turn."""
    latency_s: NonNegative | None = None
    """Seconds the model took."""
    served_model: str | None = None
    """Model that answered, in the endpoint's words."""
    system_fingerprint: str | None = None
    """What the endpoint says of the system behind it."""
    logprobs: JsonText | None = None
    """Written tokens with their log-probabilities, `[[token, logprob], …]`; null when not asked for
    or not offered."""
    native_id: str | None = None
    """The source's own id of the message."""
    copied: bool = False
    """Whether the source says that it did not happen here: copied context, resumed history or a
    demonstration. Such steps are never counted, labelled or trained on, and have no tool calls."""


class ToolCallRow(Row):
    """One tool call: what the model asked for, what was executed, what came back."""

    tool_call_id: CallId
    """Hash of trajectory, step and position."""
    trajectory_id: TrajectoryId
    """The trajectory."""
    step_index: Count
    """Step that made the call."""
    call_index: Count
    """Position among the calls of the step, from 0."""
    requestor: Literal["assistant", "user"] = "assistant"
    """Who called; some simulated users call tools too."""
    tool: str
    """Tool name as the model wrote it; empty when it wrote none."""
    arguments_raw: str | None = None
    """Argument text as emitted; null when the source threw it away."""
    arguments: JsonText | None = None
    """Arguments as a JSON object; null when the text is not one."""
    arguments_error: str | None = None
    """Why the argument text could not be used."""
    executed: bool | None = None
    """Whether the environment ran it; null when unknown."""
    executed_tool: str | None = None
    """Tool that ran, after rewrites; null when nothing ran."""
    executed_arguments: JsonText | None = None
    """Arguments that ran, after rewrites; null when nothing ran."""
    result: str | None = None
    """What the tool returned, before hints."""
    observation: str | None = None
    """What the agent was told for this call: result with hints, or why it was not run."""
    is_error: bool | None = None
    """Whether the result is an error; null when unknown."""
    error_kind: str | None = None
    """Class of the error, such as `unknown_tool` or `arguments_not_json`."""
    result_step_index: Count | None = None
    """Message that carried the result, for imported episodes."""
    native_id: str | None = None
    """The source's own id of the call, possibly blank."""


class InterventionRow(Row):
    """One thing a harness did, or would have done, to a trajectory."""

    trajectory_id: TrajectoryId
    """The trajectory."""
    step_index: Count
    """Step at which it happened."""
    ordinal: Count
    """Position among the interventions of the step."""
    layer: Layer
    """Layer of the artifact."""
    artifact_id: ArtifactId
    """Artifact that acted; of `constrain` no artifact of a harness but the endpoint's decoder."""
    artifact: str
    """Name of the artifact: section title, skill name or rule name."""
    kind: InterventionKind
    """What it did; `constrain` tells of a reply that the endpoint held to a schema of the tools."""
    before: str | None = None
    """What stood there before: the model's call, the bare observation."""
    after: str | None = None
    """What stood there afterwards: the rewritten call, the hint, the injected text."""
    suppressed: bool = False
    """Whether another rule of the step came first, so this one had no effect."""


class PromptRow(Row):
    """A long text that many trajectories share, stored once."""

    prompt_id: PromptId
    """Hash of kind and text."""
    kind: Literal["system", "task", "tools"]
    """What the text is for."""
    text: str
    """The text."""


class SnapshotRow(Row):
    """Environment state from which a fork starts."""

    snapshot_id: SnapshotId
    """Hash of trajectory and step."""
    trajectory_id: TrajectoryId
    """Trajectory the state belongs to."""
    step_index: Count
    """Step before which the state was taken."""
    state_hash: str
    """sha256 of the state."""
    state: JsonText
    """Canonical JSON of environment state and random generator."""


class ImportReportRow(Row):
    """What one import made of one file."""

    import_id: str
    """Hash of the file's content and the reader."""
    source_file: str
    """File name as the user gave it, without the folder."""
    source_sha256: str
    """Hash of the file's bytes."""
    source_format: str
    """Format it was read as."""
    episodes: Count
    """Episodes found in the file."""
    imported: Count
    """Episodes that became trajectories."""
    duplicates: Count
    """Episodes already known from another place."""
    refused: Count
    """Episodes that could not be read; each stands in `quarantine`."""
    unknown_task: Count
    """Imported episodes whose task the file does not name."""
    redactions: Count
    """Secrets replaced before anything was stored."""
    replaced_characters: Count
    """Lone surrogates and NULs replaced."""
    superseded: Count = 0
    """Episodes left out because the source holds a later attempt of the same run."""
    redacted: bool = True
    """Whether secrets were looked for; false when the user switched that off."""
    redactions_by_kind: JsonText = "{}"
    """Secrets replaced, by the sign they were known by."""
    dialects: JsonText = "[]"
    """Dialects of the format that occur in the file."""
    lost_evidence: JsonText = "{}"
    """Imported episodes by kind of evidence that their format cannot hold."""
    notes: JsonText = "[]"
    """Anything else worth knowing, one sentence each."""
