-- Every proposed edit with what became of it and why, in the order of cycle, round and proposal.
-- Verdict is null while an edit waits for its decision. An edit that passed the gate is
-- rejected all the same when nobody approved it, reason approval, or when later runs did not keep
-- its promises and it was taken out again, reason falsified.
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
    CASE WHEN is_turned_down OR is_taken_out THEN 'rejected' ELSE d.verdict END AS verdict,
    CASE
        WHEN is_turned_down THEN 'approval'
        WHEN is_taken_out THEN 'falsified'
        ELSE d.reason
    END AS reason,
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
LEFT JOIN approvals AS a ON a.cycle_id = e.cycle_id AND a.round = e.round
LEFT JOIN edit_follow_ups AS f ON f.edit_id = e.edit_id
CROSS JOIN LATERAL (
    SELECT
        coalesce(d.verdict = 'accepted' AND a.answer = 'rejected', false) AS is_turned_down,
        coalesce(f.is_reverted, false) AS is_taken_out
)
ORDER BY e.cycle_id, e.round, e.ordinal, e.revision, e.edit_id
