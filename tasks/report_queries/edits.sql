-- Every edit with its verdict and what replay saw.
SELECT history.edit_id, history.round, history.layer, history.artifact, history.title,
       history.editor, history.verdict, history.reason, history.stage, history.slot,
       history.wins, history.losses, history.ties, history.e_value, history.threshold,
       history.delta, history.delta_lo, history.delta_hi, history.regressions, history.trial_id,
       sum(replays.fires_on_failures)::BIGINT AS fires_on_failures,
       sum(replays.failures)::BIGINT AS failures,
       sum(replays.fires_on_successes)::BIGINT AS fires_on_successes,
       sum(replays.successes)::BIGINT AS successes,
       sum(json_array_length(replays.tasks_at_risk))::BIGINT AS at_risk
FROM edit_history AS history
LEFT JOIN replay_checks AS replays USING (edit_id)
WHERE history.cycle_id = ?
GROUP BY ALL
ORDER BY history.round, min(history.ordinal), history.edit_id
