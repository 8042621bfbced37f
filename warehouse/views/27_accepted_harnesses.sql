-- Harnesses that an accepted edit led to, with the cycle and the newest round whose edits they hold:
-- what a trial accepted, what was in force after a round, and the harness a cycle ended with. What an
-- edit makes by itself counts only when it was tried by itself. Edits that nobody approved, or that
-- were taken out again, accept nothing.
WITH accepted AS (
    SELECT cycle_id, round, trial_id, child_harness_id
    FROM edit_history
    WHERE verdict = 'accepted'
),
named AS (
    SELECT cycle_id, round, child_harness_id AS harness_id
    FROM accepted
    WHERE trial_id IS NULL
    UNION
    SELECT a.cycle_id, a.round, p.new_harness_id
    FROM accepted AS a
    JOIN paired_trials AS p ON p.trial_id = a.trial_id
    UNION
    SELECT a.cycle_id, a.round, f.new_harness_id
    FROM accepted AS a
    JOIN edit_follow_ups AS f ON f.cycle_id = a.cycle_id AND f.round = a.round
    UNION
    SELECT a.cycle_id, a.round, e.parent_harness_id
    FROM accepted AS a
    JOIN edits AS e ON e.cycle_id = a.cycle_id AND e.round > a.round AND e.revision = 0
    UNION
    SELECT a.cycle_id, a.round, v.harness_id
    FROM accepted AS a
    JOIN evaluations AS v ON v.cycle_id = a.cycle_id AND v.purpose = 'final'
)
SELECT v.environment, n.harness_id, n.cycle_id, max(n.round) AS round
FROM named AS n
JOIN cycles AS c ON c.cycle_id = n.cycle_id AND c.base_harness_id <> n.harness_id
JOIN harness_versions AS v ON v.harness_id = n.harness_id
GROUP BY v.environment, n.harness_id, n.cycle_id
ORDER BY v.environment, n.harness_id, n.cycle_id
