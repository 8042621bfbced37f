-- Trajectories of the cycle, each once.
SELECT count(DISTINCT trajectory_id) AS trajectories FROM cycle_trajectories WHERE cycle_id = ?
