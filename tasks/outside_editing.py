"""The desk of an agent outside of a cycle: what it may see, and edits that it proposes.

Its guards are those of the coding-agent editor, by the same code: the copy of train rows, the
workspace, the claims, static checks and replay. What it proposes is stored whatever is found.
"""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from schemas.errors import EditRejected
from schemas.fields import Row
from schemas.gate import GateDecisionRow
from schemas.harness import EditRow
from schemas.ids import make_id
from schemas.plans import CyclePlan
from tasks.agent.protocols import JsonObject, RawCall
from tasks.collection import cycle_episodes, train_purpose
from tasks.cycle import OUTSIDE
from tasks.editing import make_brief, refused_edits
from tasks.editor.agent_tools import AgentDesk, Answer
from tasks.editor.evidence import EvidenceDesk
from tasks.editor.ledger import Ledger
from tasks.editor.protocols import Proposal
from tasks.editor.workspace import Workspace
from tasks.editor_rows import Place, edit_row
from tasks.editor_services import Round, open_outside_workshop, replay_facts, told
from tasks.gate.check import check_candidates
from tasks.gate.findings import Checked, decide_early
from tasks.gate.touch import Replayer
from tasks.gating_inputs import candidate_of, past_edits, require_pinned, static_context
from tasks.harness import Sandbox
from tasks.harness_rows import harness_rows
from tasks.outside_cycle import standing
from tasks.workbench import Workbench


@dataclass
class OutsideDesk:
    """One agent at work on one round of a cycle."""

    work: Round
    desk: AgentDesk

    async def use(self, tool: str, arguments: JsonObject) -> Answer:
        """Use one of the tools of the coding-agent editor."""
        return await self.desk.answer(RawCall(tool, json.dumps(arguments)))

    async def propose(self, files: Mapping[str, str | None], manifest: JsonObject) -> Answer:
        """Propose an edit: files of the candidate that are changed, null for one removed."""
        self._require_open_round()
        self.desk.workspace = Workspace(self.work.brief.harness)
        for path, text in files.items():
            name = "delete_file" if text is None else "write_file"
            given = {"path": path} | ({} if text is None else {"text": text})
            answer = await self.use(name, given)
            if answer.refused:
                return answer
        answer = await self.use("submit", manifest)
        return answer if answer.refused else await self._judge(self.desk.submitted[-1])

    async def _judge(self, proposal: Proposal) -> Answer:
        work, bench, cycle_id = self.work, self.work.bench, self.work.plan.cycle_id
        stored = edits_of(bench, cycle_id)
        ordinal = sum(edit.round == work.number for edit, _ in stored)
        key = [cycle_id, work.number, OUTSIDE, ordinal]
        key += [proposal.parent.harness_id, proposal.child.harness_id, proposal.revision]
        candidate = candidate_of(make_id("edit", key), proposal, is_decoy=False)
        past = past_edits(bench, cycle_id)
        context = static_context(past, work.environment, work.brief.episodes)
        proposed = {edit.child_harness_id: f"proposed as {edit.edit_id}" for edit, _ in stored}
        context = context.with_known({**proposed, **context.known})
        [checked] = await check_candidates([candidate], context, work.brief.episodes, work.replayer)
        bench.land(self._rows(proposal, checked, ordinal), "propose_outside")
        bench.commit()
        return Answer(_report(checked))

    def _rows(self, proposal: Proposal, checked: Checked, ordinal: int) -> list[Row]:
        work = self.work
        place = Place(work.plan.cycle_id, work.number, ordinal, OUTSIDE)
        edit_id = checked.candidate.edit_id
        rows: dict[Row, None] = dict.fromkeys(harness_rows(proposal.child))
        rows[edit_row(edit_id, proposal, place, now=Workbench.open().now)] = None
        rows |= dict.fromkeys(checked.predictions)
        if checked.replay:
            rows[checked.replay] = None
        if not checked.is_clean:
            rows[decide_early(checked, work.plan.cycle_id, checked.reason)] = None
        return list(rows)

    def _require_open_round(self) -> None:
        now = standing(self.work.bench, self.work.plan)
        if (now.round_number, now.harness_id) != (
            self.work.number,
            self.work.brief.harness.harness_id,
        ):
            what = f"round {self.work.number} has been tried since this server was started"
            raise EditRejected(what, hint="start it again; it works on the next round then")
        if not self.desk.ledger.may_submit:
            what = f"all {self.desk.ledger.caps.proposals} edits of this round are proposed"
            raise EditRejected(what, hint="a person runs `tackroom gate trial`; it ends the round")


@asynccontextmanager
async def open_outside_desk(bench: Workbench, plan: CyclePlan) -> AsyncIterator[OutsideDesk]:
    """A desk for the round that takes proposals; caps count what was proposed in it before.

    Raises:
        ConfigError: the environment has changed since the cycle was opened.
    """
    now = standing(bench, plan)
    environment = bench.environment(plan.form.environment)
    require_pinned(bench, plan, environment)
    parent = bench.harness(environment.name, now.harness_id)
    episodes = cycle_episodes(bench, plan.cycle_id, train_purpose(now.round_number))
    past = past_edits(bench, plan.cycle_id)
    brief = replace(
        make_brief(bench, plan, environment, parent, episodes),
        rejected=refused_edits(past),
        round=now.round_number,
    )
    context = static_context(past, environment, episodes)
    async with Sandbox() as sandbox:
        work = Round(
            bench,
            plan,
            now.round_number,
            environment,
            brief,
            context,
            Replayer(sandbox, brief.tools),
        )
        with open_outside_workshop(work) as workshop:
            before = [edit.round for edit, _ in edits_of(bench, plan.cycle_id)]
            ledger = Ledger(workshop.caps, proposals=before.count(now.round_number))
            desk = AgentDesk(Workspace(parent), EvidenceDesk(brief), workshop, ledger)
            yield OutsideDesk(work, desk)


def edits_of(bench: Workbench, cycle_id: str) -> list[tuple[EditRow, GateDecisionRow | None]]:
    """Edits of a cycle in the order they were proposed, with their decisions so far."""
    with bench.warehouse.read() as reader:
        edits = reader.rows(EditRow, "cycle_id = ?", [cycle_id])
        decided = {
            row.edit_id: row for row in reader.rows(GateDecisionRow, "cycle_id = ?", [cycle_id])
        }
    edits = sorted(edits, key=lambda edit: (edit.round, edit.ordinal))
    return [(edit, decided.get(edit.edit_id)) for edit in edits]


def _report(checked: Checked) -> str:
    facts = json.dumps(replay_facts(checked), ensure_ascii=False, default=str)
    edit_id = checked.candidate.edit_id
    if checked.is_clean:
        head = f"{edit_id} is stored and waits for its paired trial; ask gate_status."
        return f"{head}\nreplay: {facts}"
    found = [f"- {text}" for text in told(checked)]
    reason = checked.reason
    replayed = [f"replay: {facts}"] if checked.replay else []
    return "\n".join([f"{edit_id} is rejected, reason {reason}:", *found, *replayed])
