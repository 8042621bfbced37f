-- Success and pass^k per environment, model, harness and split, over runs with a known outcome and
-- no fault. Success is the mean over tasks of the share of repeats that succeeded. pass_k is the
-- chance that k repeats of a task all succeed, unbiased; null unless every task has at least k
-- repeats.
WITH runs AS (
    SELECT
        t.environment,
        t.environment_fingerprint,
        t.model,
        t.harness_id,
        t.split,
        t.task_id,
        count(*) AS n,
        count(*) FILTER (WHERE o.outcome = 'success') AS c,
        sum(t.steps) AS steps
    FROM trajectories AS t
    JOIN trajectory_outcomes AS o ON o.trajectory_id = t.trajectory_id
    WHERE t.arm = 'run' AND o.outcome <> 'unknown'
    GROUP BY
        t.environment, t.environment_fingerprint, t.model, t.harness_id, t.split, t.task_id
)
SELECT
    environment,
    environment_fingerprint,
    model,
    harness_id,
    split,
    count(*) AS tasks,
    sum(n)::BIGINT AS runs,
    sum(c)::BIGINT AS successes,
    avg(c / n) AS success,
    sum(steps) / sum(n) AS mean_steps,
    min(n) AS fewest_repeats,
    avg(c / n) AS pass_1,
    CASE WHEN min(n) >= 2 THEN avg(c * (c - 1) / (n * (n - 1))) END AS pass_2,
    CASE
        WHEN min(n) >= 3 THEN avg(c * (c - 1) * (c - 2) / (n * (n - 1) * (n - 2)))
    END AS pass_3,
    CASE
        WHEN min(n) >= 4
            THEN avg(c * (c - 1) * (c - 2) * (c - 3) / (n * (n - 1) * (n - 2) * (n - 3)))
    END AS pass_4
FROM runs
GROUP BY environment, environment_fingerprint, model, harness_id, split
ORDER BY environment, environment_fingerprint, model, harness_id, split
