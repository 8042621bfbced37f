-- The state of every harness in its environment: the newest decision of a person; else accepted when
-- an accepted edit led to it, else draft. `is_accepted` tells that of the decided ones as well.
WITH decided AS (
    SELECT environment, harness_id, ordinal, state, is_forced, reason, created_at
    FROM harness_states
    QUALIFY row_number() OVER (PARTITION BY environment, harness_id ORDER BY ordinal DESC) = 1
),
accepted AS (SELECT DISTINCT harness_id FROM accepted_harnesses)
SELECT
    v.environment,
    v.harness_id,
    coalesce(d.state, if(a.harness_id IS NULL, 'draft', 'accepted')) AS state,
    a.harness_id IS NOT NULL AS is_accepted,
    d.ordinal,
    d.is_forced,
    d.reason,
    d.created_at
FROM harness_versions AS v
LEFT JOIN decided AS d ON d.environment = v.environment AND d.harness_id = v.harness_id
LEFT JOIN accepted AS a ON a.harness_id = v.harness_id
ORDER BY v.environment, v.harness_id
