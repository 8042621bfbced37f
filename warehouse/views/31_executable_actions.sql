-- Turns of the model and those that became actions, per trajectory. A turn is executable when one
-- of its calls was run and the world took it as an action; forced turns are left out, and an
-- episode without a turn did nothing. Imported trajectories and faults are left out.
SELECT
    t.trajectory_id,
    t.environment,
    t.model,
    t.harness_id,
    t.split,
    t.task_id,
    t.arm,
    t.outcome,
    count(s.step_index) AS turns,
    count(a.step_index) AS executable_turns,
    coalesce(count(a.step_index) / nullif(count(s.step_index), 0), 0) AS executable
FROM trajectories AS t
LEFT JOIN steps AS s
    ON s.trajectory_id = t.trajectory_id AND s.role = 'assistant' AND NOT s.forced
LEFT JOIN (
    SELECT DISTINCT trajectory_id, step_index
    FROM tool_calls
    WHERE
        executed
        AND requestor = 'assistant'
        AND coalesce(error_kind, '') NOT IN (
            'unknown_tool', 'schema', 'inadmissible', 'finished'
        )
) AS a ON a.trajectory_id = s.trajectory_id AND a.step_index = s.step_index
WHERE t.origin <> 'import' AND t.fault IS NULL
GROUP BY
    t.trajectory_id, t.environment, t.model, t.harness_id, t.split, t.task_id, t.arm, t.outcome
ORDER BY t.trajectory_id
