-- Success of the harness in force after each round of a cycle, and the share of executable
-- actions, with 95 % intervals.
SELECT
    e.cycle_id,
    e.environment,
    e.model,
    e.round,
    e.purpose,
    e.split,
    e.harness_id,
    e.tasks,
    e.successes,
    e.faults,
    e.success,
    e.success_lo,
    e.success_hi,
    e.executable,
    e.executable_lo,
    e.executable_hi,
    e.mean_steps,
    e.mean_prompt_tokens
FROM evaluations AS e
ORDER BY e.cycle_id, e.round NULLS FIRST, e.purpose, e.split, e.model
