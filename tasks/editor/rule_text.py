"""Render a rule function of `ruleset/` as the text that goes into a harness."""

import ast
import inspect
from collections.abc import Callable, Mapping
from typing import Any

Rule = Callable[..., Any]
MAX_LINES = 38
"""Rules longer than this would break the gate's limit of changed lines."""


def render_rule(rule: Rule, reason: str, parameters: Mapping[str, Any], name: str = "") -> str:
    """Give the source of a rule with its reason as docstring and its parameters filled in."""
    source = inspect.getsource(rule)
    function = ast.parse(source).body[0]
    if not isinstance(function, ast.FunctionDef):
        message = f"{rule!r} is not a plain function"
        raise TypeError(message)
    lines = source.splitlines()
    body = lines[function.body[0].end_lineno or 0 :]
    while body and not body[0].strip():
        body = body[1:]
    first, second = (argument.arg for argument in function.args.args)
    head = [
        f"def {name or rule.__name__}({first}, {second}):",
        f'    """{_one_line(reason)}"""',
        *(f"    {key} = {value!r}" for key, value in parameters.items()),
    ]
    return "\n".join([*head, *(_without_directive(line) for line in body)]) + "\n"


def _one_line(text: str) -> str:
    flat = " ".join(text.split()).replace("\\", "/").replace('"""', "'''")
    return (flat[:-1] + "." if flat.endswith('"') else flat)[:300]


def _without_directive(line: str) -> str:
    for mark in ("  # noqa", "  # fmt"):
        line = line.split(mark, 1)[0]
    return line
