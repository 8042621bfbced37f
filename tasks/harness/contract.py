"""`contract.md`: sections of text for the model and hints for single tools."""

from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from .errors import HarnessError
from .front_matter import split_front_matter, write_mapping
from .text import normalise

PATH = "contract.md"
TOOL_PREFIX = "tool:"
MAX_TITLE = 120


@dataclass(frozen=True)
class Section:
    """One `## Title` with the text under it; lines count from 0, `end` is exclusive."""

    title: str
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Contract:
    """The parsed file.

    Attributes:
        preamble: text before the first section; it goes to the model with the sections.
        tool_hints: one hint per tool, from the front matter, by tool name.
    """

    preamble: str
    sections: tuple[Section, ...]
    tool_hints: dict[str, str]

    @property
    def prompt(self) -> str:
        """The text for the system message; empty when there is none."""
        parts = [self.preamble] if self.preamble else []
        parts += [f"## {section.title}\n\n{section.text}".rstrip() for section in self.sections]
        return "\n\n".join(parts)


@lru_cache(maxsize=256)
def read_contract(text: str) -> Contract:
    """Parse `contract.md`.

    Raises:
        HarnessError: broken front matter, an unknown key in it, a title that stands twice.
    """
    header, body = split_front_matter(text, path=PATH)
    lines = body.split("\n")
    starts = _title_lines(lines)
    sections: list[Section] = []
    for position, start in enumerate(starts):
        end = starts[position + 1] if position + 1 < len(starts) else len(lines)
        title = lines[start][3:].strip()
        if any(section.title == title for section in sections):
            msg = f"section {title!r} stands twice"
            raise HarnessError(msg, where=PATH)
        sections.append(Section(title, "\n".join(lines[start + 1 : end]).strip(), start, end))
    preamble = "\n".join(lines[: starts[0]] if starts else lines).strip()
    return Contract(preamble, tuple(sections), _read_tool_hints(header))


def _title_lines(lines: list[str]) -> list[int]:
    found: list[int] = []
    is_fenced = False
    for number, line in enumerate(lines):
        if line.lstrip().startswith("```"):
            is_fenced = not is_fenced
        elif not is_fenced and line.startswith("## ") and line[3:].strip():
            found.append(number)
    return found


def _read_tool_hints(header: dict[str, object] | None) -> dict[str, str]:
    values = dict(header or {})
    tools = values.pop("tools", None)
    if values:
        msg = f"unknown key {sorted(values)[0]!r} in the front matter"
        raise HarnessError(msg, where=PATH, hint="only tools")
    if tools is None:
        return {}
    if not isinstance(tools, dict):
        msg = "tools must map tool names to hints"
        raise HarnessError(msg, where=PATH)
    hints: dict[str, str] = {}
    for name, hint in cast("dict[object, object]", tools).items():
        if not isinstance(name, str) or not isinstance(hint, str):
            msg = "tools must map tool names to hints"
            raise HarnessError(msg, where=PATH)
        hints[name] = hint.strip()
    return hints


def put_section(text: str, title: str, body: str) -> str:
    """Add a section at the end, or replace the one of that title where it stands."""
    if title.startswith(TOOL_PREFIX):
        return _put_tool_hint(text, title.removeprefix(TOOL_PREFIX), body)
    block = f"## {_checked_title(title)}\n\n{normalise(body).strip()}"
    if len(read_contract(block).sections) != 1:
        msg = "a section cannot hold another ## title"
        raise HarnessError(msg, where=f"{PATH}: {title}")
    front, lines = _split_lines(text)
    found = _find(text, title)
    if found is None:
        rest = "\n".join(lines).rstrip("\n")
        return front + (f"{rest}\n\n{block}\n" if rest else f"{block}\n")
    return front + _join(lines[: found.start], block, lines[found.end :])


def remove_section(text: str, title: str) -> str:
    """Remove a section or tool hint.

    Raises:
        HarnessError: there is none of that title.
    """
    if title.startswith(TOOL_PREFIX):
        return _put_tool_hint(text, title.removeprefix(TOOL_PREFIX), None)
    found = _find(text, title)
    if found is None:
        msg = f"there is no section {title!r}"
        raise HarnessError(msg, where=PATH)
    front, lines = _split_lines(text)
    return front + _join(lines[: found.start], "", lines[found.end :])


def _join(before: list[str], block: str, after: list[str]) -> str:
    parts = ["\n".join(before).strip("\n"), block, "\n".join(after).strip("\n")]
    joined = "\n\n".join(part for part in parts if part)
    return f"{joined}\n" if joined else ""


def _find(text: str, title: str) -> Section | None:
    sections = read_contract(text).sections
    return next((section for section in sections if section.title == title.strip()), None)


def _split_lines(text: str) -> tuple[str, list[str]]:
    _, body = split_front_matter(text, path=PATH)
    return text[: len(text) - len(body)], body.split("\n")


def _checked_title(title: str) -> str:
    stripped = title.strip()
    if not stripped or len(stripped) > MAX_TITLE or "\n" in stripped or "\r" in stripped:
        msg = f"{title[:60]!r} is no section title"
        raise HarnessError(msg, where=PATH, hint=f"one line, 1-{MAX_TITLE}")
    return normalise(stripped)


def _put_tool_hint(text: str, tool: str, hint: str | None) -> str:
    hints = dict(read_contract(text).tool_hints)
    _, body = split_front_matter(text, path=PATH)
    if hint is None:
        if hints.pop(tool, None) is None:
            msg = f"there is no hint for tool {tool!r}"
            raise HarnessError(msg, where=PATH)
    else:
        hints[tool] = normalise(hint).strip()
    if not hints:
        return body
    return f"---\n{write_mapping({'tools': dict(sorted(hints.items()))})}---\n{body}"
