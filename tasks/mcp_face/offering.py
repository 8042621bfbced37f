"""What a client is shown: instructions, tools and prompts of the upstream with the harness's added.

A name of the upstream's that is taken by the harness is shown under another one and sent back
under its own; neither is lost.
"""

from collections.abc import Iterable, Sequence

from tasks.harness import Harness
from tasks.harness.conduct import LOAD_TOOL
from tasks.harness.prompts import load_tool, system_text, with_tool_hints
from tasks.harness.skills import Skill
from tasks.harness.text import JsonObject

RENAMED = "upstream_"
SKILL_PROMPT = "skill_"


def instructions(harness: Harness, upstream: str | None) -> str | None:
    """Instructions of the upstream, then the contract; null when there are none."""
    parts = [upstream or "", system_text(harness)]
    return "\n\n".join(part for part in parts if part) or None


def shown_names(harness: Harness, names: Sequence[str]) -> list[str]:
    """Names under which tools of the upstream are shown, in the same order."""
    return [
        free_name(RENAMED, name, names) if harness.offers_skills and name == LOAD_TOOL else name
        for name in names
    ]


def free_name(prefix: str, name: str, taken: Iterable[str]) -> str:
    """The name with the prefix, as often as it takes to be nobody else's."""
    others, found = set(taken), prefix + name
    while found in others:
        found = prefix + found
    return found


def shown_tools(harness: Harness, tools: Sequence[JsonObject]) -> list[JsonObject]:
    """Tools in MCP form with the hints of the contract, and the one that loads skills."""
    hints = harness.contract.tool_hints if "contract" in harness.layers else {}
    shown = with_tool_hints(tools, hints)
    if harness.offers_skills:
        shown.append(as_mcp_tool(load_tool(harness.skills)))
    return shown


def as_chat_tool(tool: JsonObject) -> JsonObject:
    """A tool in MCP form as the rules are shown tools."""
    return {
        "type": "function",
        "function": {
            "name": tool.get("name"),
            "description": tool.get("description") or "",
            "parameters": tool.get("inputSchema") or {},
        },
    }


def as_mcp_tool(tool: JsonObject) -> JsonObject:
    """A tool definition in chat form as MCP lists tools."""
    function = tool["function"]
    if not isinstance(function, dict):
        return tool
    return {
        "name": function["name"],
        "description": function["description"],
        "inputSchema": function["parameters"],
    }


def skill_prompts(harness: Harness, upstream: Iterable[str]) -> dict[str, Skill]:
    """Skills by the name of their prompt; one that the upstream has already gets a prefix."""
    if "skills" not in harness.layers:
        return {}
    taken = set(upstream)
    return {
        free_name(SKILL_PROMPT, skill.name, taken) if skill.name in taken else skill.name: skill
        for skill in harness.skills
    }


def as_mcp_prompt(name: str, skill: Skill) -> JsonObject:
    """A skill as MCP lists prompts."""
    return {"name": name, "description": skill.description}


def as_prompt_answer(skill: Skill) -> JsonObject:
    """A skill as MCP gives a prompt."""
    content: JsonObject = {"type": "text", "text": skill.prompt}
    return {"description": skill.description, "messages": [{"role": "user", "content": content}]}


def text_of(result: JsonObject) -> str:
    """Text of a tool result as the rules see it: its text blocks, one under the other."""
    return "\n".join(str(block["text"]) for block in _blocks(result) if block["type"] == "text")


def with_text(result: JsonObject, added: str) -> JsonObject:
    """Put a hint behind the last text block, or into one of its own; all else stays."""
    if not added:
        return result
    blocks = _blocks(result)
    for block in reversed(blocks):
        if block["type"] == "text":
            block["text"] = f"{block['text']}{added}"
            break
    else:
        blocks.append({"type": "text", "text": added})
    return {**result, "content": [*blocks]}


def _blocks(result: JsonObject) -> list[JsonObject]:
    content = result.get("content")
    listed = content if isinstance(content, list) else []
    return [dict(block) for block in listed if isinstance(block, dict) and "type" in block]
