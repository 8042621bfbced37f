-- error on cycle_trajectories
-- A trajectory that a cycle used is stored.
SELECT DISTINCT c.trajectory_id
FROM cycle_trajectories AS c
SEMI JOIN batch_trajectories AS b ON b.trajectory_id = c.trajectory_id
ANTI JOIN trajectories AS t ON t.trajectory_id = c.trajectory_id
