-- error on failure_labels
-- A label stands on a stored trajectory that failed without an infrastructure fault.
SELECT l.trajectory_id
FROM failure_labels AS l
SEMI JOIN batch_trajectories AS b ON b.trajectory_id = l.trajectory_id
ANTI JOIN trajectory_outcomes AS o
    ON o.trajectory_id = l.trajectory_id AND o.fault IS NULL
    AND (o.outcome = 'failure' OR o.checker_outcome = 'failure')
