-- Every proposed edit with what the gate decided and why, in the order of cycle, round and
-- proposal. Verdict is null while an edit waits for its decision.
SELECT
    e.cycle_id,
    e.round,
    e.ordinal,
    e.edit_id,
    e.editor,
    e.layer,
    e.kind,
    e.artifact,
    e.title,
    d.verdict,
    d.reason,
    d.stage,
    d.slot,
    d.wins,
    d.losses,
    d.ties,
    d.e_value,
    d.threshold,
    d.delta,
    d.delta_lo,
    d.delta_hi,
    d.regressions,
    d.trial_id,
    e.pattern_id,
    e.revision,
    e.revises,
    e.parent_harness_id,
    e.child_harness_id
FROM edits AS e
LEFT JOIN gate_decisions AS d ON d.edit_id = e.edit_id
ORDER BY e.cycle_id, e.round, e.ordinal, e.revision, e.edit_id
