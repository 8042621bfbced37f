-- error on training_examples
-- Training examples come from train tasks only.
SELECT e.example_id
FROM training_examples AS e
LEFT JOIN trajectories AS t ON t.trajectory_id = e.trajectory_id
LEFT JOIN trajectories AS o ON o.trajectory_id = e.rejected_trajectory_id
WHERE e.split <> 'train'
    OR coalesce(t.split, 'train') <> 'train'
    OR coalesce(o.split, 'train') <> 'train'
