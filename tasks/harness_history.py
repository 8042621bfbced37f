"""The story of each artifact: who proposed it, what the gate said, what came of it."""

from typing import Any

from schemas.errors import ConfigError
from tasks.workbench import Workbench

# An artifact is known by environment, layer and name; its text may change from edit to edit.
_EVENTS = """
SELECT cycles.environment, history.layer, history.artifact, history.cycle_id, history.round,
       history.editor, history.title, history.verdict, history.reason, history.wins,
       history.losses, history.ties, history.e_value, history.delta, history.edit_id,
       followed.observed_fixes, followed.realised_fixes, followed.unpredicted_losses,
       followed.verdict AS promises, approvals.answer AS approval
FROM edit_history AS history
JOIN cycles USING (cycle_id)
LEFT JOIN edit_follow_ups AS followed ON followed.edit_id = history.edit_id
LEFT JOIN approvals
    ON approvals.cycle_id = history.cycle_id AND approvals.round = history.round
    AND history.stage IN ('paired', 'budget', 'prune')
WHERE (? = '' OR cycles.environment = ?) AND (? = '' OR history.artifact = ?)
ORDER BY cycles.environment, history.layer, history.artifact,
         cycles.created_at, history.cycle_id, history.round, history.ordinal, history.revision
"""
_IN_FORCE = """
SELECT artifacts.layer, artifacts.name AS artifact, names.environment
FROM harness_names_in_force AS names
JOIN harness_artifacts AS artifacts USING (harness_id)
WHERE names.name = 'current'
"""
_EFFECTS = """
SELECT environment, layer, artifact, sum(interventions)::BIGINT AS interventions,
       sum(runs_acted)::BIGINT AS runs_acted, sum(faults)::BIGINT AS faults
FROM artifact_effect
GROUP BY environment, layer, artifact
"""
_KEY = ("environment", "layer", "artifact")


def artifact_histories(environment: str = "", artifact: str = "") -> list[dict[str, Any]]:
    """One entry per artifact: whether it is in force, what it did, and its edits in order.

    Raises:
        ConfigError: no edit is stored of the artifact, or in the environment, that is named.
    """
    with Workbench.open().warehouse.read() as reader:
        events = reader.frame(_EVENTS, [environment, environment, artifact, artifact]).to_dicts()
        in_force = {_key(row) for row in reader.frame(_IN_FORCE).to_dicts()}
        effects = {_key(row): row for row in reader.frame(_EFFECTS).to_dicts()}
    if not events and (environment or artifact):
        named = " in ".join(f"`{word[:60]}`" for word in (artifact, environment) if word)
        what = f"no edit is stored of {named}"
        raise ConfigError(what, hint="`tackroom harness history` lists all there are")
    histories: dict[tuple[str, ...], dict[str, Any]] = {}
    for event in events:
        key = _key(event)
        effect = effects.get(key, {})
        story = histories.setdefault(
            key,
            dict(zip(_KEY, key, strict=True))
            | {
                "in_force": key in in_force,
                "interventions": effect.get("interventions", 0),
                "runs_acted": effect.get("runs_acted", 0),
                "faults": effect.get("faults", 0),
                "edits": [],
            },
        )
        story["edits"].append({name: event[name] for name in event if name not in _KEY})
    return list(histories.values())


def tell_history(history: dict[str, Any]) -> list[str]:
    """One artifact's story as lines, oldest edit first."""
    state = "in force" if history["in_force"] else "not in force"
    did = f"{history['interventions']} interventions in {history['runs_acted']} runs"
    faults = f", {history['faults']} faults" if history["faults"] else ""
    head = f"{history['environment']}  {history['layer']} {history['artifact']}"
    return [f"{head}  ({state}; {did}{faults})", *(_tell(edit) for edit in history["edits"])]


def _tell(edit: dict[str, Any]) -> str:
    verdict = f"{edit['verdict']}, {edit['reason']}" if edit["verdict"] else "waits"
    parts = [f"  {edit['cycle_id']} round {edit['round']}  {edit['editor']}: {verdict}"]
    if edit["e_value"] is not None:
        parts.append(f"{edit['wins']} won, {edit['losses']} lost, {edit['ties']} tied")
    if edit["promises"]:
        kept = f"{edit['realised_fixes']} of {edit['observed_fixes']} promised fixes came true"
        lost = f", {edit['unpredicted_losses']} tasks lost" if edit["unpredicted_losses"] else ""
        parts.append(f"{kept}{lost}: {edit['promises']}")
    if edit["approval"]:
        parts.append(f"{edit['approval']} by a person or the clock")
    return "; ".join([*parts, edit["edit_id"]])


def _key(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in _KEY)
