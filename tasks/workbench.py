"""What every stage works with: settings, warehouse, and the things their words name."""

import asyncio
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from schemas.errors import ConfigError
from schemas.fields import Row
from schemas.harness import HarnessNameRow
from schemas.settings import Settings, load_settings
from tasks.agent.loops.registry import TOOL_CALL, in_loop
from tasks.agent.models import resolve_model
from tasks.agent.offers import refuse_lasting
from tasks.agent.protocols import Environment, Model, Task
from tasks.environments.registry import (
    environment_names,
    is_own,
    refuse_taken,
    resolve_environment,
)
from tasks.harness import Harness, HarnessError, Sandbox
from tasks.harness.probe import Finding, probe
from tasks.progress import doing
from warehouse.harness_store import UnknownHarness, harness_files, next_ordinal, resolve_harness
from warehouse.seeds import evolved_folders, seed_files
from warehouse.store import Warehouse

SEED_HARNESS = "seed"
EVOLVED_HARNESS = "evolved"
CURRENT = "current"
_IMPORTED = "SELECT DISTINCT environment FROM trajectories WHERE origin = 'import'"
_IN_FORCE = "SELECT harness_id FROM harness_names_in_force WHERE environment = ? AND name = ?"


@dataclass(frozen=True)
class Workbench:
    """Settings and the moment a stage started; the rest is opened when it is needed."""

    settings: Settings
    now: datetime

    @classmethod
    def open(cls) -> "Workbench":
        """Read the settings that hold here and now."""
        return cls(load_settings(), datetime.now(UTC))

    @cached_property
    def warehouse(self) -> Warehouse:
        """The warehouse of the data folder."""
        return Warehouse(self.settings.home)

    def environment(self, word: str) -> Environment:
        """The environment of this name.

        Raises:
            ConfigError: there is none, a user's own has the name of an imported one, or what is
                done in it would last and that was not allowed.
        """
        python = self.settings.python or None
        opened = resolve_environment(word, python=python, settings=self.settings)
        if not self.settings.allow_side_effects:
            refuse_lasting(word, opened)
        if is_own(word):
            with self.warehouse.read() as reader:
                refuse_taken(word, opened, (str(row[0]) for row in reader.frame(_IMPORTED).rows()))
        return opened

    def environment_names(self) -> tuple[str, ...]:
        """Names of the environments that can be opened here."""
        return environment_names(self.settings.worlds)

    def model(
        self, word: str, record: str = "", *, agent: str = "", loop: str = TOOL_CALL
    ) -> Model:
        """The model of this name in an agent loop, or with the user's agent program around it.

        With `record`, every reply of the model goes to that file.

        Raises:
            ConfigError: there is none, or both a loop and a program are named.
        """
        model = resolve_model(word, self.settings, record=Path(record) if record else None)
        looped = in_loop(model, loop)
        if not agent:
            return looped
        if looped is not model:
            what = f"--loop {loop} and --agent both bring a loop"
            raise ConfigError(what, hint="leave one of them out")
        from tasks.agent.own_agent import read_agent

        made = read_agent(
            agent,
            model,
            environ=os.environ,
            folder=Path.cwd(),
            timeout_s=self.settings.agent_timeout_s,
        )
        return replace(made, together=self.settings.agent_processes)

    def harness(self, environment: str, word: str) -> Harness:
        """The harness that a name, an id, the start of an id, or a folder stands for.

        Raises:
            ConfigError: nothing, or more than one harness, is meant; the folder cannot be used.
        """
        if word == SEED_HARNESS:
            _require_name(environment)
            return seed_harness(environment)
        if word == EVOLVED_HARNESS:
            return evolved_harness(environment)
        if (Path(word) / "harness.yaml").exists():
            return load_harness(word)
        with self.warehouse.read() as reader:
            try:
                harness_id = resolve_harness(reader, word, environment=environment or None)
            except UnknownHarness:
                if word == CURRENT:
                    _require_name(environment)
                    return seed_harness(environment)
                if word and Path(word).is_dir():
                    return load_harness(word)
                raise
            return Harness.from_files(harness_files(reader, harness_id))

    def stored_harnesses(self, harness_ids: Iterable[str]) -> dict[str, Harness]:
        """Stored harnesses by id, read in one go and kept.

        Raises:
            ConfigError: one of them is not stored.
        """
        wanted = set(harness_ids)
        missing = sorted(wanted - self._harnesses.keys())
        if missing:
            with self.warehouse.read() as reader:
                for harness_id in missing:
                    files = harness_files(reader, harness_id)
                    self._harnesses[harness_id] = Harness.from_files(files)
        return {harness_id: self._harnesses[harness_id] for harness_id in sorted(wanted)}

    @cached_property
    def _harnesses(self) -> dict[str, Harness]:
        return {}

    def name_row(self, environment: str, name: str, harness_id: str) -> HarnessNameRow | None:
        """Row that points a name to a harness; None when it points there already."""
        with self.warehouse.read() as reader:
            in_force = reader.scalar(_IN_FORCE, [environment, name])
            if in_force == harness_id:
                return None
            ordinal = next_ordinal(reader, environment=environment, name=name)
        return HarnessNameRow(
            environment=environment,
            name=name,
            ordinal=ordinal,
            harness_id=harness_id,
            created_at=self.now,
        )

    def land(self, rows: Iterable[Row], stage: str) -> None:
        """Write rows to the landing zone; they count once `commit` has taken them in."""
        self.warehouse.land(rows, stage=stage)

    def commit(self) -> None:
        """Take in what was landed, check it, and publish a snapshot.

        Raises:
            DataContractError: a check of severity `error` failed; nothing was taken in.
        """
        with doing("checking rows"):
            self.warehouse.commit()


