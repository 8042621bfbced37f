"""YAML as harness files use it: front matter and settings, read without surprises."""

import sys
from typing import Any, cast

import yaml
from pydantic import ValidationError

from .errors import HarnessError
from .text import is_too_deep

MAX_CHARS = 16_000
MAX_OPEN = 64


def _refuse_hostile(text: str, *, path: str) -> None:
    """Refuse text on which the YAML reader takes time that grows with the square of its size."""
    if len(text) > MAX_CHARS:
        msg = f"broken YAML: longer than {MAX_CHARS} characters"
        raise HarnessError(msg, where=path)
    opened = 0
    for character in text:
        opened += (character in "[{") - (character in "]}")
        if opened > MAX_OPEN:
            msg = "broken YAML: nested too deeply"
            raise HarnessError(msg, where=path)


def compose(text: str) -> yaml.Node | None:
    """Read YAML text as a tree that remembers where things stand.

    Raises:
        YAMLError: the text is no YAML.
    """
    return cast("yaml.Node | None", yaml.compose(text, Loader=yaml.SafeLoader))  # pyright: ignore[reportUnknownMemberType]


def pairs_of(node: yaml.MappingNode) -> list[tuple[yaml.Node, yaml.Node]]:
    """Give keys and values of a mapping in a YAML tree."""
    return cast("list[tuple[yaml.Node, yaml.Node]]", node.value)


def _refuse_surprises(root: yaml.Node, *, path: str, first_line: int) -> None:
    """Refuse aliases, which can explode, and keys that stand twice, of which one would win."""
    seen: set[int] = set()
    waiting: list[yaml.Node] = [root]
    while waiting:
        node = waiting.pop()
        where = f"{path}:{node.start_mark.line + first_line}"
        if id(node) in seen:
            msg = "broken YAML: aliases are not allowed"
            raise HarnessError(msg, where=where)
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting += cast("list[yaml.Node]", node.value)
        elif isinstance(node, yaml.MappingNode):
            keys = [str(key.value) for key, _ in pairs_of(node)]
            twice = sorted({key for key in keys if keys.count(key) > 1})
            if twice:
                msg = f"broken YAML: key {twice[0]!r} stands twice"
                raise HarnessError(msg, where=where)
            waiting += [child for pair in pairs_of(node) for child in pair]


def read_mapping(text: str, *, path: str, first_line: int = 1) -> dict[str, object]:
    """Read YAML text that must be a mapping; empty text is an empty mapping.

    Raises:
        HarnessError: the text is no YAML or no mapping; `where` names file and line.
    """
    _refuse_hostile(text, path=path)
    try:
        root = compose(text)
        if root is not None:
            _refuse_surprises(root, path=path, first_line=first_line)
        value: object = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = (error.problem_mark.line if error.problem_mark else 0) + first_line
        msg = f"broken YAML: {error.problem or 'cannot be read'}"
        raise HarnessError(msg, where=f"{path}:{line}") from None
    except (yaml.YAMLError, ValueError) as error:
        msg = f"broken YAML: {error}"
        raise HarnessError(msg, where=path) from None
    except RecursionError:
        msg = "broken YAML: nested too deeply"
        raise HarnessError(msg, where=path) from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        msg = f"expected a mapping, found {type(value).__name__}"
        raise HarnessError(msg, where=path)
    if is_too_deep(cast("object", value)):
        msg = "broken YAML: nested too deeply"
        raise HarnessError(msg, where=path)
    return {str(key): inner for key, inner in cast("dict[object, object]", value).items()}


def split_front_matter(text: str, *, path: str) -> tuple[dict[str, object] | None, str]:
    """Split a Markdown file into its front matter (null when it has none) and its body.

    Raises:
        HarnessError: the front matter is not closed or not a mapping.
    """
    if not text.startswith("---\n"):
        return None, text
    lines = text.split("\n")
    for number in range(1, len(lines)):
        if lines[number].rstrip() == "---":
            header = "\n".join(lines[1:number])
            body = "\n".join(lines[number + 1 :])
            return read_mapping(header, path=path, first_line=2), body
    msg = "front matter is not closed by a line ---"
    raise HarnessError(msg, where=f"{path}:1")


def write_mapping(value: dict[str, Any]) -> str:
    """Render a mapping as YAML, keys in the order given."""
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=96)


def write_scalar(text: str) -> str:
    """Render a text as one quoted YAML value that no reader takes for anything else."""
    quoted: str = yaml.safe_dump(text, default_style='"', allow_unicode=True, width=sys.maxsize)
    # Some readers look for the end of front matter before they read YAML.
    return quoted.removesuffix("\n").replace("---", "\\x2D--")


def explain(error: ValidationError, *, path: str) -> HarnessError:
    """Turn the first problem pydantic found into one line."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    key = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return HarnessError(f"unknown key {key!r}", where=path)
    if first["type"] == "missing":
        return HarnessError(f"key {key!r} is missing", where=path)
    return HarnessError(f"{key}: {first['msg']}" if key else str(first["msg"]), where=path)
