-- Checks of the whole warehouse.
SELECT count(*) AS checks, count(*) FILTER (NOT success AND severity = 'error') AS failed,
       count(*) FILTER (NOT success AND severity = 'warning') AS warnings
FROM validation_results WHERE ? IS NOT NULL
