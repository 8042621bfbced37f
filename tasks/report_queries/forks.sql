-- Forks from decision points by arm.
SELECT points.model, forks.arm, count(*) AS forks, avg(forks.invoked::INTEGER) AS taken_up,
       avg(forks.success::INTEGER) AS success,
       count(*) FILTER (forks.success IS NULL) AS faults
FROM counterfactuals AS forks
JOIN decision_points AS points USING (decision_point_id)
WHERE points.cycle_id = ?
GROUP BY ALL ORDER BY ALL
