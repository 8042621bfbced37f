-- error on tasks, trajectories
-- Within one environment fingerprint a task belongs to one split, in tasks and trajectories alike.
WITH uses AS (
    SELECT environment_fingerprint, task_id, split FROM tasks
    UNION
    SELECT environment_fingerprint, task_id, split FROM trajectories
)
SELECT task_id || ' (' || environment_fingerprint || ')'
FROM uses
GROUP BY environment_fingerprint, task_id
HAVING count(DISTINCT split) > 1
