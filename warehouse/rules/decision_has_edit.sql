-- error on gate_decisions
-- A decision of the gate names a stored edit.
SELECT d.edit_id
FROM gate_decisions AS d
ANTI JOIN edits AS e ON e.edit_id = d.edit_id
