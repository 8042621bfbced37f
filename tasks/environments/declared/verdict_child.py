"""Runs a user's verdict function in the user's interpreter: JSON lines, nothing else.

Started by path like `host_child.py`, with which it shares streams and errors; the standard library
alone, Python 3.8.
"""

from __future__ import annotations

import importlib.util
import json
import os
import queue
import sys
import threading
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import host_wire as wire

sys.path.pop(0)


def load(path: str, name: str) -> Any:
    """The function of a file."""
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    if spec is None or spec.loader is None:
        message = f"{path} is no Python file"
        raise ImportError(message)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return getattr(module, name)


def main() -> None:
    """Serve until stdin ends."""
    incoming, out = wire.take_over_streams()
    lines: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=wire.listen, args=(incoming, lines), daemon=True).start()
    path, _, name = sys.argv[1].rpartition(":")
    stem = Path(path).stem
    wire.put_user_first()
    try:
        judge = load(path, name)
    except BaseException as error:
        said = wire.describe_error(error, stem)
        wire.send(out, 0, {"error": said, "hint": f"mend {path}"})
        os._exit(1)
    wire.send(out, 0, {"ok": True})
    while True:
        request = json.loads(lines.get())
        try:
            answer = {"ok": wire.plain(judge(request["task"], request["episode"]))}
        except Exception as error:
            answer = {"error": wire.describe_error(error, stem), "hint": f"mend {path}"}
        wire.send(out, request["id"], answer)


if __name__ == "__main__":
    main()
