"""Write a SKILL.md: front matter with trigger and checkpoints, then the steps."""

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Checkpoint:
    """A step that can be checked mechanically: a call of a tool with texts in its arguments."""

    text: str
    tool: str
    contains: tuple[str, ...] = ()


@dataclass(frozen=True)
class SkillText:
    """Everything a SKILL.md says; `any_of` and `none_of` are phrases of the task text."""

    name: str
    description: str
    any_of: tuple[str, ...]
    body: str
    none_of: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    checkpoints: tuple[Checkpoint, ...] = ()


def render_skill(skill: SkillText) -> str:
    """Render in one fixed form; JSON values are valid YAML."""
    lines = ["---", f"name: {skill.name}", f"description: {_json(skill.description)}", "trigger:"]
    for key, words in (
        ("any", skill.any_of),
        ("none", skill.none_of),
        ("families", skill.families),
    ):
        if words:
            lines.append(f"  {key}: {_json(list(words))}")
    if skill.checkpoints:
        lines.append("checkpoints:")
    for point in skill.checkpoints:
        lines.append(f"- text: {_json(point.text)}")
        lines.append(f"  tool: {_json(point.tool)}")
        if point.contains:
            lines.append(f"  contains: {_json(list(point.contains))}")
    return "\n".join([*lines, "---", "", skill.body.strip(), ""])


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
