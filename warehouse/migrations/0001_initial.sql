-- Generated from the row models in schemas/ by `python -m warehouse.generate`.

CREATE TABLE cycles (
    "cycle_id"        VARCHAR NOT NULL,
    "environment"     VARCHAR NOT NULL,
    "model"           VARCHAR NOT NULL,
    "reference"       VARCHAR NOT NULL,
    "editor"          VARCHAR NOT NULL,
    "seed"            BIGINT NOT NULL,
    "base_harness_id" VARCHAR NOT NULL,
    "inputs"          VARCHAR NOT NULL,
    "created_at"      TIMESTAMP NOT NULL,
    PRIMARY KEY ("cycle_id")
);
COMMENT ON TABLE cycles IS 'One evolution cycle and every input that changes its results.';
COMMENT ON COLUMN cycles."cycle_id" IS 'Hash of the inputs.';
COMMENT ON COLUMN cycles."environment" IS 'Environment.';
COMMENT ON COLUMN cycles."model" IS 'Model evolved for.';
COMMENT ON COLUMN cycles."reference" IS 'Reference model of the diagnosis.';
COMMENT ON COLUMN cycles."editor" IS 'Editor.';
COMMENT ON COLUMN cycles."seed" IS 'Seed.';
COMMENT ON COLUMN cycles."base_harness_id" IS 'Harness the cycle started from.';
COMMENT ON COLUMN cycles."inputs" IS 'All inputs, as hashed, and the word the environment was named by.';
COMMENT ON COLUMN cycles."created_at" IS 'When the cycle was first started (UTC).';

CREATE TABLE stage_events (
    "cycle_id"   VARCHAR NOT NULL,
    "stage"      VARCHAR NOT NULL,
    "state"      VARCHAR NOT NULL,
    "detail"     VARCHAR NOT NULL,
    "created_at" TIMESTAMP NOT NULL,
    PRIMARY KEY ("cycle_id", "stage", "state", "created_at")
);
COMMENT ON TABLE stage_events IS 'A change of state of one stage; the newest is the state.';
COMMENT ON COLUMN stage_events."cycle_id" IS 'Cycle or other run the stage belongs to.';
COMMENT ON COLUMN stage_events."stage" IS 'Stage, with its round where it has one.';
COMMENT ON COLUMN stage_events."state" IS 'What happened.';
COMMENT ON COLUMN stage_events."detail" IS 'Small result of the stage, or the error.';
COMMENT ON COLUMN stage_events."created_at" IS 'When (UTC).';

CREATE TABLE cycle_trajectories (
    "cycle_id"      VARCHAR NOT NULL,
    "trajectory_id" VARCHAR NOT NULL,
    "purpose"       VARCHAR NOT NULL,
    PRIMARY KEY ("cycle_id", "trajectory_id", "purpose")
);
COMMENT ON TABLE cycle_trajectories IS 'A trajectory that a cycle used, and what for.';
COMMENT ON COLUMN cycle_trajectories."cycle_id" IS 'The cycle.';
COMMENT ON COLUMN cycle_trajectories."trajectory_id" IS 'The trajectory.';
COMMENT ON COLUMN cycle_trajectories."purpose" IS 'What it was used for, such as `train`, `gate`, `sealed_base` or `fork`.';

CREATE TABLE validation_results (
    "batch_id"     VARCHAR NOT NULL,
    "table_name"   VARCHAR NOT NULL,
    "check_name"   VARCHAR NOT NULL,
    "kind"         VARCHAR NOT NULL,
    "severity"     VARCHAR NOT NULL,
    "success"      BOOLEAN NOT NULL,
    "rows"         BIGINT NOT NULL,
    "failing"      BIGINT NOT NULL,
    "failing_keys" VARCHAR NOT NULL,
    "created_at"   TIMESTAMP NOT NULL,
    PRIMARY KEY ("batch_id", "table_name", "check_name")
);
COMMENT ON TABLE validation_results IS 'The result of one check over one batch.';
COMMENT ON COLUMN validation_results."batch_id" IS 'Batch that was checked.';
COMMENT ON COLUMN validation_results."table_name" IS 'Table the check is about; several, with commas, for a cross-table rule.';
COMMENT ON COLUMN validation_results."check_name" IS 'The check.';
COMMENT ON COLUMN validation_results."kind" IS 'A Great Expectations suite of one table, or an SQL rule over several.';
COMMENT ON COLUMN validation_results."severity" IS 'Whether a failure fails the stage.';
COMMENT ON COLUMN validation_results."success" IS 'Whether it held.';
COMMENT ON COLUMN validation_results."rows" IS 'Rows checked.';
COMMENT ON COLUMN validation_results."failing" IS 'Rows that broke it.';
COMMENT ON COLUMN validation_results."failing_keys" IS 'Up to 20 keys of such rows.';
COMMENT ON COLUMN validation_results."created_at" IS 'When (UTC).';

CREATE TABLE quarantine (
    "quarantine_id" VARCHAR NOT NULL,
    "table_name"    VARCHAR NOT NULL,
    "place"         VARCHAR NOT NULL,
    "reason"        VARCHAR NOT NULL,
    "content"       VARCHAR NOT NULL,
    "created_at"    TIMESTAMP NOT NULL,
    PRIMARY KEY ("quarantine_id")
);
COMMENT ON TABLE quarantine IS 'A row or episode that was refused, with the reason.';
COMMENT ON COLUMN quarantine."quarantine_id" IS 'Hash of place and content.';
COMMENT ON COLUMN quarantine."table_name" IS 'Table it was meant for; `file` for an episode of an import.';
COMMENT ON COLUMN quarantine."place" IS 'Where it came from: segment, or file and position.';
COMMENT ON COLUMN quarantine."reason" IS 'Why it was refused.';
COMMENT ON COLUMN quarantine."content" IS 'What was refused, bounded and redacted.';
COMMENT ON COLUMN quarantine."created_at" IS 'When (UTC).';

CREATE TABLE schema_migrations (
    "version"    BIGINT NOT NULL,
    "name"       VARCHAR NOT NULL,
    "sha256"     VARCHAR NOT NULL,
    "created_at" TIMESTAMP NOT NULL,
    PRIMARY KEY ("version")
);
COMMENT ON TABLE schema_migrations IS 'A migration that the warehouse has been through.';
COMMENT ON COLUMN schema_migrations."version" IS 'Number of the migration file.';
COMMENT ON COLUMN schema_migrations."name" IS 'File name.';
COMMENT ON COLUMN schema_migrations."sha256" IS 'Hash of the file.';
COMMENT ON COLUMN schema_migrations."created_at" IS 'When (UTC).';

CREATE TABLE tasks (
    "environment"             VARCHAR NOT NULL,
    "task_id"                 VARCHAR NOT NULL,
    "family"                  VARCHAR NOT NULL,
    "split"                   VARCHAR NOT NULL,
    "text"                    VARCHAR NOT NULL,
    "environment_fingerprint" VARCHAR NOT NULL,
    PRIMARY KEY ("task_id", "environment_fingerprint")
);
COMMENT ON TABLE tasks IS 'One problem of an environment.';
COMMENT ON COLUMN tasks."environment" IS 'Name of the environment the task belongs to.';
COMMENT ON COLUMN tasks."task_id" IS '`environment/family/number`; `environment/unknown/...` when a source did not say.';
COMMENT ON COLUMN tasks."family" IS 'Group of tasks of one kind inside the environment.';
COMMENT ON COLUMN tasks."split" IS 'What the task may be used for: train, select or sealed.';
COMMENT ON COLUMN tasks."text" IS 'What the agent is told to do; empty when a source did not say.';
COMMENT ON COLUMN tasks."environment_fingerprint" IS 'Hash of generator, tasks and checker that the task comes from.';

CREATE TABLE trajectories (
    "trajectory_id"           VARCHAR NOT NULL,
    "environment"             VARCHAR NOT NULL,
    "environment_fingerprint" VARCHAR NOT NULL,
    "family"                  VARCHAR NOT NULL,
    "task_id"                 VARCHAR NOT NULL,
    "split"                   VARCHAR NOT NULL,
    "model"                   VARCHAR NOT NULL,
    "model_fingerprint"       VARCHAR NOT NULL,
    "harness_id"              VARCHAR NOT NULL,
    "seed"                    BIGINT NOT NULL,
    "repeat"                  BIGINT NOT NULL,
    "arm"                     VARCHAR NOT NULL,
    "origin"                  VARCHAR NOT NULL,
    "outcome"                 VARCHAR NOT NULL,
    "outcome_rule"            VARCHAR NOT NULL,
    "termination"             VARCHAR NOT NULL,
    "termination_raw"         VARCHAR,
    "fault"                   VARCHAR,
    "reward"                  DOUBLE,
    "reward_parts"            VARCHAR NOT NULL,
    "steps"                   BIGINT NOT NULL,
    "budget"                  BIGINT,
    "prompt_tokens"           BIGINT,
    "completion_tokens"       BIGINT,
    "cost_usd"                DOUBLE,
    "user_prompt_tokens"      BIGINT,
    "user_completion_tokens"  BIGINT,
    "user_cost_usd"           DOUBLE,
    "system_prompt_id"        VARCHAR,
    "task_prompt_id"          VARCHAR,
    "tools_prompt_id"         VARCHAR,
    "lost_evidence"           VARCHAR NOT NULL,
    "transcript_sha256"       VARCHAR NOT NULL,
    "created_at"              TIMESTAMP NOT NULL,
    PRIMARY KEY ("trajectory_id")
);
COMMENT ON TABLE trajectories IS 'One episode of (environment, task, model, harness, seed); belongs to no cycle.';
COMMENT ON COLUMN trajectories."trajectory_id" IS 'Hash of everything that determines the episode; cycle and candidate are not in it.';
COMMENT ON COLUMN trajectories."environment" IS 'Name of the environment.';
COMMENT ON COLUMN trajectories."environment_fingerprint" IS 'Hash of generator, tasks and checker; for imports, the source format and its version.';
COMMENT ON COLUMN trajectories."family" IS 'Task family.';
COMMENT ON COLUMN trajectories."task_id" IS 'Task that was attempted.';
COMMENT ON COLUMN trajectories."split" IS 'Split of the task.';
COMMENT ON COLUMN trajectories."model" IS 'Name of the model that acted, as the user wrote it.';
COMMENT ON COLUMN trajectories."model_fingerprint" IS 'Endpoint, served model, template and sampling, as far as they change results.';
COMMENT ON COLUMN trajectories."harness_id" IS 'Harness the model ran in; imports carry the empty seed harness of their environment.';
COMMENT ON COLUMN trajectories."seed" IS 'Seed of the episode.';
COMMENT ON COLUMN trajectories."repeat" IS 'Which repetition of the same episode this is; 0 at temperature 0.';
COMMENT ON COLUMN trajectories."arm" IS '`run`, or `fork:<trajectory>:<step>:<name>` for a fork.';
COMMENT ON COLUMN trajectories."origin" IS 'Whether we ran the episode, read it from a file, or it passed the runtime.';
COMMENT ON COLUMN trajectories."outcome" IS 'What the checker said; never mixed up with how the episode ended.';
COMMENT ON COLUMN trajectories."outcome_rule" IS 'Which rule turned the source''s verdict into the outcome.';
COMMENT ON COLUMN trajectories."termination" IS 'How the episode ended.';
COMMENT ON COLUMN trajectories."termination_raw" IS 'The source''s own word for how it ended.';
COMMENT ON COLUMN trajectories."fault" IS 'Infrastructure failure that ended the episode; such episodes are never labelled.';
COMMENT ON COLUMN trajectories."reward" IS 'Reward as the checker gave it, unclamped.';
COMMENT ON COLUMN trajectories."reward_parts" IS 'Parts of the verdict, such as per-check results.';
COMMENT ON COLUMN trajectories."steps" IS 'Steps taken by the agent (model calls).';
COMMENT ON COLUMN trajectories."budget" IS 'Most steps the episode was allowed; null when unknown.';
COMMENT ON COLUMN trajectories."prompt_tokens" IS 'Tokens sent to the model; null when unknown.';
COMMENT ON COLUMN trajectories."completion_tokens" IS 'Tokens the model wrote; null when unknown.';
COMMENT ON COLUMN trajectories."cost_usd" IS 'Price of the model calls in US dollars; null when unknown.';
COMMENT ON COLUMN trajectories."user_prompt_tokens" IS 'Tokens sent to a model that plays the user; null where none does, or when unknown.';
COMMENT ON COLUMN trajectories."user_completion_tokens" IS 'Tokens such a model wrote; null where none does, or when unknown.';
COMMENT ON COLUMN trajectories."user_cost_usd" IS 'Price of its calls in US dollars; null where none plays the user, or when unknown.';
COMMENT ON COLUMN trajectories."system_prompt_id" IS 'System text the model saw, in `prompts`.';
COMMENT ON COLUMN trajectories."task_prompt_id" IS 'Task text the model saw, in `prompts`.';
COMMENT ON COLUMN trajectories."tools_prompt_id" IS 'Tool definitions the model saw as JSON, in `prompts`; null when unknown.';
COMMENT ON COLUMN trajectories."lost_evidence" IS 'Kinds of evidence the source format cannot hold, such as `arguments_raw`.';
COMMENT ON COLUMN trajectories."transcript_sha256" IS 'Hash over everything the model said and saw; equal transcripts are one observation.';
COMMENT ON COLUMN trajectories."created_at" IS 'When the row was made (UTC).';

