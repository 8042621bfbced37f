-- Rows and episodes in quarantine, counted by table and reason.
SELECT
    table_name,
    reason,
    count(*) AS refused,
    min(place) AS first_place,
    min(created_at) AS first_at
FROM quarantine
GROUP BY table_name, reason
ORDER BY table_name, refused DESC, reason
