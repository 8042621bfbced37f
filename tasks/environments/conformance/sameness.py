"""Equal calls must give equal answers: now, after other episodes, and in another process."""

import json
import subprocess
import sys
import time
from collections.abc import Sequence

from schemas.errors import EnvironmentFault
from tasks.agent.offers import noise_of
from tasks.agent.protocols import Call, JsonObject, Task
from tasks.environments.conformance.inspection import Inspection, TimeIsOver, fault_text
from tasks.environments.conformance.playing import (
    IN_VERDICT,
    Seen,
    Trace,
    difference,
    plan_calls,
    play,
)

EPISODES = 6
MOST_S = 180.0
_OTHER = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]);"
    "from tasks.environments.conformance.other_process import main; main()"
)


def inspect_sameness(inspection: Inspection) -> None:
    """Play some episodes three times: twice here with others between, once elsewhere."""
    tasks = inspection.tasks[:EPISODES]
    try:
        played = [_play_new(inspection, task) for task in tasks]
        again = [_play(inspection, task, calls) for task, calls, _ in reversed(played)][::-1]
        _list_commands(inspection)
    except EnvironmentFault as error:
        _unknown(inspection, fault_text(error))
        inspection.find("error", f"episodes: {fault_text(error)}")
        return
    except TimeIsOver:
        _unknown(inspection, "not tried in time")
        return
    _compare_here(inspection, [trace for _, _, trace in played], again)
    _compare_elsewhere(inspection, played)


def _unknown(inspection: Inspection, why: str) -> None:
    for name in ("reset", "deterministic", "second_process", "verdict_repeats"):
        inspection.grade(name, "unknown", why)


def _list_commands(inspection: Inspection) -> None:
    """Grade whether a world lists the commands that can be carried out."""
    for task in inspection.tasks[:1]:
        with inspection.world(task) as world:
            listed = world.admissible()
        note = "" if listed is None else f"{len(listed)} at the beginning"
        inspection.grade("admissible", "none" if listed is None else "yes", note)


Played = tuple[Task, list[Call], Trace]


def _play_new(inspection: Inspection, task: Task) -> Played:
    with inspection.world(task) as world:
        calls = plan_calls(inspection.environment, task, world, inspection.seed)
    return task, calls, _play(inspection, task, calls)


def _play(inspection: Inspection, task: Task, calls: Sequence[Call]) -> Trace:
    with inspection.world(task) as world:
        return play(world, calls)


def _compare_here(inspection: Inspection, first: list[Trace], again: list[Trace]) -> None:
    parts = [difference(one, other) for one, other in zip(first, again, strict=True)]
    begins = sum(part in ("at the beginning", "in the observation of call 1") for part in parts)
    differing = [part for part in parts if part]
    inspection.grade("reset", "no" if begins else "yes", _of(begins, parts))
    inspection.grade("deterministic", "no" if differing else "yes", _of(len(differing), parts))
    noise, judged = noise_of(inspection.environment), parts.count(IN_VERDICT)
    note = noise or _of(judged, parts)
    inspection.grade("verdict_repeats", "no" if noise or judged else "yes", note)
    if differing:
        _tell(inspection, differing[0], "the same calls gave other answers")


def _of(number: int, parts: list[str]) -> str:
    return f"{len(parts) - number} of {len(parts)} episodes alike"


def _tell(inspection: Inspection, where: str, what: str) -> None:
    """Differences are an error unless the world says that it has them."""
    is_declared = bool(noise_of(inspection.environment))
    hint = "pass the seed to all that is random, and reset all that an episode changes; else say "
    hint += "so with `noise`"
    inspection.find("warning" if is_declared else "error", f"{what}, {where}", hint)


def _compare_elsewhere(inspection: Inspection, played: Sequence[Played]) -> None:
    asked = {
        "word": inspection.word,
        "seed": inspection.seed,
        "plays": [
            {"task_id": task.task_id, "calls": [[call.tool, call.arguments] for call in calls]}
            for task, calls, _ in played
        ],
    }
    told = _ask_elsewhere(asked, max(1.0, min(MOST_S, inspection.deadline - time.monotonic())))
    if isinstance(told, str):
        inspection.grade("second_process", "unknown", told)
        inspection.find("warning", f"in another process: {told}")
        return
    if told["fingerprint"] != inspection.environment.fingerprint:
        inspection.find("error", "its fingerprint is another one in another process")
    parts = [
        difference(trace, _read(raw))
        for (_, _, trace), raw in zip(played, told["traces"], strict=True)
    ]
    differing = [part for part in parts if part]
    inspection.grade("second_process", "no" if differing else "yes", _of(len(differing), parts))
    if differing:
        _tell(inspection, differing[0], "another process gave other answers")


def _ask_elsewhere(asked: JsonObject, limit_s: float) -> JsonObject | str:
    """The traces of another process, or why there are none."""
    command = [sys.executable, "-c", _OTHER, json.dumps(sys.path)]
    try:
        done = subprocess.run(
            command, input=json.dumps(asked), capture_output=True, text=True, timeout=limit_s
        )
    except subprocess.TimeoutExpired:
        return f"no answer in {limit_s:.0f} s"
    last = done.stdout.strip().splitlines()[-1:] if done.returncode == 0 else []
    told: JsonObject = json.loads(last[0]) if last else {"error": _last_line(done.stderr)}
    return str(told["error"]) if "error" in told else told


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["it ended without an answer"])[-1][:300]


def _read(raw: JsonObject) -> Trace:
    steps = tuple(Seen(**step) for step in raw["steps"])
    return Trace(str(raw["opening"]), str(raw["first_state"]), steps, str(raw["verdict"]))
