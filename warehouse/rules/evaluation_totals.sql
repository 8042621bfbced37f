-- error on evaluations
-- Success is the share of scored tasks, and unknown when no task was scored.
SELECT evaluation_id
FROM evaluations
WHERE (success IS NULL) <> (tasks = 0)
    OR successes > tasks + 1e-9
    OR (tasks > 0 AND abs(success - successes / tasks) > 1e-9)
