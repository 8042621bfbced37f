"""Calls written as text: the Act and ReAct strategies of tau-bench.

A turn ends in `Action:` and a JSON object with `name` and `arguments`; the action `respond` is
what is said to the user. Results come back as user turns that begin with `API output:`.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import replace

from tasks.importers.decoding import JsonValue, Undecodable, decode
from tasks.importers.draft import DraftCall, DraftMessage

_ACTION = "Action:"
_RESULT = "API output:"
_RESPOND = "respond"
_NAME = re.compile(r'"name"\s{0,4}:\s{0,4}"([^"\\]{1,200})"')
_ARGUMENTS = re.compile(r'"arguments"\s{0,4}:\s{0,4}')
_TOOLS = re.compile(r"#\s{0,2}Available tools\s*", re.IGNORECASE)
_DECODER = json.JSONDecoder()


def is_text_strategy(messages: Sequence[DraftMessage]) -> bool:
    """Tell whether the agent was asked to write its calls as text.

    A tool-calling agent that writes an action instead of calling is a failure of the agent, not
    a strategy: there are no results behind `API output:` and no tools in its instructions then.
    """
    if any(message.calls for message in messages):
        return False
    return any(
        (message.role == "user" and (message.text or "").startswith(_RESULT))
        or (message.role == "system" and tools_in_prompt(message.text or "") is not None)
        for message in messages
    )


def _action_text(message: DraftMessage) -> str | None:
    _, found, action = (message.text or "").rpartition(_ACTION)
    action = action.strip()
    return action if found and action.startswith("{") else None


def _raw_arguments(action: str) -> str | None:
    """Exact text of the arguments in the text of an action that is valid JSON."""
    found = _ARGUMENTS.search(action)
    if not found:
        return None
    try:
        end = _DECODER.raw_decode(action, found.end())[1]
    except (ValueError, RecursionError):
        return None
    return action[found.end() : end]


def _read_action(action: str) -> DraftCall | None:
    try:
        value: JsonValue = json.loads(action)
    except (ValueError, RecursionError):
        named = _NAME.search(action)
        return DraftCall(
            tool=named.group(1) if named else "",
            raw=action,
            error="the action text is not valid JSON",
            is_executed=False,
        )
    name = value.get("name") if isinstance(value, dict) else None
    if not isinstance(name, str):
        return DraftCall("", raw=action, error="the action names no tool", is_executed=False)
    if name == _RESPOND:
        return None
    return DraftCall(name, raw=_raw_arguments(action))


def with_text_actions(messages: Sequence[DraftMessage]) -> tuple[DraftMessage, ...]:
    """Turn action texts into calls and the user turns that carry results into tool messages."""
    read: list[DraftMessage] = []
    waiting = False
    for message in messages:
        text = message.text or ""
        if message.role == "assistant":
            action = _action_text(message)
            call = _read_action(action) if action is not None else None
            waiting = call is not None and call.is_executed is not False
            read.append(replace(message, calls=(call,)) if call else message)
        elif message.role == "user" and text.startswith(_RESULT) and waiting:
            result = text[len(_RESULT) :].removeprefix(" ")
            read.append(replace(message, role="tool", result=result, requestor="assistant"))
            waiting = False
        else:
            read.append(message)
    return tuple(read)


def tools_in_prompt(system_text: str) -> JsonValue:
    """Tool definitions that these strategies write into the system text; null without any."""
    found = _TOOLS.search(system_text)
    if not found or not system_text.startswith("[", found.end()):
        return None
    try:
        end = _DECODER.raw_decode(system_text, found.end())[1]
        return decode(system_text[found.end() : end]).value
    except (ValueError, RecursionError, Undecodable):
        return None
