"""Checks a world: what it keeps of the protocol, what it offers, and what stages make of it."""

import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from schemas.errors import ConfigError, EnvironmentFault
from tasks.agent.protocols import Environment, Task
from tasks.agent.user_talk import user_of
from tasks.environments.catalogue import environments_of
from tasks.environments.conformance.declarations import (
    SPLITS,
    inspect_declarations,
    leave_unplayed,
)
from tasks.environments.conformance.hardness import inspect_hardness
from tasks.environments.conformance.inspection import Count, Inspection, faults
from tasks.environments.conformance.restoring import inspect_restoring
from tasks.environments.conformance.sameness import inspect_sameness
from tasks.environments.conformance.solving import inspect_solving
from tasks.environments.registry import close, is_own
from tasks.gate.candidate import GateSettings
from tasks.gate.power import resolvable_gain
from tasks.progress import count, doing, in_stage
from tasks.workbench import Workbench, first_tasks
from tasks.world_needs import powers

EPISODES = "episodes"
PROBES: tuple[tuple[str, Callable[[Inspection], None]], ...] = (
    ("looking at what it declares", inspect_declarations),
    ("making wrong calls", inspect_hardness),
    ("making equal calls", inspect_sameness),
    ("restoring", inspect_restoring),
    ("solving tasks", inspect_solving),
)
ASKING = (PROBES[0], ("leaving out what the user's model would pay for", leave_unplayed))
"""Probes of a world whose user a model plays: a check asks no model."""


def check_worlds(
    word: str, *, tasks: int = 0, seed: int = 7, most_s: float = 300.0
) -> dict[str, Any]:
    """Check an environment, or each of an installed world that has several.

    The time is for each of them.

    Raises:
        ConfigError: the word names nothing, or the world may not be used.
    """
    names = environments_of(word)
    reports = [check_world(name, tasks=tasks, seed=seed, most_s=most_s) for name in names]
    if len(reports) == 1:
        return reports[0]
    is_ok = all(report["ok"] for report in reports)
    return {"ok": is_ok, "world": word, "environments": reports}


def check_world(
    word: str,
    *,
    tasks: int = 0,
    seed: int = 7,
    most_s: float = 300.0,
    bench: Workbench | None = None,
) -> dict[str, Any]:
    """Check a world on the first tasks of each split, within a time.

    Raises:
        ConfigError: the word names nothing, or the world may not be used.
    """
    bench = bench or Workbench.open()
    began = time.monotonic()
    with in_stage(f"check {word}"):
        try:
            environment = bench.environment(word)
        except ConfigError as error:
            if not (is_own(word) and isinstance(error.__cause__, EnvironmentFault)):
                raise
            return _unopened(word, error)
        inspection = Inspection(
            word=word,
            environment=environment,
            tasks=_chosen(environment, tasks),
            seed=seed,
            deadline=began + most_s,
            tell=lambda: count(EPISODES),
        )
        try:
            for activity, probe in ASKING if user_of(environment) else PROBES:
                with doing(activity):
                    _guarded(inspection, probe)
            report = _report(inspection)
        finally:
            close(environment)
    return report | {"wall_s": round(time.monotonic() - began, 1)}


def _guarded(inspection: Inspection, probe: Callable[[Inspection], None]) -> None:
    """A probe that breaks is a fault of the world, and the others go on."""
    try:
        with faults(inspection.environment.name):
            probe(inspection)
    except EnvironmentFault as error:
        inspection.find("error", str(error))


def _chosen(environment: Environment, tasks: int) -> tuple[Task, ...]:
    """Tasks of all splits in turn, so that what is cut off by time is not one split."""
    by_split = [first_tasks(environment.tasks(split), tasks) for split in SPLITS]
    most = max(map(len, by_split), default=0)
    turns = [split[place] for place in range(most) for split in by_split if place < len(split)]
    return tuple(turns)


def _unopened(word: str, error: ConfigError) -> dict[str, Any]:
    """The report of a world of the user's own that broke before it could be asked anything."""
    finding = {"severity": "error", "what": error.what, "hint": error.hint}
    return {
        "ok": False,
        "environment": None,
        "word": word,
        "fingerprint": None,
        "tasks": {},
        "grades": {},
        "counts": {},
        "stages": [],
        "smallest_gain": None,
        "findings": [finding],
        "wall_s": 0.0,
    }


def _report(inspection: Inspection) -> dict[str, Any]:
    environment = inspection.environment
    gain, pairs = _smallest_gain(environment), len(environment.tasks("select"))
    if gain is None:
        hint = "add tasks: `tackroom gate plan` says how many an edit needs"
        inspection.find("warning", f"with {pairs} select tasks no edit can be accepted", hint)
    return {
        "ok": not inspection.has_error,
        "environment": environment.name,
        "word": inspection.word,
        "fingerprint": environment.fingerprint,
        "tasks": {split: len(environment.tasks(split)) for split in SPLITS},
        "grades": {grade.name: asdict(grade) for grade in inspection.grades},
        "counts": {name: _count(found) for name, found in inspection.counts.items()},
        "stages": [asdict(power) for power in powers(environment)],
        "smallest_gain": gain,
        "findings": [asdict(finding) for finding in inspection.findings],
    }


def _count(found: Count) -> dict[str, Any]:
    return {
        "passed": len(found.passed),
        "tried": found.tried,
        "asked": found.asked,
        "passed_ids": list(found.passed),
        "failed_ids": list(found.failed),
        "fault_ids": list(found.faults),
    }


def _smallest_gain(environment: Environment) -> float | None:
    """The smallest gain that the gate can show on the select tasks; null when it can show none."""
    pairs = len(environment.tasks("select"))
    if not pairs:
        return None
    return resolvable_gain(pairs, GateSettings().threshold, loss_rate=0.0)
