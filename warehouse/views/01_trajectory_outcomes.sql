-- Outcome of every trajectory after verdicts that came later. What the checker said stands; where
-- it said nothing, later verdicts decide if they agree with one another. Disputed: somebody doubts
-- a verdict, or verdicts differ. A trajectory that ended in a fault stays unknown.
WITH later AS (
    SELECT
        trajectory_id,
        count(*) AS verdicts,
        bool_or(disputed) AS disputed,
        min(outcome) FILTER (WHERE outcome <> 'unknown') AS lowest,
        max(outcome) FILTER (WHERE outcome <> 'unknown') AS highest,
        max(reward) AS reward
    FROM verdicts
    GROUP BY trajectory_id
)
SELECT
    t.trajectory_id,
    CASE
        WHEN t.fault IS NOT NULL THEN 'unknown'
        WHEN t.outcome <> 'unknown' THEN t.outcome
        WHEN l.lowest = l.highest THEN l.lowest
        ELSE 'unknown'
    END AS outcome,
    t.outcome AS checker_outcome,
    coalesce(t.reward, l.reward) AS reward,
    coalesce(
        l.disputed
        OR l.lowest <> l.highest
        OR (t.outcome <> 'unknown' AND (l.lowest <> t.outcome OR l.highest <> t.outcome)),
        FALSE
    ) AS disputed,
    coalesce(l.verdicts, 0) AS verdicts,
    t.fault
FROM trajectories AS t
LEFT JOIN later AS l ON l.trajectory_id = t.trajectory_id
