-- error on steps, tool_calls, interventions, agent_notes
-- Steps, calls, interventions and notes belong to a stored trajectory.
SELECT b.trajectory_id
FROM batch_trajectories AS b
ANTI JOIN trajectories AS t ON t.trajectory_id = b.trajectory_id
WHERE b.trajectory_id IN (
    SELECT trajectory_id FROM steps
    UNION ALL
    SELECT trajectory_id FROM tool_calls
    UNION ALL
    SELECT trajectory_id FROM interventions
    UNION ALL
    SELECT trajectory_id FROM agent_notes
)