CREATE TABLE trajectory_sources (
    "trajectory_id"    VARCHAR NOT NULL,
    "source_file"      VARCHAR NOT NULL,
    "source_index"     BIGINT NOT NULL,
    "raw_sha256"       VARCHAR NOT NULL,
    "source_format"    VARCHAR NOT NULL,
    "native_id"        VARCHAR,
    "parent_native_id" VARCHAR,
    PRIMARY KEY ("trajectory_id", "source_file", "source_index", "raw_sha256")
);
COMMENT ON TABLE trajectory_sources IS 'A place an imported episode was found at.';
COMMENT ON COLUMN trajectory_sources."trajectory_id" IS 'The imported trajectory.';
COMMENT ON COLUMN trajectory_sources."source_file" IS 'File name as the user gave it, without the folder.';
COMMENT ON COLUMN trajectory_sources."source_index" IS 'Position of the episode in the file, from 0.';
COMMENT ON COLUMN trajectory_sources."raw_sha256" IS 'Hash of the episode''s canonical JSON after redaction.';
COMMENT ON COLUMN trajectory_sources."source_format" IS 'Format the file was read as.';
COMMENT ON COLUMN trajectory_sources."native_id" IS 'The source''s own id of the episode: a session, trace, instance or trial.';
COMMENT ON COLUMN trajectory_sources."parent_native_id" IS 'Native id of the episode that started this one, where an agent started another.';

CREATE TABLE verdicts (
    "trajectory_id" VARCHAR NOT NULL,
    "source"        VARCHAR NOT NULL,
    "outcome"       VARCHAR NOT NULL,
    "reward"        DOUBLE,
    "disputed"      BOOLEAN NOT NULL,
    PRIMARY KEY ("trajectory_id", "source")
);
COMMENT ON TABLE verdicts IS 'A verdict that came later than the episode, such as a label file.';
COMMENT ON COLUMN verdicts."trajectory_id" IS 'The trajectory judged.';
COMMENT ON COLUMN verdicts."source" IS 'Who judged: a file name, `production`, a person.';
COMMENT ON COLUMN verdicts."outcome" IS 'What was said.';
COMMENT ON COLUMN verdicts."reward" IS 'Reward that came with it.';
COMMENT ON COLUMN verdicts."disputed" IS 'Whether somebody doubts this verdict.';

CREATE TABLE steps (
    "trajectory_id"      VARCHAR NOT NULL,
    "step_index"         BIGINT NOT NULL,
    "role"               VARCHAR NOT NULL,
    "text"               VARCHAR,
    "reasoning"          VARCHAR,
    "observation"        VARCHAR,
    "forced"             BOOLEAN NOT NULL,
    "admissible"         VARCHAR,
    "state_hash_before"  VARCHAR,
    "state_hash_after"   VARCHAR,
    "finish_reason"      VARCHAR,
    "prompt_tokens"      BIGINT,
    "completion_tokens"  BIGINT,
    "latency_s"          DOUBLE,
    "served_model"       VARCHAR,
    "system_fingerprint" VARCHAR,
    "logprobs"           VARCHAR,
    "native_id"          VARCHAR,
    "copied"             BOOLEAN NOT NULL,
    PRIMARY KEY ("trajectory_id", "step_index")
);
COMMENT ON TABLE steps IS 'One message or agent turn of a trajectory.';
COMMENT ON COLUMN steps."trajectory_id" IS 'The trajectory.';
COMMENT ON COLUMN steps."step_index" IS 'Position from 0: the agent turn of a rollout, the message of an imported episode.';
COMMENT ON COLUMN steps."role" IS 'Who spoke.';
COMMENT ON COLUMN steps."text" IS 'What was said, exactly as written.';
COMMENT ON COLUMN steps."reasoning" IS 'Reasoning the model gave apart from its text.';
COMMENT ON COLUMN steps."observation" IS 'What came back to the agent after this turn, hints included.';
COMMENT ON COLUMN steps."forced" IS 'Whether a regulation rule replaced the model call.';
COMMENT ON COLUMN steps."admissible" IS 'Commands the environment offered before the turn; null when it offers none.';
COMMENT ON COLUMN steps."state_hash_before" IS 'Hash of the environment''s state before the turn.';
COMMENT ON COLUMN steps."state_hash_after" IS 'Hash of the environment''s state after the turn.';
COMMENT ON COLUMN steps."finish_reason" IS 'Why the model stopped, in the endpoint''s words.';
COMMENT ON COLUMN steps."prompt_tokens" IS 'Tokens sent for this turn.';
COMMENT ON COLUMN steps."completion_tokens" IS 'Tokens written in this turn.';
COMMENT ON COLUMN steps."latency_s" IS 'Seconds the model took.';
COMMENT ON COLUMN steps."served_model" IS 'Model that answered, in the endpoint''s words.';
COMMENT ON COLUMN steps."system_fingerprint" IS 'What the endpoint says of the system behind it.';
COMMENT ON COLUMN steps."logprobs" IS 'Written tokens with their log-probabilities, `[[token, logprob], …]`; null when not asked for or not offered.';
COMMENT ON COLUMN steps."native_id" IS 'The source''s own id of the message.';
COMMENT ON COLUMN steps."copied" IS 'Whether the source says that it did not happen here: copied context, resumed history or a demonstration. Such steps are never counted, labelled or trained on, and have no tool calls.';

CREATE TABLE tool_calls (
    "tool_call_id"       VARCHAR NOT NULL,
    "trajectory_id"      VARCHAR NOT NULL,
    "step_index"         BIGINT NOT NULL,
    "call_index"         BIGINT NOT NULL,
    "requestor"          VARCHAR NOT NULL,
    "tool"               VARCHAR NOT NULL,
    "arguments_raw"      VARCHAR,
    "arguments"          VARCHAR,
    "arguments_error"    VARCHAR,
    "executed"           BOOLEAN,
    "executed_tool"      VARCHAR,
    "executed_arguments" VARCHAR,
    "result"             VARCHAR,
    "observation"        VARCHAR,
    "is_error"           BOOLEAN,
    "error_kind"         VARCHAR,
    "result_step_index"  BIGINT,
    "native_id"          VARCHAR,
    PRIMARY KEY ("tool_call_id")
);
COMMENT ON TABLE tool_calls IS 'One tool call: what the model asked for, what was executed, what came back.';
COMMENT ON COLUMN tool_calls."tool_call_id" IS 'Hash of trajectory, step and position.';
COMMENT ON COLUMN tool_calls."trajectory_id" IS 'The trajectory.';
COMMENT ON COLUMN tool_calls."step_index" IS 'Step that made the call.';
COMMENT ON COLUMN tool_calls."call_index" IS 'Position among the calls of the step, from 0.';
COMMENT ON COLUMN tool_calls."requestor" IS 'Who called; some simulated users call tools too.';
COMMENT ON COLUMN tool_calls."tool" IS 'Tool name as the model wrote it; empty when it wrote none.';
COMMENT ON COLUMN tool_calls."arguments_raw" IS 'Argument text as emitted; null when the source threw it away.';
COMMENT ON COLUMN tool_calls."arguments" IS 'Arguments as a JSON object; null when the text is not one.';
COMMENT ON COLUMN tool_calls."arguments_error" IS 'Why the argument text could not be used.';
COMMENT ON COLUMN tool_calls."executed" IS 'Whether the environment ran it; null when unknown.';
COMMENT ON COLUMN tool_calls."executed_tool" IS 'Tool that ran, after rewrites; null when nothing ran.';
COMMENT ON COLUMN tool_calls."executed_arguments" IS 'Arguments that ran, after rewrites; null when nothing ran.';
COMMENT ON COLUMN tool_calls."result" IS 'What the tool returned, before hints.';
COMMENT ON COLUMN tool_calls."observation" IS 'What the agent was told for this call: result with hints, or why it was not run.';
COMMENT ON COLUMN tool_calls."is_error" IS 'Whether the result is an error; null when unknown.';
COMMENT ON COLUMN tool_calls."error_kind" IS 'Class of the error, such as `unknown_tool` or `arguments_not_json`.';
COMMENT ON COLUMN tool_calls."result_step_index" IS 'Message that carried the result, for imported episodes.';
COMMENT ON COLUMN tool_calls."native_id" IS 'The source''s own id of the call, possibly blank.';

CREATE TABLE interventions (
    "trajectory_id" VARCHAR NOT NULL,
    "step_index"    BIGINT NOT NULL,
    "ordinal"       BIGINT NOT NULL,
    "layer"         VARCHAR NOT NULL,
    "artifact_id"   VARCHAR NOT NULL,
    "artifact"      VARCHAR NOT NULL,
    "kind"          VARCHAR NOT NULL,
    "before"        VARCHAR,
    "after"         VARCHAR,
    "suppressed"    BOOLEAN NOT NULL,
    PRIMARY KEY ("trajectory_id", "step_index", "ordinal")
);
COMMENT ON TABLE interventions IS 'One thing a harness did, or would have done, to a trajectory.';
COMMENT ON COLUMN interventions."trajectory_id" IS 'The trajectory.';
COMMENT ON COLUMN interventions."step_index" IS 'Step at which it happened.';
COMMENT ON COLUMN interventions."ordinal" IS 'Position among the interventions of the step.';
COMMENT ON COLUMN interventions."layer" IS 'Layer of the artifact.';
COMMENT ON COLUMN interventions."artifact_id" IS 'Artifact that acted; of `constrain` no artifact of a harness but the endpoint''s decoder.';
COMMENT ON COLUMN interventions."artifact" IS 'Name of the artifact: section title, skill name or rule name.';
COMMENT ON COLUMN interventions."kind" IS 'What it did; `constrain` tells of a reply that the endpoint held to a schema of the tools.';
COMMENT ON COLUMN interventions."before" IS 'What stood there before: the model''s call, the bare observation.';
COMMENT ON COLUMN interventions."after" IS 'What stood there afterwards: the rewritten call, the hint, the injected text.';
COMMENT ON COLUMN interventions."suppressed" IS 'Whether another rule of the step came first, so this one had no effect.';

CREATE TABLE agent_notes (
    "trajectory_id"       VARCHAR NOT NULL,
    "ordinal"             BIGINT NOT NULL,
    "kind"                VARCHAR NOT NULL,
    "text"                VARCHAR NOT NULL,
    "about_trajectory_id" VARCHAR,
    "carried"             BOOLEAN NOT NULL,
    PRIMARY KEY ("trajectory_id", "ordinal")
);
COMMENT ON TABLE agent_notes IS 'What an agent''s loop had it write to itself: a plan, or a reflection on an earlier trial.';
COMMENT ON COLUMN agent_notes."trajectory_id" IS 'Trajectory in which the agent was shown it.';
COMMENT ON COLUMN agent_notes."ordinal" IS 'Position among the notes shown, oldest first.';
COMMENT ON COLUMN agent_notes."kind" IS 'A plan for the episode, or a reflection on a trial that failed.';
COMMENT ON COLUMN agent_notes."text" IS 'The note, bounded.';
COMMENT ON COLUMN agent_notes."about_trajectory_id" IS 'Trial that a reflection is about; null for a plan.';
COMMENT ON COLUMN agent_notes."carried" IS 'Whether it was written in an earlier trial, which spent the tokens.';

CREATE TABLE prompts (
    "prompt_id" VARCHAR NOT NULL,
    "kind"      VARCHAR NOT NULL,
    "text"      VARCHAR NOT NULL,
    PRIMARY KEY ("prompt_id")
);
COMMENT ON TABLE prompts IS 'A long text that many trajectories share, stored once.';
COMMENT ON COLUMN prompts."prompt_id" IS 'Hash of kind and text.';
COMMENT ON COLUMN prompts."kind" IS 'What the text is for.';
COMMENT ON COLUMN prompts."text" IS 'The text.';

CREATE TABLE snapshots (
    "snapshot_id"   VARCHAR NOT NULL,
    "trajectory_id" VARCHAR NOT NULL,
    "step_index"    BIGINT NOT NULL,
    "state_hash"    VARCHAR NOT NULL,
    "state"         VARCHAR NOT NULL,
    PRIMARY KEY ("snapshot_id")
);
COMMENT ON TABLE snapshots IS 'Environment state from which a fork starts.';
COMMENT ON COLUMN snapshots."snapshot_id" IS 'Hash of trajectory and step.';
COMMENT ON COLUMN snapshots."trajectory_id" IS 'Trajectory the state belongs to.';
COMMENT ON COLUMN snapshots."step_index" IS 'Step before which the state was taken.';
COMMENT ON COLUMN snapshots."state_hash" IS 'sha256 of the state.';
COMMENT ON COLUMN snapshots."state" IS 'Canonical JSON of environment state and random generator.';

