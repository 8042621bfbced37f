-- Success of each scored harness, from the first score to the last.
SELECT purpose, split, harness_id, round, tasks, successes, faults, success, success_lo,
       success_hi, executable, executable_lo, executable_hi, mean_steps, mean_prompt_tokens
FROM success_by_round WHERE cycle_id = ?
ORDER BY CASE purpose WHEN 'baseline' THEN 0 WHEN 'final' THEN 2 ELSE 1 END, round, purpose, split
