-- Components that edits brought into accepted harnesses: artifacts an accepted harness holds and the
-- base harness of its cycle does not, by environment, layer and name. `versions` counts texts,
-- `states` names the states of the harnesses that hold one. The evidence is that of the accepted
-- edit with the largest e-value; wins and losses are of its trial, which may be of a whole bundle.
WITH held AS (
    SELECT h.environment, h.harness_id, h.cycle_id, a.layer, a.name AS artifact, a.artifact_id
    FROM accepted_harnesses AS h
    JOIN cycles AS c ON c.cycle_id = h.cycle_id
    JOIN harness_artifacts AS a ON a.harness_id = h.harness_id
    ANTI JOIN harness_artifacts AS b
        ON b.harness_id = c.base_harness_id AND b.artifact_id = a.artifact_id
),
components AS (
    SELECT
        h.environment,
        h.layer,
        h.artifact,
        count(DISTINCT h.artifact_id) AS versions,
        count(DISTINCT h.harness_id) AS harnesses,
        count(DISTINCT h.cycle_id) AS cycles,
        string_agg(DISTINCT s.state, ', ' ORDER BY s.state) AS states,
        bool_or(f.harness_id IS NOT NULL) AS in_force
    FROM held AS h
    LEFT JOIN harness_states_now AS s
        ON s.environment = h.environment AND s.harness_id = h.harness_id
    LEFT JOIN harness_names_in_force AS f
        ON f.environment = h.environment AND f.name = 'current' AND f.harness_id = h.harness_id
    GROUP BY h.environment, h.layer, h.artifact
),
evidence AS (
    SELECT
        c.environment,
        e.layer,
        e.artifact,
        count(*) AS accepted_edits,
        max(e.e_value) AS e_value,
        arg_max(e.wins, coalesce(e.e_value, 0)) AS wins,
        arg_max(e.losses, coalesce(e.e_value, 0)) AS losses,
        arg_max(e.delta, coalesce(e.e_value, 0)) AS delta
    FROM edit_history AS e
    JOIN cycles AS c ON c.cycle_id = e.cycle_id
    WHERE e.verdict = 'accepted'
    GROUP BY c.environment, e.layer, e.artifact
)
SELECT
    p.environment,
    p.layer,
    p.artifact,
    p.versions,
    p.harnesses,
    p.cycles,
    p.states,
    p.in_force,
    coalesce(e.accepted_edits, 0) AS accepted_edits,
    e.e_value,
    e.wins,
    e.losses,
    e.delta
FROM components AS p
LEFT JOIN evidence AS e
    ON e.environment = p.environment AND e.layer = p.layer AND e.artifact = p.artifact
ORDER BY p.environment, p.layer, p.artifact