CREATE TABLE import_reports (
    "import_id"           VARCHAR NOT NULL,
    "source_file"         VARCHAR NOT NULL,
    "source_sha256"       VARCHAR NOT NULL,
    "source_format"       VARCHAR NOT NULL,
    "episodes"            BIGINT NOT NULL,
    "imported"            BIGINT NOT NULL,
    "duplicates"          BIGINT NOT NULL,
    "refused"             BIGINT NOT NULL,
    "unknown_task"        BIGINT NOT NULL,
    "redactions"          BIGINT NOT NULL,
    "replaced_characters" BIGINT NOT NULL,
    "superseded"          BIGINT NOT NULL,
    "redacted"            BOOLEAN NOT NULL,
    "redactions_by_kind"  VARCHAR NOT NULL,
    "dialects"            VARCHAR NOT NULL,
    "lost_evidence"       VARCHAR NOT NULL,
    "notes"               VARCHAR NOT NULL,
    PRIMARY KEY ("import_id")
);
COMMENT ON TABLE import_reports IS 'What one import made of one file.';
COMMENT ON COLUMN import_reports."import_id" IS 'Hash of the file''s content and the reader.';
COMMENT ON COLUMN import_reports."source_file" IS 'File name as the user gave it, without the folder.';
COMMENT ON COLUMN import_reports."source_sha256" IS 'Hash of the file''s bytes.';
COMMENT ON COLUMN import_reports."source_format" IS 'Format it was read as.';
COMMENT ON COLUMN import_reports."episodes" IS 'Episodes found in the file.';
COMMENT ON COLUMN import_reports."imported" IS 'Episodes that became trajectories.';
COMMENT ON COLUMN import_reports."duplicates" IS 'Episodes already known from another place.';
COMMENT ON COLUMN import_reports."refused" IS 'Episodes that could not be read; each stands in `quarantine`.';
COMMENT ON COLUMN import_reports."unknown_task" IS 'Imported episodes whose task the file does not name.';
COMMENT ON COLUMN import_reports."redactions" IS 'Secrets replaced before anything was stored.';
COMMENT ON COLUMN import_reports."replaced_characters" IS 'Lone surrogates and NULs replaced.';
COMMENT ON COLUMN import_reports."superseded" IS 'Episodes left out because the source holds a later attempt of the same run.';
COMMENT ON COLUMN import_reports."redacted" IS 'Whether secrets were looked for; false when the user switched that off.';
COMMENT ON COLUMN import_reports."redactions_by_kind" IS 'Secrets replaced, by the sign they were known by.';
COMMENT ON COLUMN import_reports."dialects" IS 'Dialects of the format that occur in the file.';
COMMENT ON COLUMN import_reports."lost_evidence" IS 'Imported episodes by kind of evidence that their format cannot hold.';
COMMENT ON COLUMN import_reports."notes" IS 'Anything else worth knowing, one sentence each.';

CREATE TABLE traffic_sessions (
    "trajectory_id"        VARCHAR NOT NULL,
    "session"              VARCHAR NOT NULL,
    "environment"          VARCHAR NOT NULL,
    "mode"                 VARCHAR NOT NULL,
    "arm"                  VARCHAR NOT NULL,
    "propensity"           DOUBLE NOT NULL,
    "treatment_harness_id" VARCHAR NOT NULL,
    "control_harness_id"   VARCHAR,
    "started_at"           TIMESTAMP NOT NULL,
    PRIMARY KEY ("trajectory_id")
);
COMMENT ON TABLE traffic_sessions IS 'One conversation that passed the runtime, and the arm it was given.';
COMMENT ON COLUMN traffic_sessions."trajectory_id" IS 'The conversation as a trajectory; its `harness_id` is that of the arm.';
COMMENT ON COLUMN traffic_sessions."session" IS 'Name the client gave the conversation, else a hash of its opening.';
COMMENT ON COLUMN traffic_sessions."environment" IS 'Environment the harness is written for.';
COMMENT ON COLUMN traffic_sessions."mode" IS 'Whether the harness acted, only logged, or acted in the drawn share of conversations.';
COMMENT ON COLUMN traffic_sessions."arm" IS 'What the conversation was given; `treatment` outside of a split.';
COMMENT ON COLUMN traffic_sessions."propensity" IS 'Probability with which the conversation got its arm.';
COMMENT ON COLUMN traffic_sessions."treatment_harness_id" IS 'Harness that is tried or in force.';
COMMENT ON COLUMN traffic_sessions."control_harness_id" IS 'Harness of the other arm; null when it passes everything unchanged.';
COMMENT ON COLUMN traffic_sessions."started_at" IS 'When its first request came (UTC).';

CREATE TABLE rule_hits (
    "trajectory_id"    VARCHAR NOT NULL,
    "taxonomy_version" VARCHAR NOT NULL,
    "rule"             VARCHAR NOT NULL,
    "category"         VARCHAR NOT NULL,
    "bullet"           VARCHAR NOT NULL,
    "step_index"       BIGINT,
    "decisive"         BOOLEAN NOT NULL,
    "uses_gold"        BOOLEAN NOT NULL,
    "signature"        VARCHAR NOT NULL,
    "evidence"         VARCHAR NOT NULL,
    PRIMARY KEY ("trajectory_id", "taxonomy_version", "rule", "signature")
);
COMMENT ON TABLE rule_hits IS 'One annotation rule that matched one trajectory.';
COMMENT ON COLUMN rule_hits."trajectory_id" IS 'The trajectory.';
COMMENT ON COLUMN rule_hits."taxonomy_version" IS 'Version of rules and settlements.';
COMMENT ON COLUMN rule_hits."rule" IS 'Name of the annotation rule.';
COMMENT ON COLUMN rule_hits."category" IS 'Category the rule argues for.';
COMMENT ON COLUMN rule_hits."bullet" IS 'Bullet of the protocol the rule argues for.';
COMMENT ON COLUMN rule_hits."step_index" IS 'Earliest step of the evidence; null when it belongs to no step.';
COMMENT ON COLUMN rule_hits."decisive" IS 'Whether the episode would not have failed without it.';
COMMENT ON COLUMN rule_hits."uses_gold" IS 'Whether the rule read expected actions, checks or the final state.';
COMMENT ON COLUMN rule_hits."signature" IS 'What triggers it, without episode-specific values; equal signatures form patterns.';
COMMENT ON COLUMN rule_hits."evidence" IS 'Facts that the rule saw.';

CREATE TABLE failure_labels (
    "trajectory_id"    VARCHAR NOT NULL,
    "source"           VARCHAR NOT NULL,
    "taxonomy_version" VARCHAR NOT NULL,
    "category"         VARCHAR NOT NULL,
    "bullet"           VARCHAR NOT NULL,
    "step_index"       BIGINT,
    "rule"             VARCHAR NOT NULL,
    "evidence"         VARCHAR NOT NULL,
    "uses_gold"        BOOLEAN NOT NULL,
    "signature"        VARCHAR NOT NULL,
    "runner_ups"       VARCHAR NOT NULL,
    PRIMARY KEY ("trajectory_id", "taxonomy_version", "source")
);
COMMENT ON TABLE failure_labels IS 'The label of one failed trajectory from one source.';
COMMENT ON COLUMN failure_labels."trajectory_id" IS 'The failed trajectory.';
COMMENT ON COLUMN failure_labels."source" IS 'Who labelled: `rules`, `human`, or `judge:` with the fingerprint of a model.';
COMMENT ON COLUMN failure_labels."taxonomy_version" IS 'Version of rules and settlements.';
COMMENT ON COLUMN failure_labels."category" IS 'Category of the failure.';
COMMENT ON COLUMN failure_labels."bullet" IS 'Bullet of the protocol.';
COMMENT ON COLUMN failure_labels."step_index" IS 'Earliest decisive step; null when it belongs to no step.';
COMMENT ON COLUMN failure_labels."rule" IS 'Rule that decided; what a judge was called on the command line.';
COMMENT ON COLUMN failure_labels."evidence" IS 'Facts that decided.';
COMMENT ON COLUMN failure_labels."uses_gold" IS 'Whether expected actions, checks or the final state were read.';
COMMENT ON COLUMN failure_labels."signature" IS 'Trigger signature of the deciding hit.';
COMMENT ON COLUMN failure_labels."runner_ups" IS 'Other rules that matched, best first.';

CREATE TABLE failure_patterns (
    "pattern_id"  VARCHAR NOT NULL,
    "environment" VARCHAR NOT NULL,
    "model"       VARCHAR NOT NULL,
    "harness_id"  VARCHAR NOT NULL,
    "category"    VARCHAR NOT NULL,
    "bullet"      VARCHAR NOT NULL,
    "rule"        VARCHAR NOT NULL,
    "signature"   VARCHAR NOT NULL,
    "family"      VARCHAR,
    "layer"       VARCHAR NOT NULL,
    "runs"        BIGINT NOT NULL,
    "tasks"       BIGINT NOT NULL,
    "eligible"    BOOLEAN NOT NULL,
    "members"     VARCHAR NOT NULL,
    PRIMARY KEY ("pattern_id")
);
COMMENT ON TABLE failure_patterns IS 'A cluster of labels that recur and the earliest point where they can be detected.';
COMMENT ON COLUMN failure_patterns."pattern_id" IS 'Hash of category, rule, environment, family, signature and members.';
COMMENT ON COLUMN failure_patterns."environment" IS 'Environment of the members.';
COMMENT ON COLUMN failure_patterns."model" IS 'Model of the members.';
COMMENT ON COLUMN failure_patterns."harness_id" IS 'Harness of the members.';
COMMENT ON COLUMN failure_patterns."category" IS 'Category of the members.';
COMMENT ON COLUMN failure_patterns."bullet" IS 'Bullet of the members.';
COMMENT ON COLUMN failure_patterns."rule" IS 'Annotation rule of the members.';
COMMENT ON COLUMN failure_patterns."signature" IS 'Trigger signature they share.';
COMMENT ON COLUMN failure_patterns."family" IS 'Task family when all members share one.';
COMMENT ON COLUMN failure_patterns."layer" IS 'Earliest lifecycle point at which the pattern can be detected.';
COMMENT ON COLUMN failure_patterns."runs" IS 'Member trajectories.';
COMMENT ON COLUMN failure_patterns."tasks" IS 'Distinct tasks among them.';
COMMENT ON COLUMN failure_patterns."eligible" IS 'Whether it recurs often enough to be edited for.';
COMMENT ON COLUMN failure_patterns."members" IS 'Member trajectories with their step, sorted.';

CREATE TABLE harness_versions (
    "harness_id"  VARCHAR NOT NULL,
    "environment" VARCHAR NOT NULL,
    "api"         BIGINT NOT NULL,
    "layers"      VARCHAR NOT NULL,
    "delivery"    VARCHAR NOT NULL,
    PRIMARY KEY ("harness_id")
);
COMMENT ON TABLE harness_versions IS 'One immutable harness.';
COMMENT ON COLUMN harness_versions."harness_id" IS 'Hash over its files, name left out.';
COMMENT ON COLUMN harness_versions."environment" IS 'Environment it is written for.';
COMMENT ON COLUMN harness_versions."api" IS 'Version of the harness format.';
COMMENT ON COLUMN harness_versions."layers" IS 'Layers that are switched on.';
COMMENT ON COLUMN harness_versions."delivery" IS 'Whether skills are injected or loaded by the model.';

CREATE TABLE harness_files (
    "harness_id" VARCHAR NOT NULL,
    "path"       VARCHAR NOT NULL,
    "sha256"     VARCHAR NOT NULL,
    "text"       VARCHAR NOT NULL,
    PRIMARY KEY ("harness_id", "path")
);
COMMENT ON TABLE harness_files IS 'One file of a harness.';
COMMENT ON COLUMN harness_files."harness_id" IS 'The harness.';
COMMENT ON COLUMN harness_files."path" IS 'Path inside the harness folder, with forward slashes.';
COMMENT ON COLUMN harness_files."sha256" IS 'Hash of the text with LF line ends and NFC form.';
COMMENT ON COLUMN harness_files."text" IS 'The text.';

CREATE TABLE harness_artifacts (
    "harness_id"  VARCHAR NOT NULL,
    "artifact_id" VARCHAR NOT NULL,
    "layer"       VARCHAR NOT NULL,
    "name"        VARCHAR NOT NULL,
    "path"        VARCHAR NOT NULL,
    "description" VARCHAR NOT NULL,
    "body"        VARCHAR NOT NULL,
    PRIMARY KEY ("harness_id", "artifact_id")
);
COMMENT ON TABLE harness_artifacts IS 'One artifact of a harness: contract section, skill or rule.';
COMMENT ON COLUMN harness_artifacts."harness_id" IS 'The harness.';
COMMENT ON COLUMN harness_artifacts."artifact_id" IS 'Hash of layer, name and body: the same artifact in two harnesses has one id.';
COMMENT ON COLUMN harness_artifacts."layer" IS 'Its layer.';
COMMENT ON COLUMN harness_artifacts."name" IS 'Section title, skill name or rule name.';
COMMENT ON COLUMN harness_artifacts."path" IS 'File it stands in.';
COMMENT ON COLUMN harness_artifacts."description" IS 'Its description, or the docstring of the rule.';
COMMENT ON COLUMN harness_artifacts."body" IS 'Its text.';

