-- The first examples with the step each came from.
SELECT example_id, kind, artifact, trajectory_id, step_index, rejected_trajectory_id
FROM example_lineage WHERE cycle_id = ? ORDER BY example_id LIMIT 10
