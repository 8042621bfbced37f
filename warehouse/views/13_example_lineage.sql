-- Every training example with the trajectory, step and artifact it came from, and what was said at
-- that step.
WITH artifacts AS (
    SELECT artifact_id, any_value(layer) AS layer, any_value(name) AS name
    FROM harness_artifacts
    GROUP BY artifact_id
)
SELECT
    e.example_id,
    e.kind,
    e.path,
    e.cycle_id,
    e.environment,
    e.family,
    e.task_id,
    e.model,
    e.trajectory_id,
    e.step_index,
    t.harness_id,
    t.outcome,
    s.role,
    s.text,
    s.observation,
    e.artifact_id,
    a.layer,
    a.name AS artifact,
    e.rejected_trajectory_id,
    e.simulated
FROM training_examples AS e
LEFT JOIN trajectories AS t ON t.trajectory_id = e.trajectory_id
LEFT JOIN steps AS s ON s.trajectory_id = e.trajectory_id AND s.step_index = e.step_index
LEFT JOIN artifacts AS a ON a.artifact_id = e.artifact_id
ORDER BY e.example_id
