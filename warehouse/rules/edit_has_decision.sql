-- warning on edits
-- Once a round has begun, every edit of earlier rounds of its cycle has a decision.
SELECT e.edit_id
FROM edits AS e
JOIN (SELECT cycle_id, max(round) AS newest FROM edits GROUP BY cycle_id) AS c
    ON c.cycle_id = e.cycle_id AND c.newest > e.round
ANTI JOIN gate_decisions AS d ON d.edit_id = e.edit_id
