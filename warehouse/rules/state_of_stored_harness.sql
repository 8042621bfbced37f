-- error on harness_states
-- A decision is about a stored harness of its environment.
SELECT DISTINCT s.harness_id
FROM harness_states AS s
ANTI JOIN harness_versions AS v
    ON v.harness_id = s.harness_id AND v.environment = s.environment
