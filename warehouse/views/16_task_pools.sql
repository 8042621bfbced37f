-- Tasks per environment, family and split: how many there are, were attempted, were solved in
-- every run, in some, or in none. Only runs with a known outcome count.
WITH attempts AS (
    SELECT
        t.environment_fingerprint,
        t.task_id,
        count(*) AS runs,
        count(*) FILTER (WHERE o.outcome = 'success') AS successes
    FROM trajectories AS t
    JOIN trajectory_outcomes AS o ON o.trajectory_id = t.trajectory_id
    WHERE t.arm = 'run' AND o.outcome <> 'unknown'
    GROUP BY t.environment_fingerprint, t.task_id
)
SELECT
    k.environment,
    k.environment_fingerprint,
    k.family,
    k.split,
    count(*) AS tasks,
    count(a.runs) AS attempted,
    count(*) FILTER (WHERE a.successes = a.runs) AS always_solved,
    count(*) FILTER (WHERE a.successes > 0 AND a.successes < a.runs) AS sometimes_solved,
    count(*) FILTER (WHERE a.successes = 0) AS never_solved
FROM tasks AS k
LEFT JOIN attempts AS a
    ON a.environment_fingerprint = k.environment_fingerprint AND a.task_id = k.task_id
GROUP BY k.environment, k.environment_fingerprint, k.family, k.split
ORDER BY k.environment, k.environment_fingerprint, k.family, k.split