CREATE TABLE harness_names (
    "environment" VARCHAR NOT NULL,
    "name"        VARCHAR NOT NULL,
    "ordinal"     BIGINT NOT NULL,
    "harness_id"  VARCHAR NOT NULL,
    "created_at"  TIMESTAMP NOT NULL,
    PRIMARY KEY ("environment", "name", "ordinal")
);
COMMENT ON TABLE harness_names IS 'A name that points to a harness; the highest ordinal of a name is in force.';
COMMENT ON COLUMN harness_names."environment" IS 'Environment the name lives in.';
COMMENT ON COLUMN harness_names."name" IS '`current`, `pinned` or the user''s own.';
COMMENT ON COLUMN harness_names."ordinal" IS 'How many times the name was set before.';
COMMENT ON COLUMN harness_names."harness_id" IS 'Harness it points to.';
COMMENT ON COLUMN harness_names."created_at" IS 'When it was set (UTC).';

CREATE TABLE harness_states (
    "environment" VARCHAR NOT NULL,
    "ordinal"     BIGINT NOT NULL,
    "harness_id"  VARCHAR NOT NULL,
    "state"       VARCHAR NOT NULL,
    "decision"    VARCHAR NOT NULL,
    "is_forced"   BOOLEAN NOT NULL,
    "reason"      VARCHAR NOT NULL,
    "created_at"  TIMESTAMP NOT NULL,
    PRIMARY KEY ("environment", "ordinal")
);
COMMENT ON TABLE harness_states IS 'One decision of a person about a harness; the newest of an environment and harness holds.';
COMMENT ON COLUMN harness_states."environment" IS 'Environment whose agents the decision is about.';
COMMENT ON COLUMN harness_states."ordinal" IS 'How many decisions the environment had before; decisions are read in this order.';
COMMENT ON COLUMN harness_states."harness_id" IS 'Harness that was decided about.';
COMMENT ON COLUMN harness_states."state" IS 'State from now on; `draft` and `accepted` are not decided but follow from other rows.';
COMMENT ON COLUMN harness_states."decision" IS 'Command that was given; a rollback takes the newest release off, it adds none.';
COMMENT ON COLUMN harness_states."is_forced" IS 'Whether it was promoted although the gate never accepted it, or production found it worse.';
COMMENT ON COLUMN harness_states."reason" IS 'Reason given, as it was typed, or what the state follows from.';
COMMENT ON COLUMN harness_states."created_at" IS 'When it was decided (UTC).';

CREATE TABLE artifact_faults (
    "trajectory_id" VARCHAR NOT NULL,
    "step_index"    BIGINT NOT NULL,
    "artifact_id"   VARCHAR NOT NULL,
    "kind"          VARCHAR NOT NULL,
    "message"       VARCHAR NOT NULL,
    PRIMARY KEY ("trajectory_id", "step_index", "artifact_id")
);
COMMENT ON TABLE artifact_faults IS 'A rule that failed while it ran; it then counted as no rule.';
COMMENT ON COLUMN artifact_faults."trajectory_id" IS 'Trajectory in which it failed.';
COMMENT ON COLUMN artifact_faults."step_index" IS 'Step at which it failed.';
COMMENT ON COLUMN artifact_faults."artifact_id" IS 'The rule.';
COMMENT ON COLUMN artifact_faults."kind" IS 'How it failed.';
COMMENT ON COLUMN artifact_faults."message" IS 'What the sandbox said, bounded.';

CREATE TABLE edits (
    "edit_id"           VARCHAR NOT NULL,
    "cycle_id"          VARCHAR NOT NULL,
    "round"             BIGINT NOT NULL,
    "ordinal"           BIGINT NOT NULL,
    "editor"            VARCHAR NOT NULL,
    "parent_harness_id" VARCHAR NOT NULL,
    "child_harness_id"  VARCHAR NOT NULL,
    "layer"             VARCHAR NOT NULL,
    "artifact"          VARCHAR NOT NULL,
    "kind"              VARCHAR NOT NULL,
    "pattern_id"        VARCHAR,
    "title"             VARCHAR NOT NULL,
    "manifest"          VARCHAR NOT NULL,
    "diff"              VARCHAR NOT NULL,
    "revision"          BIGINT NOT NULL,
    "revises"           VARCHAR,
    "created_at"        TIMESTAMP NOT NULL,
    PRIMARY KEY ("edit_id")
);
COMMENT ON TABLE edits IS 'A child harness and why somebody proposed it.';
COMMENT ON COLUMN edits."edit_id" IS 'Hash of cycle, round, editor, parent, child and revision.';
COMMENT ON COLUMN edits."cycle_id" IS 'Cycle that proposed it.';
COMMENT ON COLUMN edits."round" IS 'Round of the cycle, from 1.';
COMMENT ON COLUMN edits."ordinal" IS 'Position among the proposals of the round.';
COMMENT ON COLUMN edits."editor" IS 'Editor that proposed it.';
COMMENT ON COLUMN edits."parent_harness_id" IS 'Harness it changes.';
COMMENT ON COLUMN edits."child_harness_id" IS 'Harness it makes.';
COMMENT ON COLUMN edits."layer" IS 'The one layer it touches.';
COMMENT ON COLUMN edits."artifact" IS 'Name of the artifact it adds or changes.';
COMMENT ON COLUMN edits."kind" IS 'What sort of edit, such as `contract_sentence` or `rescue_rule`.';
COMMENT ON COLUMN edits."pattern_id" IS 'Pattern it answers to; null for decoys.';
COMMENT ON COLUMN edits."title" IS 'One line that says what it does.';
COMMENT ON COLUMN edits."manifest" IS 'Evidence, root cause, predictions, risks, why it is safe, what to watch.';
COMMENT ON COLUMN edits."diff" IS 'Unified diff against the parent.';
COMMENT ON COLUMN edits."revision" IS 'How many times the proposal was revised before.';
COMMENT ON COLUMN edits."revises" IS 'Edit that this one revises.';
COMMENT ON COLUMN edits."created_at" IS 'When it was proposed (UTC).';

CREATE TABLE edit_predictions (
    "edit_id"    VARCHAR NOT NULL,
    "task_id"    VARCHAR NOT NULL,
    "prediction" VARCHAR NOT NULL,
    "forecaster" VARCHAR NOT NULL,
    PRIMARY KEY ("edit_id", "task_id", "prediction", "forecaster")
);
COMMENT ON TABLE edit_predictions IS 'A task that an edit is expected to fix, break or touch.';
COMMENT ON COLUMN edit_predictions."edit_id" IS 'The edit.';
COMMENT ON COLUMN edit_predictions."task_id" IS 'The task.';
COMMENT ON COLUMN edit_predictions."prediction" IS 'What was expected.';
COMMENT ON COLUMN edit_predictions."forecaster" IS 'Who expected it.';

CREATE TABLE editor_sessions (
    "session_id"        VARCHAR NOT NULL,
    "cycle_id"          VARCHAR NOT NULL,
    "round"             BIGINT NOT NULL,
    "ordinal"           BIGINT NOT NULL,
    "editor"            VARCHAR NOT NULL,
    "purpose"           VARCHAR NOT NULL,
    "turns"             BIGINT NOT NULL,
    "calls"             BIGINT NOT NULL,
    "refusals"          BIGINT NOT NULL,
    "proposals"         BIGINT NOT NULL,
    "rollouts"          BIGINT NOT NULL,
    "prompt_tokens"     BIGINT,
    "completion_tokens" BIGINT,
    "cost_usd"          DOUBLE,
    "exit_code"         BIGINT,
    "stop"              VARCHAR NOT NULL,
    "detail"            VARCHAR NOT NULL,
    "duration_s"        DOUBLE,
    "created_at"        TIMESTAMP NOT NULL,
    PRIMARY KEY ("session_id")
);
COMMENT ON TABLE editor_sessions IS 'One piece of work of an editor with a model or a command behind it.';
COMMENT ON COLUMN editor_sessions."session_id" IS 'Hash of cycle, round, editor, position and everything that was said.';
COMMENT ON COLUMN editor_sessions."cycle_id" IS 'Cycle it worked for.';
COMMENT ON COLUMN editor_sessions."round" IS 'Round of the cycle, from 1.';
COMMENT ON COLUMN editor_sessions."ordinal" IS 'Position among the sessions of the round.';
COMMENT ON COLUMN editor_sessions."editor" IS 'Editor in the words of the command line.';
COMMENT ON COLUMN editor_sessions."purpose" IS 'Whether it proposed edits, or mended one that was refused.';
COMMENT ON COLUMN editor_sessions."turns" IS 'Replies of the model; 1 for a command that ran.';
COMMENT ON COLUMN editor_sessions."calls" IS 'Tool calls that were answered.';
COMMENT ON COLUMN editor_sessions."refusals" IS 'Calls, files and manifests that were refused.';
COMMENT ON COLUMN editor_sessions."proposals" IS 'Edits that came out of it.';
COMMENT ON COLUMN editor_sessions."rollouts" IS 'Episodes it asked for.';
COMMENT ON COLUMN editor_sessions."prompt_tokens" IS 'Tokens sent to the editor''s model; null when they were not counted.';
COMMENT ON COLUMN editor_sessions."completion_tokens" IS 'Tokens written by the editor''s model; null when they were not counted.';
COMMENT ON COLUMN editor_sessions."cost_usd" IS 'Price of its model calls; null when unknown.';
COMMENT ON COLUMN editor_sessions."exit_code" IS 'Exit code of a command; negative for a signal, null when there was no command.';
COMMENT ON COLUMN editor_sessions."stop" IS 'Why it ended.';
COMMENT ON COLUMN editor_sessions."detail" IS 'What exactly ended it; empty when it ended as it should.';
COMMENT ON COLUMN editor_sessions."duration_s" IS 'Seconds it took.';
COMMENT ON COLUMN editor_sessions."created_at" IS 'When it was landed (UTC).';

CREATE TABLE editor_messages (
    "session_id"    VARCHAR NOT NULL,
    "message_index" BIGINT NOT NULL,
    "role"          VARCHAR NOT NULL,
    "tool"          VARCHAR,
    "content"       VARCHAR NOT NULL,
    "refused"       VARCHAR,
    PRIMARY KEY ("session_id", "message_index")
);
COMMENT ON TABLE editor_messages IS 'One entry of a session''s transcript, bounded and without secrets.';
COMMENT ON COLUMN editor_messages."session_id" IS 'The session.';
COMMENT ON COLUMN editor_messages."message_index" IS 'Position in the transcript.';
COMMENT ON COLUMN editor_messages."role" IS 'Who speaks; `call` is a tool call as the model wrote it, `file` what came of a file.';
COMMENT ON COLUMN editor_messages."tool" IS 'Tool that was called or answers; path of a file.';
COMMENT ON COLUMN editor_messages."content" IS 'What was said; a long text ends in a mark that tells its length.';
COMMENT ON COLUMN editor_messages."refused" IS 'Why a call, file or manifest was refused; null when it was not.';

CREATE TABLE replay_checks (
    "edit_id"            VARCHAR NOT NULL,
    "artifact"           VARCHAR NOT NULL,
    "fires_on_failures"  BIGINT NOT NULL,
    "fires_on_successes" BIGINT NOT NULL,
    "failures"           BIGINT NOT NULL,
    "successes"          BIGINT NOT NULL,
    "trigger_precision"  DOUBLE,
    "false_fire"         DOUBLE,
    "coverage"           DOUBLE,
    "tasks_at_risk"      VARCHAR NOT NULL,
    "passed"             BOOLEAN NOT NULL,
    "reason"             VARCHAR NOT NULL,
    PRIMARY KEY ("edit_id", "artifact")
);
COMMENT ON TABLE replay_checks IS 'What one edit''s artifact would have done to stored trajectories.';
COMMENT ON COLUMN replay_checks."edit_id" IS 'The edit.';
COMMENT ON COLUMN replay_checks."artifact" IS 'The artifact replayed.';
COMMENT ON COLUMN replay_checks."fires_on_failures" IS 'Failed trajectories in which it fires.';
COMMENT ON COLUMN replay_checks."fires_on_successes" IS 'Successful trajectories in which it fires and changes something.';
COMMENT ON COLUMN replay_checks."failures" IS 'Failed trajectories replayed.';
COMMENT ON COLUMN replay_checks."successes" IS 'Successful trajectories replayed.';
COMMENT ON COLUMN replay_checks."trigger_precision" IS 'Share of fires that fall on failed trajectories; null when it never fires.';
COMMENT ON COLUMN replay_checks."false_fire" IS 'Share of successes it would change; null when there is no success.';
COMMENT ON COLUMN replay_checks."coverage" IS 'Share of its pattern in which it fires no later than the decisive step.';
COMMENT ON COLUMN replay_checks."tasks_at_risk" IS 'Tasks whose passing episodes it would touch.';
COMMENT ON COLUMN replay_checks."passed" IS 'Whether replay found nothing against it.';
COMMENT ON COLUMN replay_checks."reason" IS 'Reason code of the finding; `evidence` when it passed.';

