-- Labels of failed trajectories by what the cycle used them for.
SELECT
    links.purpose,
    labels.category,
    labels.bullet,
    count(DISTINCT labels.trajectory_id) AS failures,
    count(DISTINCT trajectories.task_id) AS tasks
FROM cycle_trajectories AS links
JOIN failure_labels AS labels USING (trajectory_id)
JOIN trajectories USING (trajectory_id)
WHERE links.cycle_id = ? AND labels.source = 'rules'
  AND (links.purpose LIKE 'train:%' OR links.purpose = 'imported')
GROUP BY links.purpose, labels.category, labels.bullet
ORDER BY
    coalesce(try_cast(split_part(links.purpose, ':', 2) AS INTEGER), 0), links.purpose,
    labels.bullet
