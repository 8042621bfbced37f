"""The loop `reflexion`: after a failed trial the agent notes what went wrong, for its next trial.

What it is told of a trial is its own conversation and whether it failed. On train and select tasks
that is what the checker said; of sealed tasks the verdict is never shown, so there a trial counts
as failed only when the agent could see it: it ended without being finished. The gold answer and the
parts of a verdict are never shown. (Shinn and others 2023, where the signal comes from the world.)
"""

from collections.abc import Mapping, Sequence
from typing import Any

from schemas.episode import Episode
from schemas.fields import Termination
from tasks.agent.conversation import messages_before
from tasks.agent.loops.notes import written_calls
from tasks.agent.loops.protocol import NoteRequest
from tasks.agent.loops.tool_call import ToolCall

Message = Mapping[str, Any]
MEMORY = 3
"""Most reflections a trial is shown, the newest ones."""
TRANSCRIPT_CHARS = 8_000
MESSAGE_CHARS = 600
UNFINISHED: frozenset[Termination] = frozenset(
    {"budget", "rule_stop", "too_many_errors", "context_overflow", "timeout", "agent_error"}
)
_ENDS = {
    "budget": "its steps were used up",
    "rule_stop": "a rule stopped it",
    "context_overflow": "the conversation grew too long",
}
_ASK = (
    "This was an earlier trial of the same task; the world has been set back since.\n\n{transcript}"
    "\n\n{said}\nIn at most four sentences, note for your next trial what went wrong and what to "
    "do instead. Call no tool."
)


class Reflexion(ToolCall):
    """Native calls; a reflection costs one unit of the next trial's budget."""

    name = "reflexion"
    learns = True

    def due(self, earlier: Episode | None, tools: Sequence[Message]) -> NoteRequest | None:  # noqa: ARG002
        """A reflection on the trial before this one, when it is known to have failed."""
        said = what_is_known(earlier) if earlier else ""
        if earlier is None or not said:
            return None
        ask = _ASK.format(transcript=transcript(earlier), said=said)
        return NoteRequest("reflection", ask, about=earlier.trajectory_id)


def what_is_known(episode: Episode) -> str:
    """What an agent may know of a trial that failed, in a sentence; empty when it did not."""
    trajectory = episode.trajectory
    if trajectory.termination in UNFINISHED and not episode.is_success:
        end = _ENDS.get(trajectory.termination, "it broke off")
        return f"The trial ended before the task was finished: {end}."
    if trajectory.split != "sealed" and episode.is_failure:
        return "The trial was finished, and the task was not solved."
    return ""


def transcript(episode: Episode) -> str:
    """The agent's own conversation of a trial, without its opening; the end of a long one."""
    turns = messages_before(episode, len(episode.steps))
    begun = next((n for n, one in enumerate(turns) if one["role"] == "assistant"), len(turns))
    failed = {call.observation for call in episode.calls if call.is_error and call.observation}
    lines = [_line(message, failed) for message in turns[begun:]]
    text = "\n".join(lines)
    return text if len(text) <= TRANSCRIPT_CHARS else f"[…]\n{text[-TRANSCRIPT_CHARS:]}"


def _line(message: Message, failed: set[str]) -> str:
    content = str(message.get("content") or "")
    if message["role"] == "assistant":
        written = [f"{name} {arguments}" for name, arguments in written_calls(message)]
        return f"you: {_short(' '.join([content, *written]))}"
    return f"{'error' if content in failed else 'result'}: {_short(content)}"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= MESSAGE_CHARS else f"{flat[: MESSAGE_CHARS - 1]}…"
