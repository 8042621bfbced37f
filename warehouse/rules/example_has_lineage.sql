-- error on training_examples
-- A training example traces to a stored step and a stored artifact.
SELECT e.example_id
FROM training_examples AS e
WHERE NOT EXISTS (
    SELECT 1 FROM steps AS s
    WHERE s.trajectory_id = e.trajectory_id AND s.step_index = e.step_index
)
    OR e.artifact_id NOT IN (SELECT artifact_id FROM harness_artifacts)
