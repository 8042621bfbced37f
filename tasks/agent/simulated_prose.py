"""What simulated models write as text: calls in the shapes of models, and notes to themselves."""

import json
from collections.abc import Callable

from tasks.agent.protocols import Call


def as_python(call: Call) -> str:
    """`tool(name="value")`."""
    parts = ", ".join(f"{key}={_literal(value)}" for key, value in call.arguments.items())
    return f"{call.tool}({parts})"


def as_positional(call: Call) -> str:
    """`tool("value")` behind a sentence."""
    parts = ", ".join(_literal(value) for value in call.arguments.values())
    return f"I will run this now.\n{call.tool}({parts})"


def as_json_block(call: Call) -> str:
    """A fenced JSON object with name and arguments."""
    return f"```json\n{_literal({'name': call.tool, 'arguments': call.arguments})}\n```"


def as_tagged(call: Call) -> str:
    """The tag some chat templates use."""
    return (
        f"<tool_call>\n{_literal({'name': call.tool, 'arguments': call.arguments})}\n</tool_call>"
    )


def as_react(call: Call) -> str:
    """Thought, action and action input."""
    thought = "Thought: the next step is clear."
    return f"{thought}\nAction: {call.tool}\nAction Input: {_literal(call.arguments)}"


def as_bare_arguments(call: Call) -> str:
    """The tool's name, then only the arguments."""
    return f"Calling {call.tool} with {_literal(call.arguments)}"


SHAPES: tuple[Callable[[Call], str], ...] = (
    as_python,
    as_positional,
    as_json_block,
    as_tagged,
    as_react,
    as_bare_arguments,
)


MOST_QUOTED = 3
NO_ERRORS = "I take one step at a time and read each result before the next."


def write_note(request: str) -> str:
    """A note as a simulated model writes it: the errors that the request shows, word for word.

    It understands nothing of them, so where the request shows none the note is a set phrase.
    """
    lines = [line.partition("error:") for line in request.splitlines()]
    errors = [said.strip() for before, mark, said in lines if mark and not before.strip()]
    kept = list(dict.fromkeys(text for text in errors if text))[-MOST_QUOTED:]
    return "\n".join(f"- It said: {text}" for text in kept) or NO_ERRORS


def write_as_text(call: Call, roll: float, *extra: Callable[[Call], str]) -> str:
    """Write a call in the shape a roll in [0, 1) picks; a world can add shapes of its own."""
    shapes = (*SHAPES, *extra)
    return shapes[int(roll * len(shapes)) % len(shapes)](call)


def _literal(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
