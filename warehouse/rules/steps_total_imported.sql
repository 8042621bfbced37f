-- warning on trajectories, steps
-- An imported episode has no more agent steps than stored agent turns.
WITH turns AS (
    SELECT s.trajectory_id, count(*) AS turns
    FROM steps AS s
    SEMI JOIN batch_trajectories AS b ON b.trajectory_id = s.trajectory_id
    WHERE s.role = 'assistant' AND NOT s.copied
    GROUP BY s.trajectory_id
)
SELECT t.trajectory_id
FROM trajectories AS t
SEMI JOIN batch_trajectories AS b ON b.trajectory_id = t.trajectory_id
LEFT JOIN turns AS n ON n.trajectory_id = t.trajectory_id
WHERE t.origin = 'import' AND t.steps > coalesce(n.turns, 0)