CREATE TABLE exposure_trials (
    "edit_id"              VARCHAR NOT NULL,
    "source_trajectory_id" VARCHAR NOT NULL,
    "repeat"               BIGINT NOT NULL,
    "cycle_id"             VARCHAR NOT NULL,
    "task_id"              VARCHAR NOT NULL,
    "step_index"           BIGINT NOT NULL,
    "rung"                 BIGINT NOT NULL,
    "old_trajectory_id"    VARCHAR,
    "new_trajectory_id"    VARCHAR,
    "result"               VARCHAR NOT NULL,
    PRIMARY KEY ("edit_id", "source_trajectory_id", "repeat")
);
COMMENT ON TABLE exposure_trials IS 'One stored train run, gone on with from the moment an edit would act, with and without it.';
COMMENT ON COLUMN exposure_trials."edit_id" IS 'The edit.';
COMMENT ON COLUMN exposure_trials."source_trajectory_id" IS 'Stored run of the harness in force that was left at that moment.';
COMMENT ON COLUMN exposure_trials."repeat" IS 'Which continuation, from 0; both arms share its luck.';
COMMENT ON COLUMN exposure_trials."cycle_id" IS 'Cycle that ran it.';
COMMENT ON COLUMN exposure_trials."task_id" IS 'Train task.';
COMMENT ON COLUMN exposure_trials."step_index" IS 'Step from which both arms go on.';
COMMENT ON COLUMN exposure_trials."rung" IS 'Rung of the race in which it was run, from 1; later rungs hold fewer edits.';
COMMENT ON COLUMN exposure_trials."old_trajectory_id" IS 'Continuation without the edit; the source itself when the model always replies alike.';
COMMENT ON COLUMN exposure_trials."new_trajectory_id" IS 'Continuation with the edit.';
COMMENT ON COLUMN exposure_trials."result" IS 'Sign of the difference; invalid when either arm is a fault.';

CREATE TABLE paired_trials (
    "trial_id"          VARCHAR NOT NULL,
    "task_id"           VARCHAR NOT NULL,
    "ordinal"           BIGINT NOT NULL,
    "cycle_id"          VARCHAR NOT NULL,
    "purpose"           VARCHAR NOT NULL,
    "old_harness_id"    VARCHAR NOT NULL,
    "new_harness_id"    VARCHAR NOT NULL,
    "old_trajectory_id" VARCHAR,
    "new_trajectory_id" VARCHAR,
    "old_score"         DOUBLE,
    "new_score"         DOUBLE,
    "result"            VARCHAR NOT NULL,
    "by_construction"   BOOLEAN NOT NULL,
    "e_value"           DOUBLE NOT NULL,
    "new_first"         BOOLEAN,
    "objective"         VARCHAR NOT NULL,
    PRIMARY KEY ("trial_id", "task_id")
);
COMMENT ON TABLE paired_trials IS 'One pair of a paired trial: the same task and seed under two harnesses.';
COMMENT ON COLUMN paired_trials."trial_id" IS 'Hash of cycle, both harnesses, split and order seed.';
COMMENT ON COLUMN paired_trials."task_id" IS 'The task.';
COMMENT ON COLUMN paired_trials."ordinal" IS 'Position in the order that was fixed before the candidate existed.';
COMMENT ON COLUMN paired_trials."cycle_id" IS 'Cycle that ran it.';
COMMENT ON COLUMN paired_trials."purpose" IS 'What the trial decides; `noise` compares the harness in force with itself.';
COMMENT ON COLUMN paired_trials."old_harness_id" IS 'Harness in force.';
COMMENT ON COLUMN paired_trials."new_harness_id" IS 'Candidate.';
COMMENT ON COLUMN paired_trials."old_trajectory_id" IS 'First trajectory under the harness in force.';
COMMENT ON COLUMN paired_trials."new_trajectory_id" IS 'First trajectory under the candidate; null when the pair is a tie by construction.';
COMMENT ON COLUMN paired_trials."old_score" IS 'Mean of the objective over repeats; null when the pair is invalid.';
COMMENT ON COLUMN paired_trials."new_score" IS 'Mean of the objective over repeats; null when the pair is invalid.';
COMMENT ON COLUMN paired_trials."result" IS 'Sign of the difference; invalid when either arm is a fault.';
COMMENT ON COLUMN paired_trials."by_construction" IS 'Whether the pair is a tie without a rollout: the candidate provably cannot touch the stored run, or, in pruning, the stored run scores nothing and so cannot be lost.';
COMMENT ON COLUMN paired_trials."e_value" IS 'e-value after this pair.';
COMMENT ON COLUMN paired_trials."new_first" IS 'Whether the coin had the candidate go first; null when only one arm was run.';
COMMENT ON COLUMN paired_trials."objective" IS 'What wins a pair.';

CREATE TABLE gate_decisions (
    "edit_id"         VARCHAR NOT NULL,
    "cycle_id"        VARCHAR NOT NULL,
    "stage"           VARCHAR NOT NULL,
    "verdict"         VARCHAR NOT NULL,
    "reason"          VARCHAR NOT NULL,
    "trial_id"        VARCHAR,
    "slot"            BIGINT,
    "wins"            BIGINT NOT NULL,
    "losses"          BIGINT NOT NULL,
    "ties"            BIGINT NOT NULL,
    "e_value"         DOUBLE,
    "threshold"       DOUBLE,
    "delta"           DOUBLE,
    "delta_lo"        DOUBLE,
    "delta_hi"        DOUBLE,
    "regressions"     BIGINT NOT NULL,
    "resolvable_gain" DOUBLE,
    "token_increase"  DOUBLE,
    "flip_rate"       DOUBLE,
    "rare_families"   VARCHAR NOT NULL,
    "reskin_pairs"    BIGINT,
    "reskin_gain"     DOUBLE,
    "objective"       VARCHAR NOT NULL,
    "findings"        VARCHAR NOT NULL,
    PRIMARY KEY ("edit_id")
);
COMMENT ON TABLE gate_decisions IS 'The gate''s verdict on one edit.';
COMMENT ON COLUMN gate_decisions."edit_id" IS 'The edit.';
COMMENT ON COLUMN gate_decisions."cycle_id" IS 'The cycle.';
COMMENT ON COLUMN gate_decisions."stage" IS 'Stage that decided.';
COMMENT ON COLUMN gate_decisions."verdict" IS 'accepted, rejected or undecided.';
COMMENT ON COLUMN gate_decisions."reason" IS 'Reason code.';
COMMENT ON COLUMN gate_decisions."trial_id" IS 'Paired trial it rests on.';
COMMENT ON COLUMN gate_decisions."slot" IS 'Slot that was spent, from 1.';
COMMENT ON COLUMN gate_decisions."wins" IS 'Pairs the candidate won.';
COMMENT ON COLUMN gate_decisions."losses" IS 'Pairs the candidate lost.';
COMMENT ON COLUMN gate_decisions."ties" IS 'Pairs without a difference.';
COMMENT ON COLUMN gate_decisions."e_value" IS 'e-value at the decision.';
COMMENT ON COLUMN gate_decisions."threshold" IS 'e-value that was needed.';
COMMENT ON COLUMN gate_decisions."delta" IS 'Mean paired difference of the objective.';
COMMENT ON COLUMN gate_decisions."delta_lo" IS 'Lower end of its 95 % interval.';
COMMENT ON COLUMN gate_decisions."delta_hi" IS 'Upper end of its 95 % interval.';
COMMENT ON COLUMN gate_decisions."regressions" IS 'Lost pairs that count against the budget.';
COMMENT ON COLUMN gate_decisions."resolvable_gain" IS 'Smallest gain that the pairs at hand accept with power .8 at the loss rate seen; given where a trial or a missing slot left the edit undecided, null when no gain is resolved.';
COMMENT ON COLUMN gate_decisions."token_increase" IS 'Share by which the trial''s candidate used more tokens; null when an endpoint counts none.';
COMMENT ON COLUMN gate_decisions."flip_rate" IS 'Share of pairs that differ between two runs of the harness in force: the noise floor of the round; null for a model that always replies alike.';
COMMENT ON COLUMN gate_decisions."rare_families" IS 'Families that the trial''s wins and losses come from and that are rare among train tasks.';
COMMENT ON COLUMN gate_decisions."reskin_pairs" IS 'Won tasks that were tried again under other names and still left something to gain.';
COMMENT ON COLUMN gate_decisions."reskin_gain" IS 'Gain on them, of which half the gain on the originals is needed; null when not checked.';
COMMENT ON COLUMN gate_decisions."objective" IS 'What won a pair: success, or the share of turns that became actions. Budgets and must-pass tasks ask success, whatever it is.';
COMMENT ON COLUMN gate_decisions."findings" IS 'What the deciding stage found, one sentence each.';

CREATE TABLE approvals (
    "cycle_id"       VARCHAR NOT NULL,
    "round"          BIGINT NOT NULL,
    "old_harness_id" VARCHAR NOT NULL,
    "new_harness_id" VARCHAR NOT NULL,
    "answer"         VARCHAR NOT NULL,
    "decided_by"     VARCHAR NOT NULL,
    "note"           VARCHAR NOT NULL,
    "created_at"     TIMESTAMP NOT NULL,
    PRIMARY KEY ("cycle_id", "round")
);
COMMENT ON TABLE approvals IS 'The answer to one request to put an evolved harness in force.';
COMMENT ON COLUMN approvals."cycle_id" IS 'Cycle that asked.';
COMMENT ON COLUMN approvals."round" IS 'Round whose edits had passed the gate.';
COMMENT ON COLUMN approvals."old_harness_id" IS 'Harness in force when it was asked; it stays in force after a rejection.';
COMMENT ON COLUMN approvals."new_harness_id" IS 'Harness that waited for approval.';
COMMENT ON COLUMN approvals."answer" IS 'What was decided; a request that nobody answers in time is rejected.';
COMMENT ON COLUMN approvals."decided_by" IS 'Who decided.';
COMMENT ON COLUMN approvals."note" IS 'Reason given, as it was typed.';
COMMENT ON COLUMN approvals."created_at" IS 'When it was decided.';

CREATE TABLE gate_calibrations (
    "calibration_id"   VARCHAR NOT NULL,
    "rule"             VARCHAR NOT NULL,
    "effect"           VARCHAR NOT NULL,
    "source"           VARCHAR NOT NULL,
    "environment"      VARCHAR NOT NULL,
    "model"            VARCHAR NOT NULL,
    "harness_id"       VARCHAR,
    "planted_win"      DOUBLE NOT NULL,
    "planted_loss"     DOUBLE NOT NULL,
    "edits"            BIGINT NOT NULL,
    "pairs"            BIGINT NOT NULL,
    "repeats"          BIGINT NOT NULL,
    "threshold"        DOUBLE,
    "candidates"       BIGINT NOT NULL,
    "accepted"         DOUBLE NOT NULL,
    "undecided"        DOUBLE,
    "rejected"         DOUBLE,
    "mean_pairs"       DOUBLE,
    "discordant_share" DOUBLE,
    "seed"             BIGINT NOT NULL,
    PRIMARY KEY ("calibration_id", "rule", "effect")
);
COMMENT ON TABLE gate_calibrations IS 'How often one acceptance rule took candidates of known worth.';
COMMENT ON COLUMN gate_calibrations."calibration_id" IS 'Hash of what was resampled and of everything that was set.';
COMMENT ON COLUMN gate_calibrations."rule" IS '`gate`, or the name of a rule in use elsewhere.';
COMMENT ON COLUMN gate_calibrations."effect" IS '`none` for the harness against itself, else the name of what was planted.';
COMMENT ON COLUMN gate_calibrations."source" IS 'Whether runs of a live world were resampled, or a file of recorded trials.';
COMMENT ON COLUMN gate_calibrations."environment" IS 'Environment, or the name of the file.';
COMMENT ON COLUMN gate_calibrations."model" IS 'Model that made the runs; `recorded` for a file.';
COMMENT ON COLUMN gate_calibrations."harness_id" IS 'Harness the runs were made in; null for a file.';
COMMENT ON COLUMN gate_calibrations."planted_win" IS 'Share of runs that the planted edits turn into successes.';
COMMENT ON COLUMN gate_calibrations."planted_loss" IS 'Share of runs that they turn into failures.';
COMMENT ON COLUMN gate_calibrations."edits" IS 'Planted edits that entered together.';
COMMENT ON COLUMN gate_calibrations."pairs" IS 'Most pairs a candidate could use.';
COMMENT ON COLUMN gate_calibrations."repeats" IS 'Runs per arm and task.';
COMMENT ON COLUMN gate_calibrations."threshold" IS 'e-value that was needed; null for rules that know none.';
COMMENT ON COLUMN gate_calibrations."candidates" IS 'Candidates tried.';
COMMENT ON COLUMN gate_calibrations."accepted" IS 'Share accepted: false accepts where nothing was planted, else power.';
COMMENT ON COLUMN gate_calibrations."undecided" IS 'Share left undecided; null for rules that know no such verdict.';
COMMENT ON COLUMN gate_calibrations."rejected" IS 'Share rejected by the gate; null for other rules.';
COMMENT ON COLUMN gate_calibrations."mean_pairs" IS 'Mean pairs read before the decision; null for rules that read all.';
COMMENT ON COLUMN gate_calibrations."discordant_share" IS 'Share of pairs whose arms differ.';
COMMENT ON COLUMN gate_calibrations."seed" IS 'Seed of all draws.';

