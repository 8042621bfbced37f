-- error on harness_files, harness_artifacts, harness_names
-- Files, artifacts and names belong to a stored harness.
WITH named AS (
    SELECT harness_id FROM harness_files
    UNION
    SELECT harness_id FROM harness_artifacts
    UNION
    SELECT harness_id FROM harness_names
)
SELECT n.harness_id
FROM named AS n
ANTI JOIN harness_versions AS h ON h.harness_id = n.harness_id
