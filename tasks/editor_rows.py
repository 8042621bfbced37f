"""What editors did, as rows."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from schemas.editors import EditorMessageRow, EditorSessionRow
from schemas.fields import Row
from schemas.ids import make_id
from schemas.redaction import Redactor
from tasks.editor.session import Session


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
