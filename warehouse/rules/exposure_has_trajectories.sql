-- error on exposure_trials
-- The stored run that an exposure trial leaves, and both of its continuations, are stored.
WITH named AS (
    SELECT
        edit_id,
        unnest([source_trajectory_id, old_trajectory_id, new_trajectory_id]) AS trajectory_id
    FROM exposure_trials
)
SELECT DISTINCT n.edit_id
FROM named AS n
ANTI JOIN trajectories AS t ON t.trajectory_id = n.trajectory_id
WHERE n.trajectory_id IS NOT NULL
