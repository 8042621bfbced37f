-- error on failure_labels, rule_hits, failure_patterns
-- The bullet of a label, hit or pattern belongs to its category.
WITH named AS (
    SELECT trajectory_id AS subject, category, bullet FROM failure_labels
    UNION ALL
    SELECT trajectory_id, category, bullet FROM rule_hits
    UNION ALL
    SELECT pattern_id, category, bullet FROM failure_patterns
)
SELECT DISTINCT subject
FROM named
WHERE category <> CASE left(bullet, 2)
    WHEN 'NA' THEN 'not_attributable'
    WHEN 'AR' THEN 'action_realization'
    WHEN 'EC' THEN 'environment_contract'
    WHEN 'TD' THEN 'trajectory_degeneration'
    ELSE 'residual_reasoning'
END
