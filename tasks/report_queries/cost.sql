-- Trajectories, tokens and cost by purpose; a trajectory with several purposes counts in each.
SELECT purpose, trajectories, steps, prompt_tokens, completion_tokens, cost_usd, unpriced, faults
FROM cost_by_cycle WHERE cycle_id = ? ORDER BY purpose
