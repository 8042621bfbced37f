-- Files that trajectories of the cycle were imported from.
SELECT sources.source_file, sources.source_format,
       count(DISTINCT sources.trajectory_id) AS trajectories
FROM trajectory_sources AS sources
JOIN cycle_trajectories AS links USING (trajectory_id)
WHERE links.cycle_id = ?
GROUP BY ALL ORDER BY ALL
