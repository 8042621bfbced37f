-- What a cycle's released harness did to accuracy and to the benefit rate, beside the cycle before it
-- that released the harness it started from. The rate moved when it changed by more than .03 and by
-- more than half the half-width of its interval. accuracy_only asks for an activation test before
-- it is promoted, benefit_only is a branch worth keeping, both_down is worse in both respects. Null
-- where a rate is not defined, first where there is no earlier cycle to compare with.
WITH rates AS (
    SELECT b.*, c.created_at
    FROM benefit_rates AS b
    JOIN cycles AS c ON c.cycle_id = b.cycle_id
),
steps AS (
    SELECT
        r.cycle_id,
        r.environment,
        r.model,
        r.reference,
        r.base_harness_id,
        r.updated_harness_id,
        r.gain,
        r.gain_lo,
        r.gain_hi,
        r.hbr,
        p.cycle_id AS previous_cycle_id,
        p.hbr AS previous_hbr,
        greatest(0.03, (r.hbr_hi - r.hbr_lo) / 4) AS band
    FROM rates AS r
    LEFT JOIN rates AS p
        ON p.environment = r.environment
        AND p.model = r.model
        AND p.reference = r.reference
        AND p.updated_harness_id = r.base_harness_id
        AND p.updated_harness_id <> p.base_harness_id
        AND p.created_at < r.created_at
    QUALIFY row_number() OVER (
        PARTITION BY r.cycle_id, r.model, r.reference ORDER BY p.created_at DESC NULLS LAST
    ) = 1
)
SELECT
    cycle_id,
    environment,
    model,
    reference,
    base_harness_id,
    updated_harness_id,
    gain,
    gain_lo,
    gain_hi,
    hbr,
    previous_cycle_id,
    previous_hbr,
    hbr - previous_hbr AS hbr_change,
    CASE
        WHEN gain IS NULL OR hbr IS NULL THEN NULL
        WHEN previous_cycle_id IS NULL THEN 'first'
        WHEN previous_hbr IS NULL THEN NULL
        WHEN gain > 0 AND hbr - previous_hbr > band THEN 'both_up'
        WHEN gain > 0 THEN 'accuracy_only'
        WHEN hbr - previous_hbr > band THEN 'benefit_only'
        WHEN gain < 0 AND hbr - previous_hbr < -band THEN 'both_down'
        ELSE 'unchanged'
    END AS quadrant
FROM steps
ORDER BY environment, model, reference, cycle_id
