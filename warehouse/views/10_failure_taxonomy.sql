-- Failed trajectories by label category and bullet, per environment, model, harness, split and
-- label source. Share is of all labelled failures of the same group. Forks are left out.
SELECT
    t.environment,
    t.model,
    t.harness_id,
    t.split,
    l.source,
    l.taxonomy_version,
    l.category,
    l.bullet,
    count(*) AS failures,
    count(DISTINCT t.task_id) AS tasks,
    count(*) / sum(count(*)) OVER (
        PARTITION BY
            t.environment, t.model, t.harness_id, t.split, l.source, l.taxonomy_version
    ) AS share
FROM failure_labels AS l
JOIN trajectories AS t ON t.trajectory_id = l.trajectory_id
WHERE t.arm = 'run'
GROUP BY
    t.environment, t.model, t.harness_id, t.split, l.source, l.taxonomy_version, l.category,
    l.bullet
ORDER BY
    t.environment, t.model, t.harness_id, t.split, l.source, l.taxonomy_version, failures DESC,
    l.bullet
