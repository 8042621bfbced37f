"""Putting contract, tool hints and skills into the messages and tools a model is sent."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from .conduct import LOAD_TOOL
from .harness import Harness
from .skills import Skill
from .text import JsonObject


def tool_name(tool: Mapping[str, JsonValue]) -> str | None:
    """Name of a tool definition, in chat form or bare; null when it has none."""
    function = tool.get("function")
    source = function if isinstance(function, dict) else tool
    name = source.get("name")
    return name if isinstance(name, str) else None


def with_tool_hints(
    tools: Sequence[Mapping[str, JsonValue]], hints: Mapping[str, str]
) -> list[JsonObject]:
    """Copy tool definitions, each with its hint behind the description."""
    return [_with_hint(tool, hints.get(tool_name(tool) or "")) for tool in tools]


def _with_hint(tool: Mapping[str, JsonValue], hint: str | None) -> JsonObject:
    copied = dict(tool)
    if not hint:
        return copied
    function = copied.get("function")
    target = dict(function) if isinstance(function, dict) else copied
    description = target.get("description")
    text = description if isinstance(description, str) else ""
    target["description"] = f"{text} {hint}".strip()
    if target is not copied:
        copied["function"] = target
    return copied


def load_tool(skills: Sequence[Skill]) -> JsonObject:
    """Define the tool by which a model loads a skill."""
    names: list[JsonValue] = [skill.name for skill in skills]
    return {
        "type": "function",
        "function": {
            "name": LOAD_TOOL,
            "description": "Load the full text of one skill from the list of skills.",
            "parameters": {
                "type": "object",
                "properties": {"name": {"type": "string", "enum": names}},
                "required": ["name"],
                "additionalProperties": False,
            },
        },
    }


def system_text(harness: Harness) -> str:
    """What the system message is given: the contract and, on demand, the list of skills."""
    parts = [harness.contract.prompt] if "contract" in harness.layers else []
    if harness.offers_skills:
        listed = "\n".join(f"- {skill.name}: {skill.description}" for skill in harness.skills)
        parts.append(
            f"## Skills\n\nCall {LOAD_TOOL} with the name of a skill that fits the task "
            f"before you start.\n\n{listed}"
        )
    return "\n\n".join(part for part in parts if part)


def append_to(
    messages: Sequence[Mapping[str, JsonValue]], role: str, text: str
) -> list[JsonObject]:
    """Copy messages, with text behind the first system or the last user message.

    Without a system message one is put in front; without a user message one is put last.
    """
    copied = [dict(message) for message in messages]
    places = [place for place, message in enumerate(copied) if message.get("role") == role]
    if not places:
        added: JsonObject = {"role": role, "content": text}
        return [added, *copied] if role == "system" else [*copied, added]
    place = places[0] if role == "system" else places[-1]
    copied[place]["content"] = _append(copied[place].get("content"), text)
    return copied


def _append(content: JsonValue, text: str) -> JsonValue:
    if isinstance(content, list):
        return [*content, {"type": "text", "text": text}]
    return f"{content}\n\n{text}" if isinstance(content, str) and content else text
