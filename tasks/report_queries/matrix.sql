-- Evaluations of the harnesses a cycle started from and ended with: what differs, newest first where
-- the same was asked more than once.
WITH ours AS (
    SELECT c.environment, unnest([c.base_harness_id, v.harness_id]) AS harness_id
    FROM cycles AS c
    LEFT JOIN evaluations AS v ON v.cycle_id = c.cycle_id AND v.purpose = 'final'
    WHERE c.cycle_id = ?
)
SELECT d.kind, d.subject, d.environment, d.model, d.loop, d.split, d.pairs, d.old_success,
       d.new_success, d.delta, d.delta_lo, d.delta_hi, d.wins, d.losses, d.ties,
       d.relative_gain, d.relative_lo, d.relative_hi, d.relative_status,
       d.transfer_ratio, d.transfer_lo, d.transfer_hi, d.transfer_status, d.card_id
FROM evaluation_contrasts AS d
JOIN evaluation_cards AS k ON k.card_id = d.card_id
JOIN evaluations AS n ON n.evaluation_id = d.new_evaluation_id
JOIN evaluations AS o ON o.evaluation_id = d.old_evaluation_id
SEMI JOIN ours
    ON ours.environment = d.environment AND ours.harness_id IN (n.harness_id, o.harness_id)
QUALIFY row_number() OVER (
    PARTITION BY d.kind, d.subject, d.model, d.split, n.harness_id, o.harness_id
    ORDER BY k.created_at DESC, d.card_id
) = 1
ORDER BY d.kind, d.model, d.split, d.subject, d.card_id
