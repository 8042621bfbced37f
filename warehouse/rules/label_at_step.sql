-- error on failure_labels
-- The step a label names is stored.
SELECT l.trajectory_id || ':' || l.step_index
FROM failure_labels AS l
SEMI JOIN batch_trajectories AS b ON b.trajectory_id = l.trajectory_id
ANTI JOIN steps AS s ON s.trajectory_id = l.trajectory_id AND s.step_index = l.step_index
WHERE l.step_index IS NOT NULL
