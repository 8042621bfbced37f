"""The evidence card of a harness: on what it was accepted, from the rows that say so."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from schemas.errors import ConfigError
from schemas.evidence import (
    Acceptance,
    AcceptedEdit,
    EvidenceCard,
    Forecast,
    Score,
    ToolSeal,
)
from schemas.runs import CycleRow
from tasks.harness import Harness, HarnessError
from tasks.harness.folder import EVIDENCE, read_about
from tasks.presentation.trajectory import is_simulated
from tasks.toolset.definitions import ToolDefinition, read_definitions
from tasks.toolset.outline import seal
from tasks.workbench import Workbench
from warehouse.reader import Reader
from warehouse.seeds import evolved_folders

MAX_ACCEPTANCES = 10
MAX_EDITS = 60
MAX_TITLE = 200
MAX_TOOLS_BYTES = 24 * 1024
METHOD = (
    "paired trial on tasks that no editor saw: e-process of wins against losses, a uniform mixture "
    "over win rates, read pair by pair; effect with a bootstrap interval over tasks"
)
_CYCLES = "SELECT cycle_id, round FROM accepted_harnesses WHERE harness_id = ? ORDER BY cycle_id"
_EDITS = """
SELECT h.cycle_id, h.round, h.edit_id, h.editor, h.layer, h.artifact, h.kind, h.title, h.trial_id,
       h.parent_harness_id, h.wins, h.losses, h.ties, h.e_value, h.threshold, h.delta, h.delta_lo,
       h.delta_hi, h.regressions, e.created_at, c.model,
       json_extract_string(c.inputs, '$.environment_fingerprint') AS environment_fingerprint
FROM edit_history AS h
JOIN edits AS e ON e.edit_id = h.edit_id
JOIN cycles AS c ON c.cycle_id = h.cycle_id
WHERE h.cycle_id = ? AND h.round <= ? AND h.verdict = 'accepted'
ORDER BY h.round DESC, h.ordinal, h.edit_id
"""
_TRIAL = """
SELECT new_harness_id, old_harness_id, count(*) AS tasks
FROM paired_trials
WHERE trial_id = ?
GROUP BY new_harness_id, old_harness_id
"""
_FORETOLD = """
SELECT count(DISTINCT (edit_id, task_id)) FILTER (
           WHERE prediction = 'fix' AND forecaster = 'editor'
       ),
       count(DISTINCT (edit_id, task_id)) FILTER (WHERE prediction = 'risk')