def _require_name(environment: str) -> None:
    if not environment:
        what = "every environment has a seed harness of its own"
        raise ConfigError(what, hint="add --environment")


def seed_harness(environment: str) -> Harness:
    """The base harness that ships for an environment; an empty one where none ships."""
    try:
        return Harness.from_files(seed_files(environment)).for_environment(environment)
    except HarnessError as error:
        what = f"`{environment[:60]}` is no name of an environment"
        raise ConfigError(what, hint="lower-case letters, digits and _") from error


def evolved_harness(environment: str) -> Harness:
    """The evolved harness that ships for an environment.

    Raises:
        ConfigError: none ships.
    """
    folders = evolved_folders()
    if environment not in folders:
        what = f"no evolved harness ships for `{environment[:60]}`"
        raise ConfigError(what, hint=f"there are some for {', '.join(folders)}")
    return Harness.load(folders[environment])


def load_harness(folder: str) -> Harness:
    """Read a harness of the user's own and try its rules.

    Raises:
        ConfigError: the folder does not hold a usable harness, or a rule cannot be run.
    """
    if Path(folder).is_dir() and not (Path(folder) / "harness.yaml").exists():
        what = f"the folder {folder} has no harness.yaml"
        raise ConfigError(what, hint="name a harness folder; see docs/harness.md")
    try:
        # What was exported and edited since is a harness of its own, stored under its own id.
        harness = Harness.load(Path(folder), edited=True)
    except HarnessError as error:
        what = f"harness {folder}: {error}"
        raise ConfigError(what, hint="see docs/harness.md") from error
    found = [one for one in asyncio.run(_probe(harness)) if one.is_fatal]
    if found:
        what = f"harness {folder}: {found[0].rule or 'rules'}: {found[0].kind}: {found[0].message}"
        raise ConfigError(what, hint="see docs/harness.md for what a rule may do")
    return harness


async def _probe(harness: Harness) -> list[Finding]:
    async with Sandbox() as sandbox:
        return [
            *await probe("actions", harness.files["actions.py"], sandbox),
            *await probe("regulation", harness.files["regulation.py"], sandbox),
        ]


def first_tasks(tasks: Iterable[Task], limit: int) -> tuple[Task, ...]:
    """The first tasks with families in equal shares; 0 takes all."""
    ordered = tuple(tasks)
    if not limit:
        return ordered
    families: dict[str, list[Task]] = {}
    for task in ordered:
        families.setdefault(task.family, []).append(task)
    rank = {
        task.task_id: position
        for members in families.values()
        for position, task in enumerate(members)
    }
    chosen = sorted(ordered, key=lambda task: (rank[task.task_id], ordered.index(task)))[:limit]
    kept = {task.task_id for task in chosen}
    return tuple(task for task in ordered if task.task_id in kept)
