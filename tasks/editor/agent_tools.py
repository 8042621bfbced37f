"""The tools of a coding agent: what they take, and what one call of them answers."""

import json
from dataclasses import dataclass, field

from pydantic import ValidationError

from schemas.errors import EditRejected
from tasks.agent.arguments import parse_arguments
from tasks.agent.protocols import JsonObject, RawCall, ToolSpec
from tasks.editor.evidence import EvidenceDesk
from tasks.editor.manifest import MAX_TOKEN_INCREASE, Evidence, Manifest
from tasks.editor.protocols import Proposal
from tasks.editor.workspace import Workspace
from tasks.harness import diff

MAX_ANSWER = 16_000
_TEXT: JsonObject = {"type": "string"}
_TEXTS: JsonObject = {"type": "array", "items": _TEXT}


def _spec(name: str, description: str, required: JsonObject, optional: JsonObject) -> JsonObject:
    parameters = {
        "type": "object",
        "properties": required | optional,
        "required": list(required),
        "additionalProperties": False,
    }
    return ToolSpec(name, description, parameters).as_openai()


TOOLS: tuple[JsonObject, ...] = (
    _spec("list_files", "List the files of the candidate harness.", {}, {}),
    _spec("read_file", "Read a file of the candidate.", {"path": _TEXT}, {}),
    _spec("write_file", "Write a file of the candidate.", {"path": _TEXT, "text": _TEXT}, {}),
    _spec("delete_file", "Delete a file of the candidate.", {"path": _TEXT}, {}),
    _spec("read_run", "Read one train trajectory.", {"trajectory_id": _TEXT}, {}),
    _spec("show_diff", "Show the candidate's changes.", {}, {}),
    _spec(
        "submit",
        "Hand in the candidate as one edit with its manifest; the next edit starts anew.",
        {"title": _TEXT, "root_cause": _TEXT, "why_safe": _TEXT},
        {
            "pattern_id": _TEXT,
            "trajectory_ids": _TEXTS,
            "predicted_fixes": _TEXTS,
            "predicted_risks": _TEXTS,
            "watch": _TEXT,
            "token_increase": {"type": "number", "minimum": 0, "maximum": MAX_TOKEN_INCREASE},
        },
    ),
    _spec("finish", "Say that there is nothing more to submit.", {}, {}),
)
_REQUIRED = {tool["function"]["name"]: tool["function"]["parameters"] for tool in TOOLS}


@dataclass
class AgentDesk:
    """The state that the tools of one conversation share."""

    workspace: Workspace
    evidence: EvidenceDesk
    pattern_ids: frozenset[str] = frozenset()
    revision: int = 0
    submitted: list[Proposal] = field(default_factory=list[Proposal])
    is_finished: bool = False

    def answer(self, call: RawCall) -> str:
        """Carry out one call; whatever is wrong with it is said in the answer."""
        try:
            return self._carry_out(call.name, _arguments(call))[:MAX_ANSWER]
        except EditRejected as error:
            return f"refused: {error}"

    def _carry_out(self, name: str, given: JsonObject) -> str:
        match name:
            case "list_files":
                return "\n".join(self.workspace.paths())
            case "read_file":
                return self.workspace.read(given["path"]) or "(empty)"
            case "write_file":
                self.workspace.write(given["path"], given["text"])
                return "written"
            case "delete_file":
                self.workspace.delete(given["path"])
                return "deleted"
            case "read_run":
                return self.evidence.run(given["trajectory_id"])
            case "show_diff":
                return diff(self.workspace.parent, self.workspace.candidate())
            case "submit":
                return self._submit(given)
            case _:
                self.is_finished = True
                return "finished"

    def _submit(self, given: JsonObject) -> str:
        child = self.workspace.candidate()
        changed = self.workspace.changed(child)
        if any(one.child.harness_id == child.harness_id for one in self.submitted):
            what = "this candidate was submitted before"
            raise EditRejected(what, reason="duplicate")
        wanted = given.get("pattern_id")
        pattern_id = wanted if wanted in self.pattern_ids else None
        first = changed[0]
        self.submitted.append(
            Proposal(
                parent=self.workspace.parent,
                child=child,
                layer=first.layer,
                artifact=first.name,
                kind=f"agent_{first.layer}",
                title=" ".join(given["title"].split())[:200] or "Edit of a coding agent",
                manifest=_manifest(given, pattern_id),
                pattern_id=pattern_id,
                revision=self.revision,
            )
        )
        self.workspace = Workspace(self.workspace.parent)
        return f"submitted as edit {len(self.submitted)}; the workspace is the parent again"


def _manifest(given: JsonObject, pattern_id: str | None) -> Manifest:
    ids = given.get("trajectory_ids") or []
    try:
        return Manifest(
            evidence=tuple(Evidence(trajectory_id=one) for one in ids[:50]),
            root_cause=given["root_cause"][:2000],
            predicted_fixes=tuple(given.get("predicted_fixes") or [])[:500],
            predicted_risks=tuple(given.get("predicted_risks") or [])[:500],
            why_safe=given["why_safe"][:2000],
            watch=str(given.get("watch") or "")[:2000],
            token_increase=given.get("token_increase") or 0,
            pattern_id=pattern_id,
        )
    except ValidationError as error:
        what = f"the manifest cannot be used: {error.errors()[0]['msg']}"
        raise EditRejected(what, hint="give short texts and lists of texts") from None


def _arguments(call: RawCall) -> JsonObject:
    """Arguments that fit the tool's schema.

    Raises:
        EditRejected: unknown tool, broken JSON, a missing, unknown or mistyped argument.
    """
    schema = _REQUIRED.get(call.name)
    if schema is None:
        what = f"there is no tool {call.name[:60]!r}"
        raise EditRejected(what, hint=f"tools: {', '.join(_REQUIRED)}")
    parsed = parse_arguments(call.arguments)
    if parsed.arguments is None:
        what = f"the arguments of {call.name} are {parsed.error}"
        raise EditRejected(what, hint="send one JSON object")
    known = schema["properties"]
    missing = [key for key in schema["required"] if key not in parsed.arguments]
    strange = [key for key in parsed.arguments if key not in known]
    wrong = [
        key
        for key, value in parsed.arguments.items()
        if key in known and not _fits(value, known[key]["type"])
    ]
    if missing or strange or wrong:
        what = f"{call.name}: missing {missing}, unknown {strange[:5]}, wrong type {wrong[:5]}"
        raise EditRejected(what, hint=f"takes {json.dumps(sorted(known))}")
    return parsed.arguments


def _fits(value: object, kind: str) -> bool:
    if kind == "string":
        return isinstance(value, str)
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
