-- How the editor's own work went; editors without a model or a command have none.
SELECT round, purpose, proposals, refusals, stop, detail
FROM editor_sessions
WHERE cycle_id = ?
ORDER BY round, ordinal
