-- Kinds of evidence that the format of imported trajectories cannot hold, by environment and model.
-- A failure whose format lost the evidence of a label cannot get that label, so a low rate of it is
-- no finding: arguments that were no JSON, raw argument texts and texts of turns bear on
-- action_realization. Failures are those after verdicts that came later.
SELECT
    t.environment,
    t.model,
    e.value ->> '$' AS evidence,
    CASE
        WHEN e.value ->> '$' IN ('arguments_not_json', 'arguments_raw', 'content', 'extra_calls',
            'messages', 'tools') THEN 'action_realization'
    END AS bears_on,
    count(*) AS trajectories,
    count(*) FILTER (o.outcome = 'failure') AS failures
FROM trajectories AS t
JOIN trajectory_outcomes AS o ON o.trajectory_id = t.trajectory_id,
    json_each(t.lost_evidence) AS e
WHERE t.origin = 'import'
GROUP BY t.environment, t.model, evidence, bears_on
ORDER BY t.environment, t.model, evidence
