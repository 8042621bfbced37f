"""What editors did and proposed, as rows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from schemas.editors import EditorMessageRow, EditorSessionRow
from schemas.fields import Row
from schemas.harness import EditRow
from schemas.ids import make_id
from schemas.redaction import Redactor
from tasks.editor.protocols import Proposal
from tasks.editor.session import Session
from tasks.harness import diff


@dataclass(frozen=True)
class Place:
    """Where a proposal stands: its cycle, round and position there, and who made it."""

    cycle_id: str
    round_number: int
    ordinal: int
    editor: str


def session_rows(
    sessions: Sequence[Session], *, cycle_id: str, round_number: int, editor: str, now: datetime
) -> list[Row]:
    """Rows of the sessions of a round with their transcripts, secrets replaced."""
    rows: list[Row] = []
    for ordinal, session in enumerate(sessions):
        redactor = Redactor()
        said = [
            (one.role, one.tool, redactor.text(one.content), one.refused) for one in session.entries
        ]
        session_id = make_id("sess", [cycle_id, round_number, editor, ordinal, said])
        rows.append(
            EditorSessionRow(
                session_id=session_id,
                cycle_id=cycle_id,
                round=round_number,
                ordinal=ordinal,
                editor=redactor.text(editor),
                purpose=session.purpose,
                turns=session.turns,
                calls=session.calls,
                refusals=session.refusals,
                proposals=session.proposals,
                rollouts=session.rollouts,
                prompt_tokens=session.prompt_tokens,
                completion_tokens=session.completion_tokens,
                cost_usd=session.cost_usd,
                exit_code=session.exit_code,
                stop=session.stop,
                detail=redactor.text(session.detail),
                duration_s=session.duration_s,
                created_at=now,
            )
        )
        rows += _messages(session_id, said)
    return rows


def _messages(session_id: str, said: Iterable[tuple]) -> list[Row]:
    return [
        EditorMessageRow(
            session_id=session_id,
            message_index=index,
            role=role,
            tool=tool,
            content=content,
            refused=refused,
        )
        for index, (role, tool, content, refused) in enumerate(said)
    ]


def edit_row(
    edit_id: str, proposal: Proposal, place: Place, *, now: datetime, revises: str | None = None
) -> EditRow:
    """Row of a proposal."""
    return EditRow(
        edit_id=edit_id,
        cycle_id=place.cycle_id,
        round=place.round_number,
        ordinal=place.ordinal,
        editor=place.editor,
        parent_harness_id=proposal.parent.harness_id,
        child_harness_id=proposal.child.harness_id,
        layer=proposal.layer,
        artifact=proposal.artifact,
        kind=proposal.kind,
        pattern_id=proposal.pattern_id,
        title=proposal.title,
        manifest=proposal.manifest.to_json(),
        diff=diff(proposal.parent, proposal.child),
        revision=proposal.revision,
        revises=revises,
        created_at=now,
    )
