"""Chat messages of an episode, made from its rows: what the model was sent, to the letter.

The loop builds its messages with the same functions, so a stored episode can be told again.
"""

from collections.abc import Sequence
from typing import Any

from schemas.episode import Episode
from schemas.trajectories import StepRow, ToolCallRow

Message = dict[str, Any]


def call_id(step_index: int, call_index: int) -> str:
    """Id of a call inside a conversation; nine letters and digits, which every endpoint takes."""
    return f"c{step_index:05d}{call_index:03d}"


def opening_messages(system: str, task: str) -> list[Message]:
    """Messages before the first turn; no system message when there is no system text."""
    opening = [{"role": "system", "content": system}] if system else []
    return [*opening, {"role": "user", "content": task}]


def is_native(call: ToolCallRow) -> bool:
    """Tell whether the model wrote a tool call, as against prose that a rule made into one."""
    return bool(call.tool) or call.arguments_raw is not None


def _written_call(call: ToolCallRow) -> Message:
    arguments = call.arguments_raw if call.arguments_raw is not None else call.arguments
    return {
        "id": call_id(call.step_index, call.call_index),
        "type": "function",
        "function": {"name": call.tool, "arguments": arguments or ""},
    }


def turn_messages(step: StepRow, calls: Sequence[ToolCallRow]) -> list[Message]:
    """Messages of one turn of ours: what the agent said and what came back.

    Results of calls are tool messages. A turn without a written call is answered by the user.
    """
    native = [call for call in calls if is_native(call)]
    said: Message = {"role": "assistant", "content": step.text or ""}
    if not native:
        return [said, {"role": "user", "content": step.observation or ""}]
    said["tool_calls"] = [_written_call(call) for call in native]
    return [said, *(_tool_message(call) for call in native)]


def _tool_message(call: ToolCallRow) -> Message:
    content = call.observation if call.observation is not None else call.result
    identity = call_id(call.step_index, call.call_index)
    return {"role": "tool", "tool_call_id": identity, "content": content or ""}


def messages_before(episode: Episode, step_index: int) -> list[Message]:
    """Messages the model was sent at a step; of an imported episode, those before it.

    A step past the last one gives the whole conversation.
    """
    if episode.trajectory.origin == "import":
        return _imported_messages(episode, step_index)
    system = episode.prompt_text(episode.trajectory.system_prompt_id)
    messages = opening_messages(system, episode.task_text)
    by_step = _calls_by_step(episode)
    for step in episode.steps:
        if step.step_index < step_index:
            messages.extend(turn_messages(step, by_step.get(step.step_index, [])))
    return messages


def _calls_by_step(episode: Episode) -> dict[int, list[ToolCallRow]]:
    by_step: dict[int, list[ToolCallRow]] = {}
    for call in episode.calls:
        by_step.setdefault(call.step_index, []).append(call)
    return by_step


def _imported_messages(episode: Episode, step_index: int) -> list[Message]:
    """Tell an imported episode, whose steps are its messages."""
    messages: list[Message] = []
    by_step = _calls_by_step(episode)
    results = {call.result_step_index: call for call in episode.calls}
    for step in episode.steps:
        if step.step_index >= step_index:
            break
        message: Message = {"role": step.role, "content": step.text or ""}
        if step.role == "environment":
            message["role"] = "user"
        calls = [call for call in by_step.get(step.step_index, []) if is_native(call)]
        if step.role == "assistant" and calls:
            message["tool_calls"] = [_written_call(call) for call in calls]
        answered = results.get(step.step_index)
        if step.role == "tool" and answered is not None:
            message["tool_call_id"] = call_id(answered.step_index, answered.call_index)
        messages.append(message)
    return messages
