-- Failures of a cycle whose format cannot hold what a label rests on.
SELECT
    e.value ->> '$' AS evidence,
    count(DISTINCT trajectories.trajectory_id) AS failures
FROM cycle_trajectories AS links
JOIN trajectories USING (trajectory_id),
    json_each(trajectories.lost_evidence) AS e
WHERE links.cycle_id = ? AND trajectories.outcome = 'failure' AND trajectories.fault IS NULL
  AND e.value ->> '$' IN ('arguments_not_json', 'content', 'extra_calls')
GROUP BY evidence
ORDER BY evidence
