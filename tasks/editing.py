"""Proposing edits: the editor's brief, its proposals, what static checks and replay say of them."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from schemas.editors import EDITOR_FAULTS
from schemas.episode import Episode
from schemas.failures import FailurePatternRow, RuleHitRow
from schemas.fields import Row
from schemas.gate import GateDecisionRow
from schemas.harness import EditRow
from schemas.ids import make_id
from schemas.plans import CyclePlan, ProposeResult
from tasks.agent.offers import talk_tools
from tasks.agent.protocols import Environment
from tasks.agent.text_mode import writes_calls
from tasks.collection import cycle_episodes, train_purpose
from tasks.editor.protocols import Brief, Editor, KeepsSessions, Proposal, RejectedEdit
from tasks.editor.session import Session
from tasks.editor_rows import Place, edit_row, session_rows
from tasks.editor_services import Round, open_workshop, told
from tasks.editor_words import open_editor
from tasks.gate.candidate import Candidate
from tasks.gate.check import check_candidates
from tasks.gate.findings import Checked, decide_early
from tasks.gate.static import StaticContext
from tasks.gate.touch import Replayer
from tasks.gating_inputs import (
    PastEdit,
    candidate_of,
    past_edits,
    pattern_members,
    require_pinned,
    static_context,
)
from tasks.harness import Harness, Sandbox
from tasks.harness_rows import harness_rows
from tasks.stage import stage
from tasks.workbench import Workbench

MAX_REVISIONS = 2


@dataclass(frozen=True)
class _Desk:
    """What the proposals of one round are made from and checked against."""

    plan: CyclePlan
    round_number: int
    editor: Editor
    brief: Brief
    context: StaticContext
    replayer: Replayer


@dataclass(frozen=True)
class _Tried:
    """A proposal with its place in the round and what was found; it may revise an earlier one."""

    proposal: Proposal
    ordinal: int
    checked: Checked
    revises: str | None = None


@stage(ProposeResult)
def propose_edits(
    bench: Workbench, plan: CyclePlan, harness_id: str, round_number: int
) -> ProposeResult:
    """Let the editor answer the round's patterns; refused edits go back to it twice at most."""
    return asyncio.run(_propose(bench, plan, harness_id, round_number))


async def _propose(
    bench: Workbench, plan: CyclePlan, harness_id: str, round_number: int
) -> ProposeResult:
    environment = bench.environment(plan.form.environment)
    require_pinned(bench, plan, environment)
    parent = bench.harness(environment.name, harness_id)
    episodes = cycle_episodes(bench, plan.cycle_id, train_purpose(round_number))
    past = past_edits(bench, plan.cycle_id)
    brief = replace(
        make_brief(bench, plan, environment, parent, episodes),
        rejected=refused_edits(past),
        round=round_number,
    )
    context = static_context(past, environment, episodes)
    async with Sandbox() as sandbox:
        replayer = Replayer(sandbox, brief.tools)
        work = Round(bench, plan, round_number, environment, brief, context, replayer)
        async with (
            open_workshop(work) as workshop,
            open_editor(bench, plan.form.editor, workshop) as editor,
        ):
            desk = _Desk(plan, round_number, editor, brief, context, replayer)
            try:
                tried = await _try_proposals(desk, await editor.propose(brief))
            finally:
                sessions = editor.sessions if isinstance(editor, KeepsSessions) else ()
                bench.land(_session_rows(bench, desk, sessions), "editor_sessions")
    bench.land(_rows(bench, desk, tried), "propose_edits")
    return ProposeResult(
        editor_faults=sum(one.stop in EDITOR_FAULTS for one in sessions),
        proposed=len(tried),
        refused=sum(not one.checked.is_clean for one in tried),
        revised=sum(one.revises is not None for one in tried),
    )


