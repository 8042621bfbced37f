-- The cycle and its inputs.
SELECT cycle_id, environment, model, reference, editor, seed, base_harness_id, created_at,
       json_extract_string(inputs, '$.kind') AS kind,
       json_extract_string(inputs, '$.release') AS release,
       coalesce(json_extract_string(inputs, '$.environment_noise'), '') AS noise,
       json_extract_string(inputs, '$.slots') AS slots,
       json_extract_string(inputs, '$.rounds') AS rounds,
       json_extract_string(inputs, '$.tasks') AS tasks,
       regexp_matches(concat_ws(' ', model, reference), '(^| )(simulated:|gold( |$)|noop( |$))') AS simulated,
       (SELECT count(DISTINCT i.trajectory_id) FROM interventions AS i
        JOIN cycle_trajectories AS l USING (trajectory_id)
        WHERE l.cycle_id = cycles.cycle_id AND i.kind = 'constrain') AS constrained
FROM cycles WHERE cycle_id = ?
