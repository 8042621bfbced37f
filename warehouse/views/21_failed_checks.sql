-- Checks that failed, with the keys of some rows that broke them. Results of a batch that was
-- refused are kept here as well.
SELECT
    batch_id, table_name, check_name, kind, severity, rows, failing, failing_keys, created_at
FROM validation_results
WHERE NOT success
ORDER BY created_at, batch_id, check_name
