-- The newest state of every stage of every cycle.
SELECT cycle_id, stage, state, detail, created_at
FROM stage_events
QUALIFY row_number() OVER (PARTITION BY cycle_id, stage ORDER BY created_at DESC, state) = 1
ORDER BY cycle_id, created_at, stage
