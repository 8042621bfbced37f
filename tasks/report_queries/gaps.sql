-- Benefit gaps, the most severe first, with what the forks say.
SELECT
    ranked.rank,
    ranked.model,
    ranked.family,
    ranked.gap_type,
    ranked.layer,
    ranked.artifact,
    ranked.artifact_id,
    ranked.severity,
    ranked.reach,
    ranked.prevalence,
    ranked.effect,
    ranked.effect_lcb,
    ranked.points,
    ranked.failed_runs,
    ranked.unexplained_runs,
    gaps.verdict
FROM ranked_benefit_gaps AS ranked
JOIN benefit_gaps AS gaps USING (cycle_id, model, family, gap_type, artifact_id)
WHERE ranked.cycle_id = ?
ORDER BY ranked.model, ranked.rank
