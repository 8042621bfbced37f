-- error on paired_trials
-- The trajectories of a pair are stored.
WITH named AS (
    SELECT trial_id, task_id, unnest([old_trajectory_id, new_trajectory_id]) AS trajectory_id
    FROM paired_trials
)
SELECT n.trial_id || ':' || n.task_id
FROM named AS n
ANTI JOIN trajectories AS t ON t.trajectory_id = n.trajectory_id
WHERE n.trajectory_id IS NOT NULL
