-- How well each forecaster saw coming what edits do to train tasks: fixes and regressions foretold,
-- seen and both, over the trials of an editor. Edits that were tried as one bundle are scored as
-- one; a task counts where it was run with and without them. Precision and recall are null where
-- nothing was foretold, or nothing happened.
WITH decided AS (
    SELECT e.editor, e.edit_id, e.cycle_id, e.round, e.parent_harness_id, d.trial_id, d.verdict
    FROM edits AS e
    JOIN gate_decisions AS d ON d.edit_id = e.edit_id
    WHERE d.trial_id IS NOT NULL
),
arms AS (
    SELECT g.editor, g.cycle_id, g.trial_id, p.old_harness_id, p.new_harness_id
    FROM decided AS g
    JOIN paired_trials AS p ON p.trial_id = g.trial_id
    UNION
    SELECT g.editor, g.cycle_id, g.trial_id, g.parent_harness_id, v.harness_id
    FROM decided AS g
    JOIN evaluations AS v
        ON v.cycle_id = g.cycle_id AND v.round = g.round + 1 AND v.split = 'train'
    WHERE g.verdict = 'accepted'
),
runs AS (
    SELECT
        t.harness_id,
        t.environment_fingerprint,
        t.model,
        t.task_id,
        avg((o.outcome = 'success')::INTEGER) AS success
    FROM trajectories AS t
    JOIN trajectory_outcomes AS o ON o.trajectory_id = t.trajectory_id
    WHERE t.arm = 'run' AND t.split = 'train' AND o.outcome <> 'unknown'
    GROUP BY t.harness_id, t.environment_fingerprint, t.model, t.task_id
),
seen AS (
    SELECT a.editor, a.trial_id, n.task_id, sum(n.success - o.success) AS change
    FROM arms AS a
    JOIN cycles AS c ON c.cycle_id = a.cycle_id
    JOIN runs AS o ON o.harness_id = a.old_harness_id AND o.model = c.model
    JOIN runs AS n
        ON n.harness_id = a.new_harness_id AND n.model = c.model AND n.task_id = o.task_id
        AND n.environment_fingerprint = o.environment_fingerprint
    GROUP BY a.editor, a.trial_id, n.task_id
),
foretold AS (
    SELECT DISTINCT
        g.editor,
        g.trial_id,
        p.forecaster,
        p.task_id,
        if(p.prediction = 'risk', 'regression', 'fix') AS kind
    FROM decided AS g
    JOIN edit_predictions AS p ON p.edit_id = g.edit_id
),
asked AS (
    SELECT f.editor, f.forecaster, k.kind
    FROM (SELECT DISTINCT editor, forecaster FROM foretold) AS f
    CROSS JOIN (SELECT unnest(['fix', 'regression']) AS kind) AS k
),
scored AS (
    SELECT
        q.editor,
        q.forecaster,
        q.kind,
        s.trial_id,
        f.task_id IS NOT NULL AS is_foretold,
        if(q.kind = 'fix', s.change > 0, s.change < 0) AS is_real
    FROM asked AS q
    JOIN seen AS s ON s.editor = q.editor
    LEFT JOIN foretold AS f
        ON f.editor = q.editor AND f.forecaster = q.forecaster AND f.kind = q.kind
        AND f.trial_id = s.trial_id AND f.task_id = s.task_id
)
SELECT
    editor,
    forecaster,
    kind,
    count(DISTINCT trial_id) AS trials,
    count(*) AS tasks,
    count(*) FILTER (WHERE is_foretold) AS foretold,
    count(*) FILTER (WHERE is_real) AS happened,
    count(*) FILTER (WHERE is_foretold AND is_real) AS hits,
    count(*) FILTER (WHERE is_foretold AND is_real)
        / nullif(count(*) FILTER (WHERE is_foretold), 0) AS precision,
    count(*) FILTER (WHERE is_foretold AND is_real)
        / nullif(count(*) FILTER (WHERE is_real), 0) AS recall
FROM scored
GROUP BY editor, forecaster, kind
ORDER BY editor, forecaster, kind
