"""The loop `plan_execute`: a plan first, kept in view of every turn that carries it out."""

from collections.abc import Mapping, Sequence
from typing import Any

from schemas.episode import Episode
from tasks.agent.loops.notes import list_tools
from tasks.agent.loops.protocol import NoteRequest
from tasks.agent.loops.tool_call import ToolCall

Message = Mapping[str, Any]
_ASK = (
    "Before you act, write a plan for this task: at most eight short numbered steps, each with "
    "the tool it needs. Call no tool yet and do not guess results.\nTools:\n"
)


class PlanExecute(ToolCall):
    """One request for a plan, which costs one unit of budget; then native calls."""

    name = "plan_execute"

    def due(self, earlier: Episode | None, tools: Sequence[Message]) -> NoteRequest | None:  # noqa: ARG002
        """A plan for every episode."""
        return NoteRequest("plan", f"{_ASK}{list_tools(tools)}")
