"""Editor `command:<template>`: an external coding agent in a throw-away workspace.

It gets the brief and train evidence as files and may do there what it likes; only harness files
come back, and each artifact it changed becomes a proposal. A command that fails, hangs or cannot be
started is a fault of the editor: it proposes nothing, what it said is kept, the cycle goes on.
"""

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from schemas.errors import EditRejected
from schemas.fields import Layer
from tasks.agent.arguments import clean_value
from tasks.agent.command_process import Ran, run_command
from tasks.agent.protocols import JsonObject
from tasks.editor.claims import Known, known_ids, read_claims
from tasks.editor.command_text import (
    BRIEF_FILE,
    EDITS_SCHEMA,
    MANIFEST_FILE,
    Template,
    workspace_files,
)
from tasks.editor.command_workspace import lay_out, read_manifest, take_back
from tasks.editor.evidence import EvidenceDesk
from tasks.editor.manifest import Manifest
from tasks.editor.protocols import Brief, Proposal
from tasks.editor.session import Session
from tasks.editor.workshop import Workshop
from tasks.harness import Harness, HarnessError
from tasks.harness.bundle import Change, apply, changes

MAX_REVISION_RUNS = 2
"""Most commands of a round that mend a refused edit; each may take the whole time limit."""


class CommandEditor:
    """Runs one command a round, and a few more for what is refused."""

    is_decoy = False

    def __init__(
        self,
        name: str,
        template: Template,
        workshop: Workshop | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.sessions: list[Session] = []
        self._template = template
        self._workshop = workshop or Workshop()
        self._environ = dict(environ or {})
        self._brief: Brief | None = None
        self._revisions = 0

    async def propose(self, brief: Brief) -> list[Proposal]:
        """Let the command work; a fault of it is an empty list."""
        self._brief = brief
        session = self._open("propose")
        found = await self._run(session, brief, brief.harness.files, ())
        kept = found[: self._workshop.caps.proposals]
        for dropped in found[len(kept) :]:
            name = dropped.artifact
            session.say("file", "", tool=name, refused=f"over {len(kept)} edits in a round")
        session.proposals = len(kept)
        return kept

    async def revise(self, proposal: Proposal, findings: Sequence[str]) -> Proposal | None:
        """Run the command again on the candidate and its findings; null when it mends nothing."""
        if self._brief is None or self._revisions >= MAX_REVISION_RUNS:
            return None
        self._revisions += 1
        session = self._open("revise")
        found = await self._run(session, self._brief, proposal.child.files, findings)
        same = [
            one
            for one in found
            if (one.layer, one.artifact) == (proposal.layer, proposal.artifact)
            and one.child != proposal.child
        ]
        session.proposals = len(same[:1])
        return same[0] if same else None

    def _open(self, purpose: str) -> Session:
        session = Session("revise" if purpose == "revise" else "propose")
        session.without_model()
        self.sessions.append(session)
        return session

    async def _run(
        self, session: Session, brief: Brief, files: Mapping[str, str], findings: Sequence[str]
    ) -> list[Proposal]:
        desk = EvidenceDesk(brief)
        with tempfile.TemporaryDirectory(
            prefix="tackroom-editor-", ignore_cleanup_errors=True
        ) as root:
            folder, home = Path(root) / "workspace", Path(root) / "home"
            folder.mkdir()
            home.mkdir()
            texts = workspace_files(brief, desk, self._workshop, findings)
            lay_out(folder, files, texts)
            session.say("user", texts[BRIEF_FILE])
            words = self._template.fill(brief=str(folder / BRIEF_FILE), workspace=str(folder))
            environ = {"HOME": str(home), "TMPDIR": str(home)} | self._environ
            ran = await run_command(words, folder, environ, self._workshop.caps.timeout_s)
            if not _keep(session, ran, self._workshop.caps.timeout_s):
                return []
            return _read_back(session, folder, brief.harness, known_ids(desk, self._workshop))


def _keep(session: Session, ran: Ran, timeout_s: float) -> bool:
    """Keep what a command said; false when it is a fault."""
    session.turns, session.exit_code, session.duration_s = 1, ran.exit_code, ran.duration_s
    session.say("stdout", ran.stdout)
    session.say("stderr", ran.stderr)
    if ran.problem:
        session.turns = 0
        session.end("exit", ran.problem)
    elif ran.is_late:
        session.end("time", f"killed after {timeout_s:g} s")
    elif ran.exit_code:
        session.end("exit", f"exit code {ran.exit_code}")
    return session.stop == "finished"


def _read_back(session: Session, folder: Path, parent: Harness, known: Known) -> list[Proposal]:
    files, refused = take_back(folder, parent)
    for one in refused:
        session.say("file", "", tool=one.path, refused=one.why)
    claims = _claims(session, folder)
    found: dict[str, Proposal] = {}
    for path in sorted(parent.files.keys() | files.keys()):
        if files.get(path) == parent.files.get(path):
            continue
        try:
            for change in _changes(parent, path, files.get(path)):
                manifest, title = _manifest(session, claims, change, known)
                child = apply(parent, [change])
                proposal = _proposal(parent, child, change, manifest, title)
                found.setdefault(child.harness_id, proposal)
            session.say("file", files.get(path, ""), tool=path)
        except HarnessError as error:
            session.say("file", files.get(path, ""), tool=path, refused=str(error))
    return list(found.values())


def _changes(parent: Harness, path: str, text: str | None) -> tuple[Change, ...]:
    files = dict(parent.files)
    if text is None:
        files.pop(path, None)
    else:
        files[path] = text
    return changes(parent, Harness.from_files(files))


def _proposal(
    parent: Harness, child: Harness, change: Change, manifest: Manifest, title: str
) -> Proposal:
    return Proposal(
        parent=parent,
        child=child,
        layer=change.layer,
        artifact=change.name,
        kind=f"command_{change.layer}",
        title=title,
        manifest=manifest,
        pattern_id=manifest.pattern_id,
    )


def _claims(session: Session, folder: Path) -> dict[tuple[Layer, str], JsonObject]:
    """The manifest file by layer and artifact; empty when there is none that can be used."""
    try:
        text = read_manifest(folder)
        if text is None:
            return {}
        value = clean_value(json.loads(text))
        _require_schema(value)
    except (EditRejected, ValueError, RecursionError) as error:
        session.say("file", "", tool=MANIFEST_FILE, refused=str(error))
        return {}
    session.say("file", text, tool=MANIFEST_FILE)
    return {(one["layer"], one["artifact"]): one for one in value}


def _require_schema(value: Any) -> None:
    error = next(iter(Draft202012Validator(EDITS_SCHEMA).iter_errors(value)), None)
    if error is not None:
        place = ".".join(str(part) for part in error.absolute_path) or MANIFEST_FILE
        what = f"{place}: {error.message[:200]}"
        raise EditRejected(what)


def _manifest(
    session: Session, claims: Mapping[tuple[Layer, str], JsonObject], change: Change, known: Known
) -> tuple[Manifest, str]:
    """What the command says of a change; nothing when it says nothing that can be used."""
    plain = f"Edit of a command: {change.layer} {change.name}"[:200]
    given = claims.get((change.layer, change.name))
    if given is None:
        return Manifest(layer=change.layer), plain
    try:
        manifest = read_claims(given, known, [change])
    except EditRejected as error:
        session.say("file", "", tool=MANIFEST_FILE, refused=f"{change.name}: {error.what}")
        return Manifest(layer=change.layer), plain
    return manifest, " ".join(given["title"].split()) or plain
