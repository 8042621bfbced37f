-- error on trajectories, steps
-- The number of steps of an episode we ran agrees with its stored agent turns. A turn that a rule forced may count or not, as no model was asked; a fork may leave out the turns of its prefix.
WITH turns AS (
    SELECT s.trajectory_id, count(*) AS turns, count(*) FILTER (WHERE NOT s.forced) AS asked
    FROM steps AS s
    SEMI JOIN batch_trajectories AS b ON b.trajectory_id = s.trajectory_id
    WHERE s.role = 'assistant'
    GROUP BY s.trajectory_id
)
SELECT t.trajectory_id
FROM trajectories AS t
SEMI JOIN batch_trajectories AS b ON b.trajectory_id = t.trajectory_id
LEFT JOIN turns AS n ON n.trajectory_id = t.trajectory_id
WHERE t.origin = 'rollout'
    AND NOT t.steps BETWEEN if(t.arm = 'run', coalesce(n.asked, 0), 0) AND coalesce(n.turns, 0)