CREATE TABLE edit_follow_ups (
    "edit_id"            VARCHAR NOT NULL,
    "cycle_id"           VARCHAR NOT NULL,
    "round"              BIGINT NOT NULL,
    "old_harness_id"     VARCHAR NOT NULL,
    "new_harness_id"     VARCHAR NOT NULL,
    "runs"               BIGINT NOT NULL,
    "observed_fixes"     BIGINT NOT NULL,
    "realised_fixes"     BIGINT NOT NULL,
    "unpredicted_losses" BIGINT NOT NULL,
    "verdict"            VARCHAR NOT NULL,
    "is_reverted"        BOOLEAN NOT NULL,
    PRIMARY KEY ("edit_id")
);
COMMENT ON TABLE edit_follow_ups IS 'What an accepted edit promised, against the train runs made after it came into force.';
COMMENT ON COLUMN edit_follow_ups."edit_id" IS 'The edit.';
COMMENT ON COLUMN edit_follow_ups."cycle_id" IS 'Cycle that accepted it.';
COMMENT ON COLUMN edit_follow_ups."round" IS 'Round that accepted it.';
COMMENT ON COLUMN edit_follow_ups."old_harness_id" IS 'Harness in force before the round.';
COMMENT ON COLUMN edit_follow_ups."new_harness_id" IS 'Harness in force after it, whose runs are the reality.';
COMMENT ON COLUMN edit_follow_ups."runs" IS 'Train runs after the edit came into force.';
COMMENT ON COLUMN edit_follow_ups."observed_fixes" IS 'Tasks it promised to fix that failed before and were run again; a task not run is unknown.';
COMMENT ON COLUMN edit_follow_ups."realised_fixes" IS 'How many of them are solved now.';
COMMENT ON COLUMN edit_follow_ups."unpredicted_losses" IS 'Tasks solved before, lost now, traced to this edit and not named by it as risks.';
COMMENT ON COLUMN edit_follow_ups."verdict" IS 'falsified: losses exceed fixes, or too many promises were kept not even once.';
COMMENT ON COLUMN edit_follow_ups."is_reverted" IS 'Whether it was taken out again; a falsified edit stays where a later one built on it.';

CREATE TABLE budget_arms (
    "cycle_id"     VARCHAR NOT NULL,
    "arm"          VARCHAR NOT NULL,
    "arm_cycle_id" VARCHAR,
    "harness_id"   VARCHAR NOT NULL,
    "rollouts"     BIGINT NOT NULL,
    "tasks"        BIGINT NOT NULL,
    "success"      DOUBLE,
    "success_lo"   DOUBLE,
    "success_hi"   DOUBLE,
    "note"         VARCHAR NOT NULL,
    PRIMARY KEY ("cycle_id", "arm")
);
COMMENT ON TABLE budget_arms IS 'Sealed success of one way to spend a cycle''s rollouts.';
COMMENT ON COLUMN budget_arms."cycle_id" IS 'Cycle whose budget is matched.';
COMMENT ON COLUMN budget_arms."arm" IS '`evolution` is the cycle itself; sampling tries each sealed task again and again in the base harness; prompt and random are cycles with those editors.';
COMMENT ON COLUMN budget_arms."arm_cycle_id" IS 'Cycle of the arm; null for sampling.';
COMMENT ON COLUMN budget_arms."harness_id" IS 'Harness scored.';
COMMENT ON COLUMN budget_arms."rollouts" IS 'Rollouts spent before the score, those of scoring left out; of sampling all its tries.';
COMMENT ON COLUMN budget_arms."tasks" IS 'Sealed tasks scored.';
COMMENT ON COLUMN budget_arms."success" IS 'Share of sealed tasks solved; of sampling the share solved in at least one try, which is an upper bound: it needs a verifier when the agent runs.';
COMMENT ON COLUMN budget_arms."success_lo" IS 'Lower end of the 95 % Wilson interval.';
COMMENT ON COLUMN budget_arms."success_hi" IS 'Upper end of the 95 % Wilson interval.';
COMMENT ON COLUMN budget_arms."note" IS 'What has to be known to read the number.';

CREATE TABLE production_verdicts (
    "verdict_id"           VARCHAR NOT NULL,
    "environment"          VARCHAR NOT NULL,
    "treatment_harness_id" VARCHAR NOT NULL,
    "control_harness_id"   VARCHAR,
    "alpha"                DOUBLE NOT NULL,
    "outcome"              VARCHAR NOT NULL,
    "e_better"             DOUBLE NOT NULL,
    "e_worse"              DOUBLE NOT NULL,
    "threshold"            DOUBLE NOT NULL,
    "treated"              BIGINT NOT NULL,
    "treated_successes"    BIGINT NOT NULL,
    "controls"             BIGINT NOT NULL,
    "control_successes"    BIGINT NOT NULL,
    "treated_unknown"      BIGINT NOT NULL,
    "control_unknown"      BIGINT NOT NULL,
    "difference"           DOUBLE,
    "difference_lo"        DOUBLE NOT NULL,
    "difference_hi"        DOUBLE NOT NULL,
    "resolvable"           DOUBLE,
    "created_at"           TIMESTAMP NOT NULL,
    PRIMARY KEY ("verdict_id")
);
COMMENT ON TABLE production_verdicts IS 'One look at a comparison of two arms in production.';
COMMENT ON COLUMN production_verdicts."verdict_id" IS 'Hash of environment, arms, alpha and of every session that was read.';
COMMENT ON COLUMN production_verdicts."environment" IS 'Environment.';
COMMENT ON COLUMN production_verdicts."treatment_harness_id" IS 'Harness that is tried.';
COMMENT ON COLUMN production_verdicts."control_harness_id" IS 'Harness of the other arm; null when it passes everything unchanged.';
COMMENT ON COLUMN production_verdicts."alpha" IS 'Chance allowed of any verdict, ever, when the arms do not differ.';
COMMENT ON COLUMN production_verdicts."outcome" IS 'What this look says of the tried harness.';
COMMENT ON COLUMN production_verdicts."e_better" IS 'e-value of the tried harness being better.';
COMMENT ON COLUMN production_verdicts."e_worse" IS 'e-value of the tried harness being worse.';
COMMENT ON COLUMN production_verdicts."threshold" IS 'e-value that either needs.';
COMMENT ON COLUMN production_verdicts."treated" IS 'Sessions with the tried harness whose outcome is known.';
COMMENT ON COLUMN production_verdicts."treated_successes" IS 'How many of them succeeded.';
COMMENT ON COLUMN production_verdicts."controls" IS 'Sessions of the other arm whose outcome is known.';
COMMENT ON COLUMN production_verdicts."control_successes" IS 'How many of them succeeded.';
COMMENT ON COLUMN production_verdicts."treated_unknown" IS 'Sessions with the tried harness whose outcome is not known, or doubted.';
COMMENT ON COLUMN production_verdicts."control_unknown" IS 'Sessions of the other arm whose outcome is not known, or doubted.';
COMMENT ON COLUMN production_verdicts."difference" IS 'Success with the tried harness less success of the other arm; null when an arm is empty.';
COMMENT ON COLUMN production_verdicts."difference_lo" IS 'Lower end of its confidence sequence, which holds at all looks together.';
COMMENT ON COLUMN production_verdicts."difference_hi" IS 'Upper end of it.';
COMMENT ON COLUMN production_verdicts."resolvable" IS 'Smallest true difference that these sessions show with power .8; null when none is.';
COMMENT ON COLUMN production_verdicts."created_at" IS 'When it was looked (UTC).';

CREATE TABLE evaluations (
    "evaluation_id"          VARCHAR NOT NULL,
    "environment"            VARCHAR NOT NULL,
    "model"                  VARCHAR NOT NULL,
    "harness_id"             VARCHAR NOT NULL,
    "split"                  VARCHAR NOT NULL,
    "purpose"                VARCHAR NOT NULL,
    "cycle_id"               VARCHAR,
    "round"                  BIGINT,
    "tasks"                  BIGINT NOT NULL,
    "successes"              DOUBLE NOT NULL,
    "faults"                 BIGINT NOT NULL,
    "success"                DOUBLE,
    "success_lo"             DOUBLE,
    "success_hi"             DOUBLE,
    "mean_steps"             DOUBLE,
    "mean_prompt_tokens"     DOUBLE,
    "card_id"                VARCHAR,
    "loop"                   VARCHAR NOT NULL,
    "trials"                 BIGINT NOT NULL,
    "pass_hat"               VARCHAR NOT NULL,
    "by_trial"               VARCHAR NOT NULL,
    "mean_completion_tokens" DOUBLE,
    "cost_usd"               DOUBLE,
    "constrained"            BIGINT NOT NULL,
    "executable"             DOUBLE,
    "executable_lo"          DOUBLE,
    "executable_hi"          DOUBLE,
    PRIMARY KEY ("evaluation_id")
);
COMMENT ON TABLE evaluations IS 'Success of one model in one harness on one split: one cell of a matrix.';
COMMENT ON COLUMN evaluations."evaluation_id" IS 'Hash of everything that determines the numbers.';
COMMENT ON COLUMN evaluations."environment" IS 'Environment.';
COMMENT ON COLUMN evaluations."model" IS 'Model, with its loop where that is not `tool_call`.';
COMMENT ON COLUMN evaluations."harness_id" IS 'Harness.';
COMMENT ON COLUMN evaluations."split" IS 'Split.';
COMMENT ON COLUMN evaluations."purpose" IS 'Why it was made, such as `baseline`, `final` or `evaluate`.';
COMMENT ON COLUMN evaluations."cycle_id" IS 'Cycle it belongs to; null for a single evaluation.';
COMMENT ON COLUMN evaluations."round" IS 'Round after which it was made.';
COMMENT ON COLUMN evaluations."tasks" IS 'Tasks scored; faults are left out.';
COMMENT ON COLUMN evaluations."successes" IS 'Sum of task means.';
COMMENT ON COLUMN evaluations."faults" IS 'Episodes left out because infrastructure failed.';
COMMENT ON COLUMN evaluations."success" IS 'Share of tasks solved; null when no task was scored.';
COMMENT ON COLUMN evaluations."success_lo" IS 'Lower end of the 95 % Wilson interval over tasks.';
COMMENT ON COLUMN evaluations."success_hi" IS 'Upper end of the 95 % Wilson interval over tasks.';
COMMENT ON COLUMN evaluations."mean_steps" IS 'Mean steps an episode.';
COMMENT ON COLUMN evaluations."mean_prompt_tokens" IS 'Mean prompt tokens an episode.';
COMMENT ON COLUMN evaluations."card_id" IS 'Evaluation card it belongs to; null for a score within a cycle.';
COMMENT ON COLUMN evaluations."loop" IS 'Agent loop; `own` for a program of the user.';
COMMENT ON COLUMN evaluations."trials" IS 'Trials of each task.';
COMMENT ON COLUMN evaluations."pass_hat" IS 'Unbiased pass^k by k: the chance that k trials of a task all succeed. Null where some task has fewer judged trials, and where trials are no equals since the agent learns from them.';
COMMENT ON COLUMN evaluations."by_trial" IS 'Success in the first trial, the second, and so on.';
COMMENT ON COLUMN evaluations."mean_completion_tokens" IS 'Mean completion tokens an episode.';
COMMENT ON COLUMN evaluations."cost_usd" IS 'Price of all its episodes; null when an endpoint has none.';
COMMENT ON COLUMN evaluations."constrained" IS 'Episodes in which a decoder was held to a schema, which hides calls that cannot run.';
COMMENT ON COLUMN evaluations."executable" IS 'Mean over tasks of the share of turns that became actions; null when no task was scored.';
COMMENT ON COLUMN evaluations."executable_lo" IS 'Lower end of the 95 % Wilson interval over tasks.';
COMMENT ON COLUMN evaluations."executable_hi" IS 'Upper end of the 95 % Wilson interval over tasks.';

