"""A trajectory as one line of chat messages, with the verdict beside them."""

from typing import Any

from schemas.episode import Episode
from tasks.exporters.trajectories.facts import facts_of, tools_of
from tasks.exporters.trajectories.told import Told, tell


def chat_row(episode: Episode) -> dict[str, Any]:
    """Messages without copied context; `reward` and `success` are absent where unknown."""
    messages = [_message(told) for told in tell(episode) if not told.copied]
    tools = tools_of(episode)
    row: dict[str, Any] = {**facts_of(episode), "messages": messages}
    return row if tools is None else row | {"tools": tools}


def _message(told: Told) -> dict[str, Any]:
    role = "user" if told.role == "environment" else told.role
    message: dict[str, Any] = {"role": role, "content": told.text}
    if told.reasoning:
        message["reasoning_content"] = told.reasoning
    if told.answers is not None:
        message |= {"tool_call_id": told.answers.identity, "name": told.answers.tool}
        message |= {"requestor": "user"} if told.answers.is_users else {}
    if told.calls:
        message["tool_calls"] = [
            {
                "id": call.identity,
                "type": "function",
                "function": {"name": call.tool, "arguments": call.text},
            }
            for call in told.calls
        ]
    return message
