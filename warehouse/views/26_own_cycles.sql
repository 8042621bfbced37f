-- Cycles that somebody started for their own sake: cycles run as budget-matched arms of another one
-- are left out. Those in a live world come first, the newest of them at the top.
SELECT c.*
FROM cycles AS c
WHERE c.cycle_id NOT IN (
    SELECT arm_cycle_id
    FROM budget_arms
    WHERE arm_cycle_id IS NOT NULL AND arm_cycle_id <> cycle_id
)
ORDER BY c.model = 'imported', c.created_at DESC, c.cycle_id
