-- error on gate_decisions
-- Wins, losses and ties of a decision agree with the pairs of its trial.
WITH counted AS (
    SELECT
        trial_id,
        count(*) FILTER (WHERE result = 'win') AS wins,
        count(*) FILTER (WHERE result = 'loss') AS losses,
        count(*) FILTER (WHERE result = 'tie') AS ties
    FROM paired_trials
    GROUP BY trial_id
)
SELECT d.edit_id
FROM gate_decisions AS d
LEFT JOIN counted AS c ON c.trial_id = d.trial_id
WHERE d.trial_id IS NOT NULL
    AND (d.wins, d.losses, d.ties) IS DISTINCT FROM (c.wins, c.losses, c.ties)
