-- What the trajectories of a cycle cost, by purpose. A trajectory used for several purposes counts
-- in each; one made before the cycle counts as well. Tokens and cost are sums over what is known;
-- `unpriced` counts trajectories without a price. What a model that plays the user costs stands apart.
SELECT
    c.cycle_id,
    y.environment,
    y.model,
    c.purpose,
    count(*) AS trajectories,
    sum(t.steps)::BIGINT AS steps,
    sum(t.prompt_tokens)::BIGINT AS prompt_tokens,
    sum(t.completion_tokens)::BIGINT AS completion_tokens,
    sum(t.cost_usd) AS cost_usd,
    sum(t.user_cost_usd) AS user_cost_usd,
    count(*) FILTER (WHERE t.cost_usd IS NULL) AS unpriced,
    count(*) FILTER (WHERE t.fault IS NOT NULL) AS faults
FROM cycle_trajectories AS c
JOIN trajectories AS t ON t.trajectory_id = c.trajectory_id
LEFT JOIN cycles AS y ON y.cycle_id = c.cycle_id
GROUP BY c.cycle_id, y.environment, y.model, c.purpose
ORDER BY c.cycle_id, c.purpose
