-- warning on steps, tool_calls
-- Every imported message of role tool is the result of a stored call; sources lose calls.
SELECT s.trajectory_id || ':' || s.step_index
FROM steps AS s
SEMI JOIN batch_trajectories AS b ON b.trajectory_id = s.trajectory_id
SEMI JOIN trajectories AS t ON t.trajectory_id = s.trajectory_id AND t.origin = 'import'
ANTI JOIN tool_calls AS c
    ON c.trajectory_id = s.trajectory_id AND c.result_step_index = s.step_index
WHERE s.role = 'tool' AND NOT s.copied
