-- Training examples by kind.
SELECT kind, path, model, simulated, count(*) AS examples,
       count(DISTINCT artifact_id) AS artifacts, count(DISTINCT task_id) AS tasks
FROM training_examples WHERE cycle_id = ? GROUP BY ALL ORDER BY ALL
