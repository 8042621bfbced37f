-- What each artifact of a harness did, by model and split: interventions, those that another rule
-- suppressed, runs it acted in, success of those runs and of the others in the same harness, and
-- its faults. A comparison of runs, not a trial: artifacts act where things go wrong.
WITH runs AS (
    SELECT t.trajectory_id, t.harness_id, t.environment, t.model, t.split, o.outcome
    FROM trajectories AS t
    JOIN trajectory_outcomes AS o ON o.trajectory_id = t.trajectory_id
    WHERE t.arm = 'run' AND o.outcome <> 'unknown'
),
acted AS (
    SELECT
        trajectory_id,
        artifact_id,
        count(*) FILTER (WHERE NOT suppressed) AS interventions,
        count(*) FILTER (WHERE suppressed) AS suppressed
    FROM interventions
    GROUP BY trajectory_id, artifact_id
),
failed AS (
    SELECT trajectory_id, artifact_id, count(*) AS faults
    FROM artifact_faults
    GROUP BY trajectory_id, artifact_id
)
SELECT
    r.environment,
    r.model,
    r.split,
    a.harness_id,
    a.layer,
    a.name AS artifact,
    a.artifact_id,
    coalesce(sum(i.interventions), 0)::BIGINT AS interventions,
    coalesce(sum(i.suppressed), 0)::BIGINT AS suppressed,
    count(*) FILTER (WHERE i.interventions > 0) AS runs_acted,
    count(*) FILTER (WHERE coalesce(i.interventions, 0) = 0) AS runs_idle,
    avg((r.outcome = 'success')::INTEGER) FILTER (WHERE i.interventions > 0) AS success_acted,
    avg((r.outcome = 'success')::INTEGER) FILTER (
        WHERE coalesce(i.interventions, 0) = 0
    ) AS success_idle,
    coalesce(sum(f.faults), 0)::BIGINT AS faults
FROM harness_artifacts AS a
JOIN runs AS r ON r.harness_id = a.harness_id
LEFT JOIN acted AS i
    ON i.trajectory_id = r.trajectory_id AND i.artifact_id = a.artifact_id
LEFT JOIN failed AS f
    ON f.trajectory_id = r.trajectory_id AND f.artifact_id = a.artifact_id
GROUP BY r.environment, r.model, r.split, a.harness_id, a.layer, a.name, a.artifact_id
ORDER BY r.environment, r.model, r.split, a.harness_id, a.layer, a.name
