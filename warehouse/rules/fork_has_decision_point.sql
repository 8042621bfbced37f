-- error on counterfactuals
-- A fork starts at a stored decision point and its trajectory is stored.
SELECT DISTINCT c.decision_point_id
FROM counterfactuals AS c
WHERE c.decision_point_id NOT IN (SELECT decision_point_id FROM decision_points)
    OR c.trajectory_id NOT IN (SELECT trajectory_id FROM trajectories)
