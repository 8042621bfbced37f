"""Tools that a harness names: where, and how surely the name means the tool.

Certain: a hint, a checkpoint, the `tool` of a rule's result or a comparison with the tool of a
call, and a name in text that stands in backticks, before a bracket, or is no plain word (it has an
underscore, a digit or a capital inside). Likely: any other text of a rule that equals a tool's
name, and a plain word in prose, such as `search`. Layers that are off name nothing.
"""

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from tasks.harness import Harness

Certainty = Literal["certain", "likely"]
_PLAIN = re.compile(r"[A-Za-z]?[a-z]+")


@dataclass(frozen=True)
class Reference:
    """One place that names a tool."""

    tool: str
    place: str
    how: str
    certainty: Certainty


def find_references(harness: Harness, tools: Collection[str]) -> list[Reference]:
    """Places that name one of the tools, or a tool nobody knows; the certain ones first.

    A name that is not among `tools` is only found where nothing but a tool can be meant.
    """
    found = dict.fromkeys(_all(harness, frozenset(tools)))
    return sorted(found, key=lambda one: (one.certainty, one.tool, one.place, one.how))


def _all(harness: Harness, tools: frozenset[str]) -> Iterator[Reference]:
    if "contract" in harness.layers:
        for tool in harness.contract.tool_hints:
            yield Reference(tool, f"contract.md, hint tool:{tool}", "hint", "certain")
        yield from _in_text(harness.contract.preamble, "contract.md", tools)
        for section in harness.contract.sections:
            place = f"contract.md, section {section.title!r}"
            yield from _in_text(f"{section.title}\n{section.text}", place, tools)
    if "skills" in harness.layers:
        for skill in harness.skills:
            place = f"skill {skill.name}"
            for checkpoint in skill.checkpoints:
                if checkpoint.tool:
                    yield Reference(checkpoint.tool, place, "checkpoint", "certain")
            yield from _in_text(f"{skill.description}\n{skill.body}", place, tools)
    for rules in (harness.actions, harness.regulation):
        if rules.layer in harness.layers and rules.rules:
            yield from _in_rules(harness.files[f"{rules.layer}.py"], f"{rules.layer}.py", tools)


def _in_text(text: str, place: str, tools: frozenset[str]) -> Iterator[Reference]:
    for tool in tools:
        name = re.escape(tool)
        if not re.search(rf"(?<![\w-]){name}(?![\w-])", text):
            continue
        is_marked = re.search(rf"`{name}\b|(?<![\w-]){name}\(", text) is not None
        if is_marked or not _PLAIN.fullmatch(tool):
            yield Reference(tool, place, "named in text", "certain")
        else:
            yield Reference(tool, place, "a word in text", "likely")


def _in_rules(source: str, path: str, tools: frozenset[str]) -> Iterator[Reference]:
    for node in ast.parse(source).body:
        place = f"{path}, {node.name}" if isinstance(node, ast.FunctionDef) else path
        sure: set[int] = set()
        for constant in _tool_constants(node):
            sure.add(id(constant))
            yield Reference(str(constant.value), place, "tool of a call", "certain")
        for one in ast.walk(node):
            if isinstance(one, ast.Constant) and one.value in tools and id(one) not in sure:
                yield Reference(str(one.value), place, "a text of a rule", "likely")


def _tool_constants(node: ast.AST) -> Iterator[ast.Constant]:
    """Texts that can only be the name of a tool."""
    for one in ast.walk(node):
        if isinstance(one, ast.Dict):
            for key, value in zip(one.keys, one.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == "tool":
                    yield from _texts(value)
        elif isinstance(one, ast.Compare):
            sides = [one.left, *one.comparators]
            if any(_is_tool_of_call(side) for side in sides):
                for side in sides:
                    yield from _texts(side)


def _is_tool_of_call(node: ast.expr) -> bool:
    """Whether an expression is `x["tool"]` or `x.get("tool")`."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and node.slice.value == "tool"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        first = node.args[0]
        is_get = node.func.attr == "get"
        return is_get and isinstance(first, ast.Constant) and first.value == "tool"
    return False


def _texts(node: ast.expr) -> Iterator[ast.Constant]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        yield node
    elif isinstance(node, ast.Tuple | ast.List | ast.Set):
        for element in node.elts:
            yield from _texts(element)
