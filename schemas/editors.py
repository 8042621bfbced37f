"""Rows about editors at work: one conversation or command, and everything that was said in it."""

from typing import Annotated, Literal

from pydantic import StringConstraints

from schemas.fields import Count, CycleId, NonNegative, Row, Timestamp

SessionId = Annotated[str, StringConstraints(pattern=r"^sess_[0-9a-f]{16}$")]
EditorStop = Literal[
    "finished",
    "proposals",
    "silent",
    "turns",
    "tokens",
    "cost",
    "rollouts",
    "context",
    "time",
    "exit",
    "fault",
]
"""Why an editor ended. `time` (killed after its time limit), `exit` (a command that failed) and
`fault` (the endpoint broke) are faults of the editor; a cycle goes on without its proposals."""
EDITOR_FAULTS: frozenset[EditorStop] = frozenset({"time", "exit", "fault"})


class EditorSessionRow(Row):
    """One piece of work of an editor with a model or a command behind it."""

    session_id: SessionId
    """Hash of cycle, round, editor, position and everything that was said."""
    cycle_id: CycleId
    """Cycle it worked for."""
    round: Count
    """Round of the cycle, from 1."""
    ordinal: Count
    """Position among the sessions of the round."""
    editor: str
    """Editor in the words of the command line."""
    purpose: Literal["propose", "revise"]
    """Whether it proposed edits, or mended one that was refused."""
    turns: Count
    """Replies of the model; 1 for a command that ran."""
    calls: Count
    """Tool calls that were answered."""
    refusals: Count
    """Calls, files and manifests that were refused."""
    proposals: Count
    """Edits that came out of it."""
    rollouts: Count
    """Episodes it asked for."""
    prompt_tokens: Count | None
    """Tokens sent to the editor's model; null when they were not counted."""
    completion_tokens: Count | None
    """Tokens written by the editor's model; null when they were not counted."""
    cost_usd: NonNegative | None
    """Price of its model calls; null when unknown."""
    exit_code: int | None
    """Exit code of a command; negative for a signal, null when there was no command."""
    stop: EditorStop
    """Why it ended."""
    detail: str
    """What exactly ended it; empty when it ended as it should."""
    duration_s: NonNegative | None
    """Seconds it took."""
    created_at: Timestamp
    """When it was landed (UTC)."""


class EditorMessageRow(Row):
    """One entry of a session's transcript, bounded and without secrets."""

    session_id: SessionId
    """The session."""
    message_index: Count
    """Position in the transcript."""
    role: Literal["system", "user", "assistant", "call", "tool", "file", "stdout", "stderr"]
    """Who speaks; `call` is a tool call as the model wrote it, `file` what came of a file."""
    tool: str | None
    """Tool that was called or answers; path of a file."""
    content: str
    """What was said; a long text ends in a mark that tells its length."""
    refused: str | None
    """Why a call, file or manifest was refused; null when it was not."""
