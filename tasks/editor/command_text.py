"""The template of `command:TEMPLATE`, and what the command is told in its files."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.errors import EditRejected
from tasks.agent.command_process import split_command
from tasks.agent.protocols import JsonObject
from tasks.editor.claims import MANIFEST_PROPERTIES, OPTIONAL_PROPERTIES
from tasks.editor.evidence import EvidenceDesk
from tasks.editor.guide import brief_text, system_text
from tasks.editor.protocols import Brief
from tasks.editor.workshop import Workshop

PROMPT = "Read BRIEF.md in this folder and do what it asks. Work only in this folder."
BRIEF_FILE = "BRIEF.md"
MANIFEST_FILE = "edits.json"
FOLDER = "harness"
EVIDENCE = "evidence"

EDITS_SCHEMA = {
    "type": "array",
    "maxItems": 60,
    "items": {
        "type": "object",
        "properties": {
            "artifact": {"type": "string", "maxLength": 200},
            **MANIFEST_PROPERTIES,
            **OPTIONAL_PROPERTIES,
        },
        "required": ["artifact", *MANIFEST_PROPERTIES],
        "additionalProperties": False,
    },
}
_TASK = f"""\
# What to do

Edit the files of the harness in `{FOLDER}/`. Only `contract.md`, `skills/NAME/SKILL.md`,
`actions.py` and `regulation.py` are taken back, and each contract section, skill or rule you change
becomes an edit of its own. `{EVIDENCE}/` holds what there is to know; nothing outside this folder
matters.

Then write `{MANIFEST_FILE}`: a JSON list with one object for each edit. `artifact` is the title of
the section, the name of the skill, or the name of the rule function. Its schema:

{json.dumps(EDITS_SCHEMA)}
"""


@dataclass(frozen=True)
class Template:
    """Words of a command; `{brief}`, `{workspace}` and `{prompt}` in them are filled in."""

    words: tuple[str, ...]

    def fill(self, *, brief: str, workspace: str) -> list[str]:
        """The command as it is started, without a shell."""
        values = {"{brief}": brief, "{workspace}": workspace, "{prompt}": PROMPT}
        filled = list(self.words)
        for name, value in values.items():
            filled = [word.replace(name, value) for word in filled]
        return filled


def read_template(text: str) -> Template:
    """Split a template into words, as a shell would but without running one.

    Raises:
        ConfigError: it is empty, a quotation mark is not closed, or it holds a key, which would be
            stored with the cycle.
    """
    example = 'such as command:codex exec --sandbox workspace-write "{prompt}"'
    keys = "put it into a variable and name that in editor.pass_env"
    return Template(split_command(text, "editor command", example=example, keys=keys))


def workspace_files(
    brief: Brief, desk: EvidenceDesk, workshop: Workshop, findings: Sequence[str] = ()
) -> dict[str, str]:
    """Texts of everything in the workspace but the harness, by path."""
    parts = [system_text(workshop), _TASK, "# This round", brief_text(brief, desk.opening())]
    if findings:
        listed = "\n".join(f"- {one[:500]}" for one in findings[:20])
        parts.append(f"# Refused\n\nThe harness here holds an edit that was refused:\n{listed}")
    files = {
        BRIEF_FILE: "\n\n".join(parts),
        f"{EVIDENCE}/tools.json": _json(list(brief.tools)),
        f"{EVIDENCE}/train_tasks.json": _json(list(workshop.train_tasks)),
        f"{EVIDENCE}/patterns.json": _json([_pattern(desk, i) for i in range(len(brief.patterns))]),
    }
    return files | {f"{EVIDENCE}/runs/{name}.txt": text for name, text in _runs(brief, desk)}


def _pattern(desk: EvidenceDesk, position: int) -> JsonObject:
    row = desk.brief.patterns[position]
    members = [one.model_dump() for one in desk.members(row)]
    named = row.model_dump(include={"pattern_id", "bullet", "signature", "layer", "runs", "tasks"})
    return named | {"members": members}


def _runs(brief: Brief, desk: EvidenceDesk) -> list[tuple[str, str]]:
    """Members of the patterns first, then successes, until the round's evidence is spent."""
    wanted = [one.trajectory_id for row in brief.patterns for one in desk.members(row)]
    wanted += [name for name, episode in sorted(desk.episodes.items()) if episode.is_success]
    found: list[tuple[str, str]] = []
    for name in dict.fromkeys(wanted):
        try:
            found.append((name, desk.run(name)))
        except EditRejected:
            break
    return found


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)
