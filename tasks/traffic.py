"""Landing traffic: conversations that are over become trajectories like any other."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from schemas.episode import Episode
from schemas.fields import Row
from schemas.ids import make_id
from schemas.text import clean_text
from schemas.traffic import TrafficSessionRow
from schemas.trajectories import TaskRow
from tasks.agent.episode_log import Ending, EpisodeLog, Identity
from tasks.agent.overheard import overhear
from tasks.collection import trajectory_rows
from tasks.harness import Harness, HarnessError
from tasks.harness_rows import harness_rows
from tasks.progress import count, expect, in_stage
from tasks.proxy.lines import Line
from tasks.proxy.paths import longest_path
from tasks.traffic_journal import Place, journals, note_landed, places, traffic_folder
from tasks.workbench import Workbench
from warehouse.lock import file_lock

logger = logging.getLogger(__name__)

FAMILY = "traffic"
FINGERPRINT = "traffic"
BATCH = 100
LOCK_S = 600.0
_STORED = "SELECT harness_id FROM harness_versions"


@dataclass
class _Talk:
    """Lines of one conversation."""

    places: list[Place] = field(default_factory=list[Place])
    last: Line | None = None


def untouched(environment: str) -> Harness:
    """The harness that leaves everything as it is."""
    settings = f"api: 1\nname: untouched\nenvironment: {environment}\n"
    return Harness.from_files({"harness.yaml": settings})


def left_folder(home: Path, harness_id: str) -> Path:
    """Where a proxy leaves a harness that the warehouse may not know."""
    return traffic_folder(home) / "harnesses" / harness_id


@in_stage("land traffic")
def land_traffic(*, idle_s: float = 600.0, everything: bool = False) -> dict[str, Any]:
    """Land conversations that no request came for in `idle_s` seconds, or all of them.

    Lines that cannot be read are counted and left where they are.
    """
    bench = Workbench.open()
    folder = traffic_folder(bench.settings.home)
    if not journals(folder):
        return {"conversations": 0, "waiting": 0, "unreadable": 0, "interventions": 0}
    with file_lock(folder / "landing.lock", timeout_s=LOCK_S):
        return _land(bench, folder, None if everything else idle_s)


def _land(bench: Workbench, folder: Path, idle_s: float | None) -> dict[str, Any]:
    talks, unreadable = _gather(folder)
    over = {
        name: talk
        for name, talk in talks.items()
        if idle_s is None or (talk.last and bench.now - talk.last.at > timedelta(seconds=idle_s))
    }
    expect("conversations", len(over))
    landed: list[Place] = []
    interventions = 0
    stored = _Harnesses(bench)
    names = sorted(over)
    for start in range(0, len(names), BATCH):
        rows: list[Row] = []
        episodes: list[Episode] = []
        for name in names[start : start + BATCH]:
            lines = [line for place in over[name].places if (line := place.read())]
            path = longest_path(sorted(lines, key=lambda line: line.at))
            try:
                episode, session, task = conversation_rows(path)
            except ValueError as error:
                logger.warning("conversation %s cannot be landed: %s", name, error)
                unreadable += len(over[name].places)
                continue
            rows += [task, session, *stored.rows(path[0])]
            episodes.append(episode)
            interventions += sum(not row.suppressed for row in episode.interventions)
            landed += over[name].places
        bench.land([*rows, *trajectory_rows(episodes)], "traffic")
        count("conversations", len(episodes))
    if over:
        bench.commit()
        note_landed(landed)
    return {
        "conversations": len(over),
        "waiting": len(talks) - len(over),
        "unreadable": unreadable,
        "interventions": interventions,
    }


def _gather(folder: Path) -> tuple[dict[str, _Talk], int]:
    talks: dict[str, _Talk] = {}
    owners: dict[str, str] = {}
    unreadable = 0
    for file in journals(folder):
        for place in places(file):
            line = place.read()
            if line is None:
                unreadable += 1
                continue
            # A proxy that was started again does not know whose history it is shown.
            name = line.conversation
            if name not in talks and line.before in owners:
                name = owners[line.before]
            owners.update({point: name for point in (line.after,) if point is not None})
            talk = talks.setdefault(name, _Talk())
            talk.places.append(place)
            talk.last = max(line, talk.last or line, key=lambda one: one.at)
    return talks, unreadable


def conversation_rows(path: Sequence[Line]) -> tuple[Episode, TrafficSessionRow, TaskRow]:
    """Rows of a conversation, its requests in order."""
    first, last = path[0], path[-1]
    asked = _task_text(first)
    task = TaskRow(
        environment=first.environment,
        task_id=f"{first.environment}/{FAMILY}/{make_id('task', asked)}",
        family=FAMILY,
        split="train",
        text=asked,
        environment_fingerprint=FINGERPRINT,
    )
    identity = Identity(
        trajectory_id=make_id("traj", [FAMILY, first.conversation, first.at.isoformat()]),
        environment=first.environment,
        environment_fingerprint=FINGERPRINT,
        family=FAMILY,
        task_id=task.task_id,
        split="train",
        model=clean_text(first.model),
        model_fingerprint=make_id("model", [FAMILY, first.model]),
        harness_id=_acting(first),
        seed=0,
        repeat=0,
        arm="run",
        budget=None,
        origin="traffic",
    )
    log = EpisodeLog(identity)
    overhear(log, (line.account for line in path), acts=first.acts)
    session = TrafficSessionRow(
        trajectory_id=identity.trajectory_id,
        session=clean_text(first.session) or first.conversation,
        environment=first.environment,
        mode=first.mode,
        arm=first.arm,
        propensity=first.propensity,
        treatment_harness_id=first.treatment_id,
        control_harness_id=first.control_id,
        started_at=first.at,
    )
    return log.close(_ending(last), first.at), session, task


def _acting(first: Line) -> str:
    """Harness under which the conversation really went."""
    return first.harness_id if first.acts else untouched(first.environment).harness_id


def _task_text(first: Line) -> str:
    opening = first.account.opening
    texts = [one for one in opening.messages if one.get("role") == "user"] if opening else []
    return clean_text(str(texts[-1].get("content") or "")) if texts else ""


def _ending(last: Line) -> Ending:
    if last.account.is_stopped:
        return Ending("rule_stop")
    if last.after is None:
        return Ending("unknown", detail=f"the upstream answered with status {last.status}")
    is_final = bool(last.account.turns) and not last.account.turns[-1].calls
    return Ending("finished" if is_final else "unknown")


class _Harnesses:
    """Rows of harnesses that the warehouse does not hold yet."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        with bench.warehouse.read() as reader:
            self._stored = {str(row[0]) for row in reader.frame(_STORED).rows()}

    def rows(self, line: Line) -> list[Row]:
        rows: list[Row] = []
        for harness_id in (_acting(line), line.treatment_id, line.control_id):
            if harness_id and harness_id not in self._stored:
                self._stored.add(harness_id)
                rows += self._made(harness_id, line.environment)
        return rows

    def _made(self, harness_id: str, environment: str) -> list[Row]:
        empty = untouched(environment)
        if harness_id == empty.harness_id:
            return harness_rows(empty)
        folder = left_folder(self._bench.settings.home, harness_id)
        try:
            return harness_rows(Harness.load(folder, harness_id=harness_id))
        except HarnessError:
            return []
