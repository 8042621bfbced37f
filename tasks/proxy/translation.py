"""Response requests for a model that only takes chats: there and back."""

from collections.abc import Mapping
from typing import Any

from tasks.proxy.forms import Item, Said, Talk
from tasks.proxy.responses_form import ResponsesForm

_FORM = ResponsesForm()


def as_chat(body: Mapping[str, Any]) -> tuple[list[Item], list[Item]]:
    """Messages and tools of a response request in chat form.

    Raises:
        MalformedBodyError: it cannot be taken apart.
    """
    talk: Talk = _FORM.read(body)
    messages = list(talk.opening)
    for exchange in talk.exchanges:
        messages.append(_assistant(exchange.said))
        for answer in exchange.answers:
            if answer.call_id is None:
                messages.append({"role": "user", "content": answer.text})
            else:
                told = {"tool_call_id": answer.call_id, "content": answer.text}
                messages.append({"role": "tool", **told})
    return messages, list(talk.tools)


def as_response(body: Mapping[str, Any], said: Said, usage: Mapping[str, int], name: str) -> Item:
    """A reply as the response to such a request; `name` becomes its id."""
    made = _FORM.own_reply(body, _FORM.said_by_us(said.text, said.calls))
    told = {"input_tokens": usage["prompt_tokens"], "output_tokens": usage["completion_tokens"]}
    counts = made["usage"] | told | {"total_tokens": usage["total_tokens"]}
    return {**made, "id": f"resp_{name}", "usage": counts}


def _assistant(said: Said) -> Item:
    message: Item = {"role": "assistant", "content": said.text}
    if said.calls:
        message["tool_calls"] = [
            {
                "id": call.call_id,
                "type": "function",
                "function": {"name": call.tool, "arguments": call.arguments},
            }
            for call in said.calls
        ]
    return message