def make_brief(
    bench: Workbench,
    plan: CyclePlan,
    environment: Environment,
    parent: Harness,
    episodes: Sequence[Episode],
) -> Brief:
    """What an editor may know of a round: its train runs and their patterns."""
    ids = [episode.trajectory_id for episode in episodes]
    with bench.warehouse.read() as reader:
        hits = reader.rows(RuleHitRow, "trajectory_id IN (SELECT unnest(?::VARCHAR[]))", [ids])
        patterns = reader.rows(
            FailurePatternRow,
            "harness_id = ? AND environment = ?",
            [parent.harness_id, environment.name],
        )
    known = set(ids)
    own = [row for row in patterns if known >= pattern_members(row)]
    return Brief(
        environment=environment.name,
        harness=parent,
        tools=tuple(tool.as_openai() for tool in environment.tools),
        terminal_tools=environment.terminal_tools,
        non_progress=environment.non_progress,
        talk_tools=talk_tools(environment),
        patterns=tuple(sorted(own, key=lambda row: (-row.runs, row.pattern_id))),
        hits=tuple(hits),
        episodes=tuple(episodes),
        seed=plan.form.seed,
        system_prompt=environment.system_prompt,
        calls_as_text=writes_calls(
            bench.model(plan.form.model, agent=plan.form.agent, loop=plan.form.loop)
        ),
    )


def refused_edits(past_edits: Sequence[PastEdit]) -> tuple[RejectedEdit, ...]:
    """Edits the gate did not accept, as an editor hears of them."""
    return tuple(
        RejectedEdit(
            child_harness_id=past.edit.child_harness_id,
            layer=past.edit.layer,
            artifact=past.edit.artifact,
            body=past.body,
            reason=past.decision.reason,
            title=past.edit.title,
            findings=past.told_to_editor,
        )
        for past in past_edits
        if past.decision.verdict != "accepted"
    )


async def _try_proposals(desk: _Desk, proposals: Sequence[Proposal]) -> list[_Tried]:
    """Check all proposals, then let the editor revise what was refused."""
    candidates = [_candidate(desk, proposal, i) for i, proposal in enumerate(proposals)]
    found = await check_candidates(candidates, desk.context, desk.brief.episodes, desk.replayer)
    tried = [
        _Tried(proposal, i, checked)
        for i, (proposal, checked) in enumerate(zip(proposals, found, strict=True))
    ]
    for first in list(tried):
        tried += await _revise(desk, first, len(tried))
    return tried


async def _revise(desk: _Desk, refused: _Tried, ordinal: int) -> list[_Tried]:
    chain: list[_Tried] = []
    current = refused
    for revision in range(1, MAX_REVISIONS + 1):
        if current.checked.is_clean:
            break
        better = await desk.editor.revise(current.proposal, told(current.checked))
        if better is None:
            break
        better = replace(better, revision=revision)
        candidate = _candidate(desk, better, ordinal + len(chain))
        [checked] = await check_candidates(
            [candidate], desk.context, desk.brief.episodes, desk.replayer
        )
        before = current.checked.candidate.edit_id
        current = _Tried(better, ordinal + len(chain), checked, revises=before)
        chain.append(current)
    return chain


def _candidate(desk: _Desk, proposal: Proposal, ordinal: int) -> Candidate:
    key = [desk.plan.cycle_id, desk.round_number, desk.editor.name, ordinal]
    key += [proposal.parent.harness_id, proposal.child.harness_id, proposal.revision]
    return candidate_of(make_id("edit", key), proposal, is_decoy=desk.editor.is_decoy)


def _rows(bench: Workbench, desk: _Desk, tried: Sequence[_Tried]) -> list[Row]:
    rows: dict[Row, None] = {}
    for one in tried:
        rows |= dict.fromkeys(harness_rows(one.proposal.child))
        rows[_edit_row(bench, desk, one)] = None
        rows |= dict.fromkeys(one.checked.predictions)
        if one.checked.replay:
            rows[one.checked.replay] = None
        if not one.checked.is_clean:
            rows[_refusal(desk, one.checked)] = None
    return list(rows)


def _session_rows(bench: Workbench, desk: _Desk, sessions: Sequence[Session]) -> list[Row]:
    return session_rows(
        sessions,
        cycle_id=desk.plan.cycle_id,
        round_number=desk.round_number,
        editor=desk.editor.name,
        now=bench.now,
    )


def _refusal(desk: _Desk, checked: Checked) -> GateDecisionRow:
    return decide_early(checked, desk.plan.cycle_id, checked.reason)


def _edit_row(bench: Workbench, desk: _Desk, one: _Tried) -> EditRow:
    place = Place(desk.plan.cycle_id, desk.round_number, one.ordinal, desk.editor.name)
    edit_id = one.checked.candidate.edit_id
    return edit_row(edit_id, one.proposal, place, now=bench.now, revises=one.revises)