CREATE TABLE evaluation_contrasts (
    "card_id"           VARCHAR NOT NULL,
    "contrast_id"       VARCHAR NOT NULL,
    "kind"              VARCHAR NOT NULL,
    "subject"           VARCHAR NOT NULL,
    "environment"       VARCHAR NOT NULL,
    "model"             VARCHAR NOT NULL,
    "loop"              VARCHAR NOT NULL,
    "split"             VARCHAR NOT NULL,
    "old_evaluation_id" VARCHAR NOT NULL,
    "new_evaluation_id" VARCHAR NOT NULL,
    "pairs"             BIGINT NOT NULL,
    "old_success"       DOUBLE,
    "new_success"       DOUBLE,
    "delta"             DOUBLE,
    "delta_lo"          DOUBLE,
    "delta_hi"          DOUBLE,
    "delta_bound"       DOUBLE,
    "wins"              BIGINT NOT NULL,
    "losses"            BIGINT NOT NULL,
    "ties"              BIGINT NOT NULL,
    "p_value"           DOUBLE NOT NULL,
    "relative_gain"     DOUBLE,
    "relative_lo"       DOUBLE,
    "relative_hi"       DOUBLE,
    "relative_status"   VARCHAR NOT NULL,
    "transfer_ratio"    DOUBLE,
    "transfer_lo"       DOUBLE,
    "transfer_hi"       DOUBLE,
    "transfer_status"   VARCHAR,
    "seed"              BIGINT NOT NULL,
    "executable_delta"  DOUBLE,
    "executable_lo"     DOUBLE,
    "executable_hi"     DOUBLE,
    PRIMARY KEY ("card_id", "contrast_id")
);
COMMENT ON TABLE evaluation_contrasts IS 'Paired difference of two cells on the tasks judged in both.';
COMMENT ON COLUMN evaluation_contrasts."card_id" IS 'Card it belongs to.';
COMMENT ON COLUMN evaluation_contrasts."contrast_id" IS 'Hash of kind and both cells.';
COMMENT ON COLUMN evaluation_contrasts."kind" IS 'What differs: harness, loop, editor; `without_layer` is the whole harness against the same without a layer, `with_layer` one layer alone against none, `all_layers` all against none.';
COMMENT ON COLUMN evaluation_contrasts."subject" IS 'Harness, loop, editor or layer that is tried.';
COMMENT ON COLUMN evaluation_contrasts."environment" IS 'Environment.';
COMMENT ON COLUMN evaluation_contrasts."model" IS 'Model, with its loop, that is tried.';
COMMENT ON COLUMN evaluation_contrasts."loop" IS 'Agent loop that is tried.';
COMMENT ON COLUMN evaluation_contrasts."split" IS 'Split.';
COMMENT ON COLUMN evaluation_contrasts."old_evaluation_id" IS 'Cell compared with.';
COMMENT ON COLUMN evaluation_contrasts."new_evaluation_id" IS 'Cell that is tried.';
COMMENT ON COLUMN evaluation_contrasts."pairs" IS 'Tasks judged in both.';
COMMENT ON COLUMN evaluation_contrasts."old_success" IS 'Success of the old cell on them.';
COMMENT ON COLUMN evaluation_contrasts."new_success" IS 'Success of the new cell on them.';
COMMENT ON COLUMN evaluation_contrasts."delta" IS 'Mean difference of success, new less old.';
COMMENT ON COLUMN evaluation_contrasts."delta_lo" IS 'Lower end of its 95 % interval, bootstrapped over tasks.';
COMMENT ON COLUMN evaluation_contrasts."delta_hi" IS 'Upper end of its 95 % interval.';
COMMENT ON COLUMN evaluation_contrasts."delta_bound" IS 'One-sided 95 % lower bound of the difference: above 0 the layer or harness is needed.';
COMMENT ON COLUMN evaluation_contrasts."wins" IS 'Tasks the new cell does better.';
COMMENT ON COLUMN evaluation_contrasts."losses" IS 'Tasks it does worse.';
COMMENT ON COLUMN evaluation_contrasts."ties" IS 'Tasks without a difference.';
COMMENT ON COLUMN evaluation_contrasts."p_value" IS 'Exact one-sided McNemar test of wins against losses.';
COMMENT ON COLUMN evaluation_contrasts."relative_gain" IS 'Difference over the old success; null where that is below 0.1.';
COMMENT ON COLUMN evaluation_contrasts."relative_lo" IS 'Lower Fieller limit.';
COMMENT ON COLUMN evaluation_contrasts."relative_hi" IS 'Upper Fieller limit.';
COMMENT ON COLUMN evaluation_contrasts."relative_status" IS 'Why the relative gain or its limits are null.';
COMMENT ON COLUMN evaluation_contrasts."transfer_ratio" IS 'Difference over that of the source model; null unless the source gains for sure.';
COMMENT ON COLUMN evaluation_contrasts."transfer_lo" IS 'Lower Fieller limit.';
COMMENT ON COLUMN evaluation_contrasts."transfer_hi" IS 'Upper Fieller limit.';
COMMENT ON COLUMN evaluation_contrasts."transfer_status" IS 'Why the transfer ratio is null; null itself without a source model.';
COMMENT ON COLUMN evaluation_contrasts."seed" IS 'Seed of the bootstrap.';
COMMENT ON COLUMN evaluation_contrasts."executable_delta" IS 'Mean difference of the share of executable actions on the tasks known in both.';
COMMENT ON COLUMN evaluation_contrasts."executable_lo" IS 'Lower end of its 95 % interval, bootstrapped over tasks.';
COMMENT ON COLUMN evaluation_contrasts."executable_hi" IS 'Upper end of its 95 % interval.';

CREATE TABLE evaluation_summaries (
    "card_id"        VARCHAR NOT NULL,
    "kind"           VARCHAR NOT NULL,
    "axis"           VARCHAR NOT NULL,
    "member"         VARCHAR NOT NULL,
    "cells"          BIGINT NOT NULL,
    "improved"       DOUBLE,
    "improved_lo"    DOUBLE,
    "improved_hi"    DOUBLE,
    "clear_gains"    BIGINT NOT NULL,
    "clear_losses"   BIGINT NOT NULL,
    "gain"           DOUBLE,
    "gain_lo"        DOUBLE,
    "gain_hi"        DOUBLE,
    "best_gain"      DOUBLE,
    "relative_gain"  DOUBLE,
    "relative_lo"    DOUBLE,
    "relative_hi"    DOUBLE,
    "relative_cells" BIGINT NOT NULL,
    PRIMARY KEY ("card_id", "kind", "axis", "member")
);
COMMENT ON TABLE evaluation_summaries IS 'What the contrasts of one kind say together, over all cells or over those of one member.';
COMMENT ON COLUMN evaluation_summaries."card_id" IS 'Card it belongs to.';
COMMENT ON COLUMN evaluation_summaries."kind" IS 'Kind of contrast.';
COMMENT ON COLUMN evaluation_summaries."axis" IS 'Axis along which cells are taken together.';
COMMENT ON COLUMN evaluation_summaries."member" IS 'Value on that axis; empty for `all`. By `subject` editors give the update gain, by `model` the benefit.';
COMMENT ON COLUMN evaluation_summaries."cells" IS 'Contrasts with a task judged in both cells.';
COMMENT ON COLUMN evaluation_summaries."improved" IS 'Share of them with a difference above 0.';
COMMENT ON COLUMN evaluation_summaries."improved_lo" IS 'Lower end of the 95 % Wilson interval over cells.';
COMMENT ON COLUMN evaluation_summaries."improved_hi" IS 'Upper end of the 95 % Wilson interval over cells.';
COMMENT ON COLUMN evaluation_summaries."clear_gains" IS 'Contrasts whose whole interval lies above 0.';
COMMENT ON COLUMN evaluation_summaries."clear_losses" IS 'Contrasts whose whole interval lies below 0.';
COMMENT ON COLUMN evaluation_summaries."gain" IS 'Mean difference of success.';
COMMENT ON COLUMN evaluation_summaries."gain_lo" IS 'Lower end of its 95 % interval; tasks are drawn once for all cells that share them.';
COMMENT ON COLUMN evaluation_summaries."gain_hi" IS 'Upper end of its 95 % interval.';
COMMENT ON COLUMN evaluation_summaries."best_gain" IS 'Largest difference: what picking the best afterwards would claim, biased upwards.';
COMMENT ON COLUMN evaluation_summaries."relative_gain" IS 'Mean relative gain over the cells where it is defined.';
COMMENT ON COLUMN evaluation_summaries."relative_lo" IS 'Lower end of its 95 % interval.';
COMMENT ON COLUMN evaluation_summaries."relative_hi" IS 'Upper end of its 95 % interval.';
COMMENT ON COLUMN evaluation_summaries."relative_cells" IS 'Cells it is defined in.';

CREATE TABLE evaluation_cards (
    "card_id"      VARCHAR NOT NULL,
    "inputs_id"    VARCHAR NOT NULL,
    "protocol"     VARCHAR NOT NULL,
    "simulated"    BOOLEAN NOT NULL,
    "models"       VARCHAR NOT NULL,
    "harnesses"    VARCHAR NOT NULL,
    "loops"        VARCHAR NOT NULL,
    "pools"        VARCHAR NOT NULL,
    "step_budgets" VARCHAR NOT NULL,
    "noise"        VARCHAR NOT NULL,
    "trials"       BIGINT NOT NULL,
    "seed"         BIGINT NOT NULL,
    "source"       VARCHAR NOT NULL,
    "cycles"       VARCHAR NOT NULL,
    "cells"        BIGINT NOT NULL,
    "episodes"     BIGINT NOT NULL,
    "faults"       BIGINT NOT NULL,
    "inputs"       VARCHAR NOT NULL,
    "release"      VARCHAR NOT NULL,
    "created_at"   TIMESTAMP NOT NULL,
    PRIMARY KEY ("card_id")
);
COMMENT ON TABLE evaluation_cards IS 'How an evaluation was made: everything a reader of its numbers should know.';
COMMENT ON COLUMN evaluation_cards."card_id" IS 'Hash of the inputs and of the trajectories it rests on.';
COMMENT ON COLUMN evaluation_cards."inputs_id" IS 'Hash of the inputs alone: by it an evaluation that is done is recognised.';
COMMENT ON COLUMN evaluation_cards."protocol" IS '`grid` of given harnesses, `editors` by models, or `transfer` from a source model.';
COMMENT ON COLUMN evaluation_cards."simulated" IS 'Whether a simulated or built-in model made any of the numbers.';
COMMENT ON COLUMN evaluation_cards."models" IS 'Models with fingerprint, sampling, and whether they are simulated or deterministic.';
COMMENT ON COLUMN evaluation_cards."harnesses" IS 'Harnesses with environment and the word they were named by.';
COMMENT ON COLUMN evaluation_cards."loops" IS 'Agent loops.';
COMMENT ON COLUMN evaluation_cards."pools" IS 'Task pools: by environment and split the tasks there are, used, and held out.';
COMMENT ON COLUMN evaluation_cards."step_budgets" IS 'Most turns of an episode by environment.';
COMMENT ON COLUMN evaluation_cards."noise" IS 'Why equal runs may end differently, by environment; those where they cannot are left out.';
COMMENT ON COLUMN evaluation_cards."trials" IS 'Trials of each task; 1 where a model always replies alike.';
COMMENT ON COLUMN evaluation_cards."seed" IS 'Seed of episodes and of all draws.';
COMMENT ON COLUMN evaluation_cards."source" IS 'Model that the transfer ratio is taken against; empty for none.';
COMMENT ON COLUMN evaluation_cards."cycles" IS 'Cycles that evolved the harnesses, by editor and model; empty for given harnesses.';
COMMENT ON COLUMN evaluation_cards."cells" IS 'Cells scored.';
COMMENT ON COLUMN evaluation_cards."episodes" IS 'Episodes they rest on.';
COMMENT ON COLUMN evaluation_cards."faults" IS 'Episodes left out because infrastructure failed; they are run again by the same command.';
COMMENT ON COLUMN evaluation_cards."inputs" IS 'All inputs as hashed.';
COMMENT ON COLUMN evaluation_cards."release" IS 'Release that made it.';
COMMENT ON COLUMN evaluation_cards."created_at" IS 'When (UTC).';

