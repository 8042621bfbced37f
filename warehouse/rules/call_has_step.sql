-- error on tool_calls, steps
-- Every tool call stands at a stored step.
SELECT c.tool_call_id
FROM tool_calls AS c
SEMI JOIN batch_trajectories AS b ON b.trajectory_id = c.trajectory_id
ANTI JOIN steps AS s ON s.trajectory_id = c.trajectory_id AND s.step_index = c.step_index
