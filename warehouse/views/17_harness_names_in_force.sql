-- The harness each name points to now: the highest ordinal of a name holds.
SELECT environment, name, harness_id, ordinal, created_at
FROM harness_names
QUALIFY row_number() OVER (PARTITION BY environment, name ORDER BY ordinal DESC) = 1
ORDER BY environment, name
