-- What the editors of a cycle did and cost, by round. Tokens and price are sums over what is known;
-- `unpriced` counts sessions whose price is unknown, `faults` those that broke off.
SELECT
    s.cycle_id,
    s.round,
    s.editor,
    count(*) AS sessions,
    sum(s.turns)::BIGINT AS turns,
    sum(s.calls)::BIGINT AS calls,
    sum(s.refusals)::BIGINT AS refusals,
    sum(s.proposals)::BIGINT AS proposals,
    sum(s.rollouts)::BIGINT AS rollouts,
    sum(s.prompt_tokens)::BIGINT AS prompt_tokens,
    sum(s.completion_tokens)::BIGINT AS completion_tokens,
    sum(s.cost_usd) AS cost_usd,
    count(*) FILTER (WHERE s.cost_usd IS NULL) AS unpriced,
    count(*) FILTER (WHERE s.stop IN ('fault', 'exit', 'time')) AS faults
FROM editor_sessions AS s
GROUP BY s.cycle_id, s.round, s.editor
ORDER BY s.cycle_id, s.round, s.editor
