-- Patterns that edits of the cycle answer to.
SELECT patterns.bullet, patterns.rule, patterns.layer, patterns.family,
       max(patterns.runs) AS runs, max(patterns.tasks) AS tasks, count(DISTINCT edits.edit_id) AS edits
FROM edits JOIN failure_patterns AS patterns USING (pattern_id)
WHERE edits.cycle_id = ?
GROUP BY patterns.pattern_id, patterns.bullet, patterns.rule, patterns.layer, patterns.family
ORDER BY runs DESC, patterns.bullet, patterns.rule, patterns.family
