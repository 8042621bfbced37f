-- error on interventions
-- An intervention names an artifact of the harness of its trajectory, when that harness is stored; in traffic that a harness only watched, one of that harness. A constrained decoder is no artifact.
SELECT i.trajectory_id || ':' || i.step_index || ':' || i.artifact_id
FROM interventions AS i
SEMI JOIN batch_trajectories AS b ON b.trajectory_id = i.trajectory_id
JOIN trajectories AS t ON t.trajectory_id = i.trajectory_id
SEMI JOIN harness_versions AS h ON h.harness_id = t.harness_id
LEFT JOIN traffic_sessions AS w ON w.trajectory_id = i.trajectory_id AND w.mode = 'shadow'
ANTI JOIN harness_artifacts AS a
    ON a.artifact_id = i.artifact_id
    AND a.harness_id = coalesce(w.treatment_harness_id, t.harness_id)
WHERE i.kind <> 'constrain'
