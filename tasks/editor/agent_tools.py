"""What one call of a coding agent's tools does; everything it is refused is said to it and kept."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cached_property

from schemas.errors import EditRejected
from tasks.agent.protocols import JsonObject, RawCall
from tasks.editor.claims import Known, known_ids, read_claims
from tasks.editor.evidence import EvidenceDesk
from tasks.editor.ledger import Ledger
from tasks.editor.manifest import Evidence
from tasks.editor.protocols import Proposal
from tasks.editor.tool_specs import read_arguments
from tasks.editor.workshop import Report, Trial, Workshop
from tasks.editor.workspace import Workspace
from tasks.harness import Harness, diff
from tasks.harness.bundle import Change

MAX_ANSWER = 16_000
MAX_SQL = 20_000
MAX_MANIFEST_RUNS = 50


@dataclass(frozen=True)
class Answer:
    """What a call is answered with; `refused` is the reason when it was not carried out."""

    text: str
    refused: str | None = None


@dataclass
class AgentDesk:
    """The state that the tools of one conversation share."""

    workspace: Workspace
    evidence: EvidenceDesk
    workshop: Workshop
    ledger: Ledger
    revision: int = 0
    submitted: list[Proposal] = field(default_factory=list[Proposal])
    is_finished: bool = False

    async def answer(self, call: RawCall) -> Answer:
        """Carry out one call; whatever is wrong with it is said in the answer."""
        try:
            given = read_arguments(call)
            text = await self._tools[call.name](given)
        except EditRejected as error:
            return Answer(f"refused: {error}", str(error))
        return Answer(text if len(text) <= MAX_ANSWER else f"{text[:MAX_ANSWER]}… [cut]")

    @property
    def _tools(self) -> dict[str, Callable[[JsonObject], Awaitable[str]]]:
        return {
            "list_files": self._list_files,
            "read_file": self._read_file,
            "write_file": self._write_file,
            "delete_file": self._delete_file,
            "query": self._query,
            "read_run": self._read_run,
            "compare_runs": self._compare_runs,
            "show_diff": self._show_diff,
            "check": self._check,
            "replay": self._replay,
            "submit": self._submit,
            "finish": self._finish,
        }

    async def _list_files(self, given: JsonObject) -> str:  # noqa: ARG002
        sizes = self.workspace.sizes()
        return "\n".join(f"{path} ({size} characters)" for path, size in sizes.items())

    async def _read_file(self, given: JsonObject) -> str:
        return self.workspace.read(given["path"])[given.get("offset", 0) :] or "(empty)"

    async def _write_file(self, given: JsonObject) -> str:
        self.workspace.write(given["path"], given["text"])
        return "written"

    async def _delete_file(self, given: JsonObject) -> str:
        self.workspace.delete(given["path"])
        return "deleted"

    async def _query(self, given: JsonObject) -> str:
        if self.workshop.query is None:
            what = "there are no tables to query here"
            raise EditRejected(what, hint="use read_run and compare_runs")
        if len(given["sql"]) > MAX_SQL:
            what = f"a query of {len(given['sql'])} characters is too long"
            raise EditRejected(what, hint=f"at most {MAX_SQL}")
        if not self.ledger.may_query:
            what = f"all {self.ledger.caps.queries} queries of this round are used"
            raise EditRejected(what, hint="decide with what you have")
        self.ledger.queries += 1
        return self.evidence.spend(await self.workshop.query(given["sql"]))

    async def _read_run(self, given: JsonObject) -> str:
        return self.evidence.run(given["trajectory_id"])

    async def _compare_runs(self, given: JsonObject) -> str:
        return self.evidence.compare(given["failed_id"], given.get("successful_id"))

    async def _show_diff(self, given: JsonObject) -> str:  # noqa: ARG002
        return diff(self.workspace.parent, self.workspace.candidate()) or "(no change)"

    async def _check(self, given: JsonObject) -> str:  # noqa: ARG002
        return _render(await self._try_out((), replay=False))

    async def _replay(self, given: JsonObject) -> str:
        known = self.known.patterns
        name = given.get("pattern_id")
        if name and name not in known:
            what = f"there is no pattern {name[:80]!r}"
            raise EditRejected(what, hint="the brief lists the patterns")
        return _render(await self._try_out(known[name] if name else (), replay=True))

    async def _try_out(self, evidence: tuple[Evidence, ...], *, replay: bool) -> Report:
        if self.workshop.try_out is None:
            what = "candidates cannot be tried out here"
            raise EditRejected(what, hint="submit it; the gate answers with its findings")
        child, changed = self._candidate()
        if not self.ledger.may_check:
            what = "no further check or replay is answered in this round"
            raise EditRejected(what, hint="submit what you have, or finish")
        self.ledger.checks += 1
        trial = Trial(
            self.workspace.parent,
            child,
            changed[0].layer,
            changed[0].name,
            evidence[:MAX_MANIFEST_RUNS],
        )
        report = await self.workshop.try_out(trial, replay=replay)
        self.ledger.leaks += report.is_leak
        return report

    def _candidate(self) -> tuple[Harness, tuple[Change, ...]]:
        child = self.workspace.candidate()
        return child, self.workspace.changed(child)

    async def _submit(self, given: JsonObject) -> str:
        child, changed = self._candidate()
        if not self.ledger.may_submit and not self.revision:
            what = f"all {self.ledger.caps.proposals} edits of this round are handed in"
            raise EditRejected(what, hint="call finish")
        if any(one.child.harness_id == child.harness_id for one in self.submitted):
            what = "this candidate was submitted before"
            raise EditRejected(what, reason="duplicate")
        manifest = read_claims(given, self.known, changed)
        first = changed[0]
        self.submitted.append(
            Proposal(
                parent=self.workspace.parent,
                child=child,
                layer=first.layer,
                artifact=first.name,
                kind=f"agent_{first.layer}",
                title=" ".join(given["title"].split()) or "Edit of a coding agent",
                manifest=manifest,
                pattern_id=manifest.pattern_id,
                revision=self.revision,
            )
        )
        self.ledger.proposals += not self.revision
        self.workspace = Workspace(self.workspace.parent)
        return f"submitted as edit {len(self.submitted)}; the workspace is the parent again"

    async def _finish(self, given: JsonObject) -> str:  # noqa: ARG002
        self.is_finished = True
        return "finished"

    @cached_property
    def known(self) -> Known:
        """Ids that a manifest may name."""
        return known_ids(self.evidence, self.workshop)


def _render(report: Report) -> str:
    found = [f"- {finding[:500]}" for finding in report.findings[:20]]
    facts = json.dumps(dict(report.facts), ensure_ascii=False, default=str)
    head = "Nothing speaks against it." if not found else "It would be refused:"
    return "\n".join([head, *found, *([f"replay: {facts}"] if report.facts else [])])
