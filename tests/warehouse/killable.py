"""Child of the kill tests: land, ingest and publish; die at a named function, print the digest.

Usage: killable.py HOME ROWS FUNCTION [FUNCTION …]; ROWS is a pickled list of rows. For each
FUNCTION a fork works in HOME/<position>, is killed when it enters FUNCTION of FILE (`file:name`, or
`-` for never), and a second fork does the same work undisturbed. The slow import happens once.
"""

import json
import os
import pickle
import signal
import sys
from pathlib import Path
from types import FrameType

from warehouse import suites
from warehouse.digest import table_digests
from warehouse.store import Warehouse


def die_at(point: str) -> None:
    file, _, function = point.partition(":")

    def watch(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_name == function and code.co_filename.endswith(file):
            os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(watch)


def work(home: Path, rows: list) -> None:
    store = Warehouse(home)
    for stage, part in enumerate(rows):
        store.land(part, stage=f"stage-{stage}")
    store.ingest()
    store.publish()


def in_fork(action) -> int:
    child = os.fork()
    if child == 0:
        action()
        os._exit(0)
    return os.waitpid(child, 0)[1]


def killed(home: Path, rows: list, point: str) -> None:
    die_at(point)
    work(home, rows)


def finished(home: Path, rows: list, answer: Path) -> None:
    work(home, rows)
    with Warehouse(home).read() as reader:
        answer.write_text(json.dumps(table_digests(reader)))


def main() -> None:
    home, rows = Path(sys.argv[1]), pickle.loads(Path(sys.argv[2]).read_bytes())
    suites._context()
    found = {}
    for position, point in enumerate(sys.argv[3:]):
        place, answer = home / str(position), home / f"{position}.json"
        status = in_fork(lambda: killed(place, rows, point)) if point != "-" else None  # noqa: B023
        done = in_fork(lambda: finished(place, rows, answer))  # noqa: B023
        found[point] = {
            "killed": status is not None and os.WTERMSIG(status) == signal.SIGKILL,
            "done": done == 0,
            "digest": json.loads(answer.read_text()) if answer.exists() else {},
        }
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
