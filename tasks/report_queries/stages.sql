-- Newest state of each stage of the cycle.
SELECT stage, state, created_at FROM stage_states WHERE cycle_id = ? ORDER BY created_at, stage
