-- error on rule_hits
-- A failed trajectory without fault whose rules matched has a label of those rules.
SELECT DISTINCT h.trajectory_id
FROM rule_hits AS h
SEMI JOIN batch_trajectories AS b ON b.trajectory_id = h.trajectory_id
SEMI JOIN trajectory_outcomes AS o
    ON o.trajectory_id = h.trajectory_id AND o.outcome = 'failure' AND o.fault IS NULL
ANTI JOIN failure_labels AS l
    ON l.trajectory_id = h.trajectory_id
    AND l.taxonomy_version = h.taxonomy_version
    AND l.source = 'rules'
