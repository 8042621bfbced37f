-- Edits by verdict, reason and layer.
SELECT coalesce(verdict, 'waiting') AS verdict, coalesce(reason, '') AS reason, layer,
       count(*) AS edits
FROM edit_history WHERE cycle_id = ? GROUP BY ALL ORDER BY ALL
