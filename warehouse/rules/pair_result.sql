-- error on paired_trials
-- The result of a pair is the sign of the difference of its scores.
SELECT trial_id || ':' || task_id
FROM paired_trials
WHERE old_score IS NOT NULL AND new_score IS NOT NULL AND result <> 'invalid'
    AND result <> CASE
        WHEN new_score > old_score THEN 'win'
        WHEN new_score < old_score THEN 'loss'
        ELSE 'tie'
    END
