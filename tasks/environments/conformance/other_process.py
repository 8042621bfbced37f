"""Plays given calls in a process of its own: a question on stdin, an answer as the last line."""

import json
import sys

from schemas.errors import TackroomError
from schemas.settings import load_settings
from tasks.agent.capabilities import Closeable
from tasks.agent.protocols import Call, Environment, JsonObject
from tasks.environments.conformance.declarations import SPLITS
from tasks.environments.conformance.inspection import faults
from tasks.environments.conformance.playing import Trace, play
from tasks.environments.registry import close, resolve_environment


def main() -> None:
    """Answer one question."""
    asked = json.load(sys.stdin)
    settings = load_settings()
    try:
        word, python = asked["word"], settings.python or None
        environment = resolve_environment(word, python=python, settings=settings)
        try:
            traces = [_play(environment, asked["seed"], one) for one in asked["plays"]]
        finally:
            close(environment)
    except TackroomError as error:
        answer = {"error": str(error)}
    else:
        told = [trace.as_json() for trace in traces]
        answer = {"fingerprint": environment.fingerprint, "traces": told}
    sys.stdout.write(json.dumps(answer) + "\n")


def _play(environment: Environment, seed: int, asked: JsonObject) -> Trace:
    tasks = [task for split in SPLITS for task in environment.tasks(split)]
    task = next(task for task in tasks if task.task_id == asked["task_id"])
    calls = [Call(tool, arguments) for tool, arguments in asked["calls"]]
    with faults(environment.name):
        world = environment.start(task, seed)
        try:
            return play(world, calls)
        finally:
            if isinstance(world, Closeable):
                world.close()
