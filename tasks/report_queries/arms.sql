-- What the same number of rollouts bought in other ways, best first.
SELECT arm, success, success_lo, success_hi, tasks, rollouts, note
FROM budget_arms
WHERE cycle_id = ?
ORDER BY success DESC NULLS LAST, arm
