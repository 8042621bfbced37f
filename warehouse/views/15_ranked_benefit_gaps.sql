-- Benefit gaps of each cycle and model, the most severe first, with the name of the artifact.
WITH artifacts AS (
    SELECT artifact_id, any_value(layer) AS layer, any_value(name) AS name
    FROM harness_artifacts
    GROUP BY artifact_id
)
SELECT
    g.cycle_id,
    g.environment,
    g.model,
    row_number() OVER (
        PARTITION BY g.cycle_id, g.model
        ORDER BY g.severity DESC, g.family, g.gap_type, g.artifact_id
    ) AS rank,
    g.family,
    g.gap_type,
    a.layer,
    a.name AS artifact,
    g.artifact_id,
    g.severity,
    g.reach,
    g.prevalence,
    g.effect,
    g.effect_lcb,
    g.points,
    g.failed_runs,
    g.unexplained_runs
FROM benefit_gaps AS g
LEFT JOIN artifacts AS a ON a.artifact_id = g.artifact_id
ORDER BY g.cycle_id, g.model, rank
