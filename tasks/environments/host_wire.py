"""What children that run a user's code have in common: streams, values as JSON, errors in a line.

Imported by path with an interpreter that has none of our packages: the standard library alone,
Python 3.8.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import traceback
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO

MAX_DEPTH = 60
INSTALLED = {"site-packages", "dist-packages"}


def plain(value: Any, depth: int = 0) -> Any:
    """Turn dataclasses, tuples, sets and objects into JSON values."""
    if depth > MAX_DEPTH:
        message = "nested too deeply"
        raise ValueError(message)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dict):
        return {str(key): plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item, depth + 1) for item in value), key=str)
    if isinstance(value, (list, tuple)) and not hasattr(value, "_asdict"):
        return [plain(item, depth + 1) for item in value]
    return plain(fields_of(value), depth + 1)


def fields_of(value: Any) -> dict[str, Any]:
    """Fields of a named tuple, a pydantic model, a dataclass or any object with attributes."""
    for name in ("_asdict", "model_dump"):
        if hasattr(value, name):
            return getattr(value, name)()
    names = list(getattr(value, "__dataclass_fields__", None) or getattr(value, "__dict__", ()))
    if not names:
        message = f"{type(value).__name__} cannot be written as JSON"
        raise TypeError(message)
    return {name: getattr(value, name) for name in names if not name.startswith("_")}


def describe_error(error: BaseException, module_name: str = "") -> str:
    """Place in the user's code, class and message in one line."""
    place = place_of(error, module_name)
    said = error.msg if isinstance(error, SyntaxError) and place else str(error)
    text = " ".join(said.split())
    if is_worded(error):
        return text
    return ": ".join(part for part in (place, type(error).__name__, text) if part)


def is_worded(error: BaseException) -> bool:
    """Whether an error was raised to be read by the user: it brings what to do about it."""
    return isinstance(getattr(error, "hint", None), str)


def place_of(error: BaseException, module_name: str) -> str:
    """`file.py:LINE` of the innermost frame of the user's code; empty when there is none."""
    if isinstance(error, SyntaxError) and error.filename and Path(error.filename).is_file():
        return f"{error.filename}:{error.lineno}"
    top = module_name.partition(".")[0]
    places = [
        f"{frame.f_code.co_filename}:{line}"
        for frame, line in traceback.walk_tb(error.__traceback__)
        if is_users(frame, top)
    ]
    return places[-1] if places else ""


def is_users(frame: FrameType, top: str) -> bool:
    """Tell code of the user's package, or of files beside it, from libraries and this host."""
    path = Path(frame.f_code.co_filename)
    if str(path).startswith("<") or path.parent == Path(__file__).parent:
        return False
    if str(frame.f_globals.get("__name__")).partition(".")[0] == top:
        return True
    return not INSTALLED & set(path.parts) and Path(os.__file__).parent not in path.parents


def send(out: BinaryIO, number: int, body: dict[str, Any]) -> None:
    """Write one line."""
    try:
        line = json.dumps({"id": number, **body})
    except (TypeError, ValueError, RecursionError) as error:
        line = json.dumps({"id": number, "error": describe_error(error)})
    out.write(line.encode("ascii") + b"\n")
    out.flush()


def listen(stream: BinaryIO, lines: queue.Queue[bytes]) -> None:
    """Pass requests on; when the parent is gone, end at once, whatever the user's code does."""
    for line in stream:
        lines.put(line)
    os._exit(0)


def take_over_streams() -> tuple[BinaryIO, BinaryIO]:
    """Keep stdin and stdout for the protocol; the user's code prints to stderr."""
    incoming = os.fdopen(os.dup(0), "rb")
    outgoing = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return incoming, outgoing


def put_user_first() -> None:
    """Import from the user's folder, never from ours."""
    ours = str(Path(__file__).resolve().parent)
    sys.path[:] = [str(Path.cwd()), *(path for path in sys.path if path != ours)]
