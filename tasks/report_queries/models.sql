-- Models that acted in the cycle, and how their trajectories ended.
SELECT trajectories.model, trajectories.origin,
       count(DISTINCT trajectories.trajectory_id) AS trajectories,
       count(DISTINCT trajectories.trajectory_id)
           FILTER (trajectory_outcomes.outcome = 'success') AS successes,
       count(DISTINCT trajectories.trajectory_id)
           FILTER (trajectory_outcomes.outcome = 'failure') AS failures,
       count(DISTINCT trajectories.trajectory_id)
           FILTER (trajectory_outcomes.outcome = 'unknown') AS unknown,
       count(DISTINCT trajectories.trajectory_id)
           FILTER (trajectories.fault IS NOT NULL) AS faults
FROM cycle_trajectories
JOIN trajectories USING (trajectory_id)
JOIN trajectory_outcomes USING (trajectory_id)
WHERE cycle_trajectories.cycle_id = ?
GROUP BY ALL ORDER BY ALL
