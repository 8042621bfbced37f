-- error on edits
-- Parent and child of an edit are stored harnesses.
SELECT e.edit_id
FROM edits AS e
WHERE e.parent_harness_id NOT IN (SELECT harness_id FROM harness_versions)
    OR e.child_harness_id NOT IN (SELECT harness_id FROM harness_versions)