FROM edit_predictions
WHERE edit_id IN (SELECT unnest(?::VARCHAR[]))
"""
_FOLLOWED = """
SELECT verdict, observed_fixes, realised_fixes, unpredicted_losses
FROM edit_follow_ups
WHERE edit_id IN (SELECT unnest(?::VARCHAR[]))
"""
_SEALED = """
SELECT success, success_lo, success_hi, tasks
FROM evaluations
WHERE cycle_id = ? AND split = 'sealed' AND purpose = ? AND (? = '' OR harness_id = ?)
"""
_TOOLS = """
SELECT p.text
FROM trajectories AS t
JOIN prompts AS p ON p.prompt_id = t.tools_prompt_id
WHERE t.harness_id = ? AND t.origin = 'rollout' AND t.arm = 'run'
ORDER BY t.trajectory_id
LIMIT 1
"""
Found = Sequence[dict[str, Any]]


def card_of(bench: Workbench, harness: Harness) -> EvidenceCard:
    """The card of a harness, made from the rows, else as it ships; without evidence it says so."""
    with bench.warehouse.read() as reader:
        found = _acceptances(reader, harness.harness_id)
        tools = _tools(reader, harness, found) if found else None
    if not found and (shipped := _shipped_card(harness)):
        return shipped
    kept = found[:MAX_ACCEPTANCES]
    simulated = any(one.simulated for one in found)
    return EvidenceCard(
        harness_id=harness.harness_id,
        environment=harness.environment,
        status="accepted" if found else "none",
        note=_note(is_accepted=bool(found), simulated=simulated),
        simulated=simulated,
        models=tuple(sorted({one.model for one in found})),
        cycle_ids=tuple(dict.fromkeys(one.cycle_id for one in found)),
        accepted_at=max((one.accepted_at for one in found), default=None),
        method=METHOD,
        acceptances=tuple(kept),
        acceptances_left_out=len(found) - len(kept),
        tools=tools,
    )


def render_card(card: EvidenceCard) -> str:
    """The text of `evidence.json`; equal evidence gives equal text."""
    return json.dumps(card.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n"


def find_card(word: str, environment: str = "") -> tuple[Harness, EvidenceCard | None]:
    """The harness that a word means, with its card: that of the folder, else from the rows.

    Null for a folder without `evidence.json`: what is stored of the same files may differ.

    Raises:
        ConfigError: no harness is meant, or the folder is not as it was exported.
    """
    folder = Path(word)
    if not (folder / "harness.yaml").exists():
        bench = Workbench.open()
        harness = bench.harness(environment, word)
        return harness, card_of(bench, harness)
    try:
        harness = Harness.load(folder)
        text = read_about(folder, EVIDENCE)
    except HarnessError as error:
        what = f"harness {word}: {error}"
        raise ConfigError(what) from error
    return harness, None if text is None else _read(text, word, harness)


def _shipped_card(harness: Harness) -> EvidenceCard | None:
    """The card of an evolved harness that ships; null when this is none."""
    folder = evolved_folders().get(harness.environment)
    shipped, card = find_card(str(folder)) if folder else (None, None)
    return card if shipped and shipped.harness_id == harness.harness_id else None


def _read(text: str, word: str, harness: Harness) -> EvidenceCard:
    try:
        card = EvidenceCard.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "text"
        what = f"{word}/{EVIDENCE} is no evidence card: {place}: {first['msg']}"
        raise ConfigError(what, hint="export the harness again") from None
    if card.harness_id != harness.harness_id:
        what = f"{word}/{EVIDENCE} is about {card.harness_id}, not about {harness.harness_id}"
        raise ConfigError(what, hint="export the harness again")
    return card


def _note(*, is_accepted: bool, simulated: bool) -> str:
    if not is_accepted:
        return "There is no evidence: no edit that led to this harness was accepted by the gate."
    if simulated:
        return "Made with a simulated model: the numbers say nothing about a real one."
    return "Accepted for the models named here; for another one nothing is shown."


def _acceptances(reader: Reader, harness_id: str) -> list[Acceptance]:
    """Trials behind a harness, the newest first, then those behind what its cycles started from."""
    found: list[Acceptance] = []
    seen: set[str] = set()
    waiting = [harness_id]
    while waiting:
        wanted = waiting.pop(0)
        if wanted in seen:
            continue
        seen.add(wanted)
        for cycle_id, newest in reader.frame(_CYCLES, [wanted]).iter_rows():
            edits = reader.frame(_EDITS, [cycle_id, newest]).to_dicts()
            by_trial: dict[str, list[dict[str, Any]]] = {}
            for edit in edits:
                by_trial.setdefault(edit["trial_id"] or edit["edit_id"], []).append(edit)
            found += [_acceptance(reader, wanted, members) for members in by_trial.values()]
            waiting += [
                row.base_harness_id for row in reader.rows(CycleRow, "cycle_id = ?", [cycle_id])
            ]
    return found


def _acceptance(reader: Reader, harness_id: str, edits: Found) -> Acceptance:
    first = edits[0]
    trials = reader.frame(_TRIAL, [first["trial_id"] or ""]).rows()
    tried, against, tasks = trials[0] if trials else (None, first["parent_harness_id"], 0)
    cycle_id = str(first["cycle_id"])
    points = {name: first[name] for name in ("delta", "delta_lo", "delta_hi")}
    effect = {
        name: None if value is None else round(100 * value, 2) for name, value in points.items()
    }
    return Acceptance(
        cycle_id=cycle_id,
        round=first["round"],
        accepted_at=str(max(edit["created_at"] for edit in edits))[:10],
        environment_fingerprint=first["environment_fingerprint"],
        split="select",
        model=first["model"],
        simulated=is_simulated(first["model"]),
        tried_harness_id=tried,
        against_harness_id=against,
        tasks=tasks or first["wins"] + first["losses"] + first["ties"],
        pairs=first["wins"] + first["losses"] + first["ties"],
        wins=first["wins"],
        losses=first["losses"],
        ties=first["ties"],
        e_value=first["e_value"],
        threshold=first["threshold"],
        effect_points=effect["delta"],
        effect_lo_points=effect["delta_lo"],
        effect_hi_points=effect["delta_hi"],
        regressions=first["regressions"],
        must_pass_lost=0,
        forecast=_forecast(reader, [str(edit["edit_id"]) for edit in edits]),
        sealed_base=_score(reader, cycle_id, "baseline", ""),
        sealed_final=_score(reader, cycle_id, "final", harness_id),
        edits=tuple(_edit(edit) for edit in edits[:MAX_EDITS]),
        edits_left_out=max(0, len(edits) - MAX_EDITS),
    )


def _edit(edit: dict[str, Any]) -> AcceptedEdit:
    names = ("edit_id", "editor", "layer", "artifact", "kind", "title")
    values = {name: edit[name] for name in names} | {"title": edit["title"][:MAX_TITLE]}
    return AcceptedEdit.model_validate(values)


def _forecast(reader: Reader, edit_ids: list[str]) -> Forecast:
    fixes, risks = reader.frame(_FORETOLD, [edit_ids]).rows()[0]
    followed = reader.frame(_FOLLOWED, [edit_ids]).rows()
    return Forecast(
        fixes=fixes,
        risks=risks,
        observed_fixes=sum(row[1] for row in followed),
        realised_fixes=sum(row[2] for row in followed),
        unpredicted_losses=sum(row[3] for row in followed),
        verdicts=dict(sorted(Counter(str(row[0]) for row in followed).items())),
    )


def _score(
    reader: Reader, cycle_id: str, purpose: Literal["baseline", "final"], harness_id: str
) -> Score | None:
    rows = reader.frame(_SEALED, [cycle_id, purpose, harness_id, harness_id]).rows()
    if not rows:
        return None
    success, lo, hi, tasks = rows[0]
    return Score(success=success, lo=lo, hi=hi, tasks=tasks)


def _tools(
    reader: Reader, harness: Harness, found: Sequence[Acceptance]
) -> dict[str, ToolSeal] | None:
    """Tools of a run of the harness, or of the one that its newest trial compared."""
    hints = harness.contract.tool_hints
    for harness_id in dict.fromkeys([harness.harness_id, found[0].tried_harness_id or ""]):
        text = reader.scalar(_TOOLS, [harness_id])
        if isinstance(text, str):
            tools = [
                _without_hint(one, hints.get(one.name, ""))
                for one in read_definitions(json.loads(text))
            ]
            return _bounded({one.name: seal(one) for one in tools})
    return None


def _without_hint(tool: ToolDefinition, hint: str) -> ToolDefinition:
    """The tool as its owner defined it: a run records it with the hint behind it."""
    return ToolDefinition(tool.name, tool.description.removesuffix(hint).strip(), tool.parameters)


def _bounded(tools: dict[str, ToolSeal]) -> dict[str, ToolSeal]:
    """Without outlines, which the hashes then stand for, where they would fill the card."""
    size = sum(len(one.model_dump_json()) for one in tools.values())
    if size <= MAX_TOOLS_BYTES:
        return tools
    return {name: one.model_copy(update={"parameters": {}}) for name, one in tools.items()}
