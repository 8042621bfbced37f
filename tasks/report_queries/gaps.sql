-- Benefit gaps, the most severe first.
SELECT rank, model, family, gap_type, layer, artifact, artifact_id, severity, reach, prevalence,
       effect, effect_lcb, points, failed_runs, unexplained_runs
FROM ranked_benefit_gaps WHERE cycle_id = ? ORDER BY model, rank
