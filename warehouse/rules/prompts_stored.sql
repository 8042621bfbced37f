-- error on trajectories
-- The prompts a trajectory refers to are stored.
WITH named AS (
    SELECT t.trajectory_id, unnest([t.system_prompt_id, t.task_prompt_id, t.tools_prompt_id]) AS id
    FROM trajectories AS t
    SEMI JOIN batch_trajectories AS b ON b.trajectory_id = t.trajectory_id
)
SELECT n.trajectory_id || ':' || n.id
FROM named AS n
ANTI JOIN prompts AS p ON p.prompt_id = n.id
WHERE n.id IS NOT NULL