CREATE TABLE benefit_rates (
    "cycle_id"           VARCHAR NOT NULL,
    "environment"        VARCHAR NOT NULL,
    "model"              VARCHAR NOT NULL,
    "reference"          VARCHAR NOT NULL,
    "base_harness_id"    VARCHAR NOT NULL,
    "updated_harness_id" VARCHAR NOT NULL,
    "tasks"              BIGINT NOT NULL,
    "gain"               DOUBLE,
    "gain_lo"            DOUBLE,
    "gain_hi"            DOUBLE,
    "reference_gain"     DOUBLE,
    "hbr"                DOUBLE,
    "hbr_lo"             DOUBLE,
    "hbr_hi"             DOUBLE,
    "hbr_headroom"       DOUBLE,
    "status"             VARCHAR NOT NULL,
    "activation"         DOUBLE,
    "following"          DOUBLE,
    PRIMARY KEY ("cycle_id", "model", "reference")
);
COMMENT ON TABLE benefit_rates IS 'How much of a reference model''s gain another model gets from the same harness.';
COMMENT ON COLUMN benefit_rates."cycle_id" IS 'Cycle that measured it.';
COMMENT ON COLUMN benefit_rates."environment" IS 'Environment.';
COMMENT ON COLUMN benefit_rates."model" IS 'Model under diagnosis.';
COMMENT ON COLUMN benefit_rates."reference" IS 'Reference model.';
COMMENT ON COLUMN benefit_rates."base_harness_id" IS 'Harness before.';
COMMENT ON COLUMN benefit_rates."updated_harness_id" IS 'Harness after.';
COMMENT ON COLUMN benefit_rates."tasks" IS 'Paired tasks.';
COMMENT ON COLUMN benefit_rates."gain" IS 'Mean paired gain of the model.';
COMMENT ON COLUMN benefit_rates."gain_lo" IS 'Lower end of its 95 % interval.';
COMMENT ON COLUMN benefit_rates."gain_hi" IS 'Upper end of its 95 % interval.';
COMMENT ON COLUMN benefit_rates."reference_gain" IS 'Mean paired gain of the reference.';
COMMENT ON COLUMN benefit_rates."hbr" IS 'gain / reference_gain; null unless status is `ok`.';
COMMENT ON COLUMN benefit_rates."hbr_lo" IS 'Lower end of the Fieller interval.';
COMMENT ON COLUMN benefit_rates."hbr_hi" IS 'Upper end of the Fieller interval.';
COMMENT ON COLUMN benefit_rates."hbr_headroom" IS 'The same ratio with each gain divided by the room left above the base.';
COMMENT ON COLUMN benefit_rates."status" IS 'Why the ratio is or is not defined.';
COMMENT ON COLUMN benefit_rates."activation" IS 'Share of runs with a valid load among those where an artifact''s trigger held.';
COMMENT ON COLUMN benefit_rates."following" IS 'Share of loaded runs that followed what they loaded.';

CREATE TABLE decision_points (
    "decision_point_id" VARCHAR NOT NULL,
    "cycle_id"          VARCHAR NOT NULL,
    "trajectory_id"     VARCHAR NOT NULL,
    "step_index"        BIGINT NOT NULL,
    "artifact_id"       VARCHAR NOT NULL,
    "family"            VARCHAR NOT NULL,
    "model"             VARCHAR NOT NULL,
    "called"            BOOLEAN NOT NULL,
    "followed"          BOOLEAN,
    "outcome"           VARCHAR NOT NULL,
    "forked"            BOOLEAN NOT NULL,
    "snapshot_id"       VARCHAR,
    PRIMARY KEY ("decision_point_id")
);
COMMENT ON TABLE decision_points IS 'A step at which an artifact''s trigger held, or at which a run left what it had loaded.';
COMMENT ON COLUMN decision_points."decision_point_id" IS 'Hash of cycle, trajectory, step and artifact.';
COMMENT ON COLUMN decision_points."cycle_id" IS 'Cycle that found it.';
COMMENT ON COLUMN decision_points."trajectory_id" IS 'The trajectory.';
COMMENT ON COLUMN decision_points."step_index" IS 'The step.';
COMMENT ON COLUMN decision_points."artifact_id" IS 'The artifact.';
COMMENT ON COLUMN decision_points."family" IS 'Task family.';
COMMENT ON COLUMN decision_points."model" IS 'Model that acted.';
COMMENT ON COLUMN decision_points."called" IS 'Whether a valid call of the artifact came within the window of its trigger.';
COMMENT ON COLUMN decision_points."followed" IS 'Whether the loaded artifact was obeyed; null when it was not loaded.';
COMMENT ON COLUMN decision_points."outcome" IS 'Outcome of the trajectory.';
COMMENT ON COLUMN decision_points."forked" IS 'Whether the point was drawn for forks.';
COMMENT ON COLUMN decision_points."snapshot_id" IS 'State the forks start from.';

CREATE TABLE counterfactuals (
    "decision_point_id" VARCHAR NOT NULL,
    "arm"               VARCHAR NOT NULL,
    "repeat"            BIGINT NOT NULL,
    "trajectory_id"     VARCHAR NOT NULL,
    "invoked"           BOOLEAN NOT NULL,
    "success"           BOOLEAN,
    PRIMARY KEY ("decision_point_id", "arm", "repeat")
);
COMMENT ON TABLE counterfactuals IS 'One fork from a decision point.';
COMMENT ON COLUMN counterfactuals."decision_point_id" IS 'The decision point.';
COMMENT ON COLUMN counterfactuals."arm" IS 'What was changed: nothing; the artifact''s reference was put before the model; the reference model took over until the omitted checkpoints were kept.';
COMMENT ON COLUMN counterfactuals."repeat" IS 'Which re-roll; arms share it.';
COMMENT ON COLUMN counterfactuals."trajectory_id" IS 'The forked trajectory.';
COMMENT ON COLUMN counterfactuals."invoked" IS 'Whether the artifact was called within the window; where it had been loaded, obeyed.';
COMMENT ON COLUMN counterfactuals."success" IS 'Whether the fork succeeded; null for a fault.';

CREATE TABLE following_checks (
    "trajectory_id" VARCHAR NOT NULL,
    "artifact_id"   VARCHAR NOT NULL,
    "checkpoint"    BIGINT NOT NULL,
    "text"          VARCHAR NOT NULL,
    "verdict"       VARCHAR NOT NULL,
    "step_index"    BIGINT,
    PRIMARY KEY ("trajectory_id", "artifact_id", "checkpoint")
);
COMMENT ON TABLE following_checks IS 'Whether one checkpoint of a loaded artifact was kept in one trajectory.';
COMMENT ON COLUMN following_checks."trajectory_id" IS 'The trajectory.';
COMMENT ON COLUMN following_checks."artifact_id" IS 'The artifact.';
COMMENT ON COLUMN following_checks."checkpoint" IS 'Position of the checkpoint in the artifact.';
COMMENT ON COLUMN following_checks."text" IS 'The checkpoint.';
COMMENT ON COLUMN following_checks."verdict" IS 'What the steps show.';
COMMENT ON COLUMN following_checks."step_index" IS 'Step that shows it.';

CREATE TABLE benefit_gaps (
    "cycle_id"         VARCHAR NOT NULL,
    "model"            VARCHAR NOT NULL,
    "environment"      VARCHAR NOT NULL,
    "family"           VARCHAR NOT NULL,
    "gap_type"         VARCHAR NOT NULL,
    "artifact_id"      VARCHAR NOT NULL,
    "reach"            DOUBLE NOT NULL,
    "prevalence"       DOUBLE NOT NULL,
    "effect"           DOUBLE,
    "effect_lcb"       DOUBLE,
    "severity"         DOUBLE NOT NULL,
    "points"           BIGINT NOT NULL,
    "verdict"          VARCHAR NOT NULL,
    "failed_runs"      BIGINT NOT NULL,
    "unexplained_runs" BIGINT NOT NULL,
    PRIMARY KEY ("cycle_id", "model", "family", "gap_type", "artifact_id")
);
COMMENT ON TABLE benefit_gaps IS 'Expected success per task that a cure for one kind of gap would recover.';
COMMENT ON COLUMN benefit_gaps."cycle_id" IS 'Cycle that measured it.';
COMMENT ON COLUMN benefit_gaps."model" IS 'Model.';
COMMENT ON COLUMN benefit_gaps."environment" IS 'Environment.';
COMMENT ON COLUMN benefit_gaps."family" IS 'Task family.';
COMMENT ON COLUMN benefit_gaps."gap_type" IS 'activation: should have been used and was not; following: was used and not obeyed.';
COMMENT ON COLUMN benefit_gaps."artifact_id" IS 'The artifact.';
COMMENT ON COLUMN benefit_gaps."reach" IS 'Share of the family''s tasks in which the trigger holds.';
COMMENT ON COLUMN benefit_gaps."prevalence" IS 'Share of those runs that show the gap.';
COMMENT ON COLUMN benefit_gaps."effect" IS 'Success lift of the cure at decision points; null when it was not measured.';
COMMENT ON COLUMN benefit_gaps."effect_lcb" IS 'Lower 80 % bound of the effect, floored at 0.';
COMMENT ON COLUMN benefit_gaps."severity" IS 'reach x prevalence x effect_lcb.';
COMMENT ON COLUMN benefit_gaps."points" IS 'Decision points behind the effect.';
COMMENT ON COLUMN benefit_gaps."verdict" IS 'What the forks say: the cure is taken up and helps; taken up without help; not taken up; helps without being taken up; no help, but taken up too seldom to tell; no forks.';
COMMENT ON COLUMN benefit_gaps."failed_runs" IS 'Failed runs of the family that show the gap.';
COMMENT ON COLUMN benefit_gaps."unexplained_runs" IS 'Failed runs of the family in which the artifact was called and followed, or not due.';

CREATE TABLE training_examples (
    "example_id"             VARCHAR NOT NULL,
    "cycle_id"               VARCHAR NOT NULL,
    "kind"                   VARCHAR NOT NULL,
    "path"                   VARCHAR NOT NULL,
    "environment"            VARCHAR NOT NULL,
    "family"                 VARCHAR NOT NULL,
    "task_id"                VARCHAR NOT NULL,
    "split"                  VARCHAR NOT NULL,
    "model"                  VARCHAR NOT NULL,
    "trajectory_id"          VARCHAR NOT NULL,
    "step_index"             BIGINT NOT NULL,
    "artifact_id"            VARCHAR NOT NULL,
    "rejected_trajectory_id" VARCHAR,
    "messages"               VARCHAR NOT NULL,
    "chosen"                 VARCHAR NOT NULL,
    "rejected"               VARCHAR,
    "tools"                  VARCHAR NOT NULL,
    "simulated"              BOOLEAN NOT NULL,
    PRIMARY KEY ("example_id")
);
COMMENT ON TABLE training_examples IS 'One training example with lineage to the trajectory, step and artifact it came from.';
COMMENT ON COLUMN training_examples."example_id" IS 'Hash of cycle, kind, lineage and messages.';
COMMENT ON COLUMN training_examples."cycle_id" IS 'Cycle that made it.';
COMMENT ON COLUMN training_examples."kind" IS 'anchored_call: call the artifact here; faithful_pair: obey it rather than deviate.';
COMMENT ON COLUMN training_examples."path" IS 'Gap it is meant to close.';
COMMENT ON COLUMN training_examples."environment" IS 'Environment.';
COMMENT ON COLUMN training_examples."family" IS 'Task family.';
COMMENT ON COLUMN training_examples."task_id" IS 'Task of the trajectory.';
COMMENT ON COLUMN training_examples."split" IS 'Split of the task; only train tasks become examples.';
COMMENT ON COLUMN training_examples."model" IS 'Model the example is for.';
COMMENT ON COLUMN training_examples."trajectory_id" IS 'Trajectory that holds the prefix, and the chosen side of a pair.';
COMMENT ON COLUMN training_examples."step_index" IS 'Step the example is anchored at.';
COMMENT ON COLUMN training_examples."artifact_id" IS 'Artifact it teaches.';
COMMENT ON COLUMN training_examples."rejected_trajectory_id" IS 'Trajectory of the rejected side of a pair.';
COMMENT ON COLUMN training_examples."messages" IS 'Chat messages up to the anchor.';
COMMENT ON COLUMN training_examples."chosen" IS 'Messages to learn.';
COMMENT ON COLUMN training_examples."rejected" IS 'Messages to move away from; null unless a pair.';
COMMENT ON COLUMN training_examples."tools" IS 'Tool definitions.';
COMMENT ON COLUMN training_examples."simulated" IS 'Whether a simulated model wrote any side of it.';

CREATE TABLE exports (
    "export_id"  VARCHAR NOT NULL,
    "format"     VARCHAR NOT NULL,
    "file_name"  VARCHAR NOT NULL,
    "rows"       BIGINT NOT NULL,
    "refused"    BIGINT NOT NULL,
    "sha256"     VARCHAR NOT NULL,
    "created_at" TIMESTAMP NOT NULL,
    PRIMARY KEY ("export_id")
);
COMMENT ON TABLE exports IS 'One export: a file of examples for a trainer, or a folder of trajectories.';
COMMENT ON COLUMN exports."export_id" IS 'Hash of format, file name and content.';
COMMENT ON COLUMN exports."format" IS 'Format, such as `trl-sft` or `atif`.';
COMMENT ON COLUMN exports."file_name" IS 'Name of the file or folder, without where it stands.';
COMMENT ON COLUMN exports."rows" IS 'Rows written.';
COMMENT ON COLUMN exports."refused" IS 'Rows left out because they break the format or hold a secret.';
COMMENT ON COLUMN exports."sha256" IS 'Hash of what was written.';
COMMENT ON COLUMN exports."created_at" IS 'When it was written (UTC).';
