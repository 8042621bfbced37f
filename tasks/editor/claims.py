"""Reading a manifest that a model wrote: every field is required, every id must be known.

What cannot be used is refused with the reason, so that its author can mend it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from schemas.errors import EditRejected
from tasks.agent.protocols import JsonObject
from tasks.editor.evidence import EvidenceDesk
from tasks.editor.manifest import MAX_TOKEN_INCREASE, Evidence, Manifest
from tasks.editor.workshop import Workshop
from tasks.harness.bundle import Change

TEXTS = ("root_cause", "why_safe", "watch")
_ID = {"type": "string", "maxLength": 200}
_IDS: JsonObject = {"type": "array", "items": _ID, "maxItems": 500}
MANIFEST_PROPERTIES: JsonObject = {
    "title": {"type": "string", "minLength": 1, "maxLength": 200},
    "layer": {"enum": ["contract", "skills", "actions", "regulation"]},
    "evidence": {
        "type": "array",
        "description": "train runs and steps that show the failure",
        "minItems": 1,
        "maxItems": 50,
        "items": {
            "type": "object",
            "properties": {"trajectory_id": _ID, "step": {"type": ["integer", "null"]}},
            "required": ["trajectory_id", "step"],
            "additionalProperties": False,
        },
    },
    "root_cause": {"type": "string", "minLength": 1, "maxLength": 2000},
    "predicted_fixes": _IDS | {"description": "ids of train tasks that should pass"},
    "predicted_risks": _IDS | {"description": "ids of train tasks that pass and could be lost"},
    "why_safe": {
        "type": "string",
        "description": "why it is safe under the contract of the world",
        "minLength": 1,
        "maxLength": 2000,
    },
    "watch": {
        "type": "string",
        "description": "failure modes left to watch",
        "minLength": 1,
        "maxLength": 2000,
    },
}
OPTIONAL_PROPERTIES: JsonObject = {
    "pattern_id": _ID,
    "token_increase": {"type": "number", "minimum": 0, "maximum": MAX_TOKEN_INCREASE},
}


@dataclass(frozen=True)
class Known:
    """Ids a manifest may name.

    Attributes:
        steps: number of steps of each train run.
        tasks: ids of train tasks.
        patterns: members of each pattern.
    """

    steps: Mapping[str, int]
    tasks: frozenset[str]
    patterns: Mapping[str, tuple[Evidence, ...]]


def known_ids(desk: EvidenceDesk, workshop: Workshop) -> Known:
    """Ids that a manifest may name in a round."""
    episodes = desk.episodes
    return Known(
        steps={
            name: max((step.step_index for step in episode.steps), default=-1) + 1
            for name, episode in episodes.items()
        },
        tasks=frozenset(workshop.train_tasks)
        | {episode.trajectory.task_id for episode in episodes.values()},
        patterns={row.pattern_id: desk.members(row) for row in desk.brief.patterns},
    )


def read_claims(given: JsonObject, known: Known, changed: Sequence[Change]) -> Manifest:
    """Make a manifest of arguments that fit the schema.

    Raises:
        EditRejected: an empty text, an id that is not known, or another layer than the one changed.
    """
    problems = [f"{name} is empty" for name in TEXTS if not given[name].strip()]
    problems += _unknown_evidence(given["evidence"], known)
    for name in ("predicted_fixes", "predicted_risks"):
        strange = sorted(set(given[name]) - known.tasks)
        problems += [f"{name} names {one[:80]!r}, which is no train task" for one in strange[:5]]
    pattern_id = given.get("pattern_id") or None
    if pattern_id is not None and pattern_id not in known.patterns:
        problems.append(f"there is no pattern {pattern_id[:80]!r}")
    layer = changed[0].layer
    if given["layer"] != layer:
        problems.append(f"layer is {given['layer']!r}, but the files changed belong to {layer!r}")
    if problems:
        what = "the manifest cannot be used: " + "; ".join(problems[:12])
        raise EditRejected(what, hint="mend it and submit again; the workspace is as you left it")
    return _manifest(given, pattern_id)


def _unknown_evidence(given: Sequence[JsonObject], known: Known) -> list[str]:
    problems: list[str] = []
    for one in given:
        name, step = one["trajectory_id"], one["step"]
        if name not in known.steps:
            problems.append(f"evidence names {name[:80]!r}, which is no train run of this round")
        elif step is not None and not 0 <= step < known.steps[name]:
            problems.append(f"run {name} has the steps 0 to {known.steps[name] - 1}, not {step}")
    return problems[:5]


def _manifest(given: JsonObject, pattern_id: str | None) -> Manifest:
    try:
        return Manifest(
            evidence=tuple(Evidence.model_validate(one) for one in given["evidence"]),
            root_cause=given["root_cause"],
            layer=given["layer"],
            predicted_fixes=tuple(dict.fromkeys(given["predicted_fixes"])),
            predicted_risks=tuple(dict.fromkeys(given["predicted_risks"])),
            token_increase=given.get("token_increase") or 0,
            why_safe=given["why_safe"],
            watch=given["watch"],
            pattern_id=pattern_id,
        )
    except ValidationError as error:
        what = f"the manifest cannot be used: {error.errors()[0]['msg']}"
        raise EditRejected(what, hint="give short texts and lists of ids") from None
