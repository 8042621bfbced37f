"""The environment that a folder with a `world.toml` is."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from schemas.errors import ConfigError
from schemas.fields import Split
from schemas.ids import canonical_json, make_id, sha256_hex
from schemas.settings import Settings
from tasks.agent.protocols import Environment, Task, ToolSpec
from tasks.agent.sources import source_hash
from tasks.environments.declared.form import PythonWorld, ServiceFile, read_world_file
from tasks.environments.declared.occupancy import Occupancy
from tasks.environments.declared.opening import (
    most_together,
    open_grader,
    open_service,
    refuse_taken,
    require_judgeable,
)
from tasks.environments.declared.service import require_tools
from tasks.environments.declared.task_file import read_tasks
from tasks.environments.declared.verdict import Grader
from tasks.environments.declared.world import Ground, ServiceWorld, finish_tool
from tasks.environments.host import HostedEnvironment
from tasks.environments.host_commands import read_command

LOCK = ".world.lock"
PACKAGE = "tasks.environments.declared"


def open_folder(folder: Path, settings: Settings) -> Environment:
    """Open the world of a folder.

    Raises:
        ConfigError: its file, tasks, document, variables or verdict cannot be used, or its service
            cannot be asked for its tools.
    """
    declared = read_world_file(folder)
    python = settings.python or None
    if isinstance(declared, PythonWorld):
        command = read_command(declared.factory, python)
        named = replace(command, word=str(folder), folder=folder)
        return HostedEnvironment(named)
    return ServiceEnvironment(folder, declared, settings)


class ServiceEnvironment:
    """Implements `Environment` over a service."""

    is_blocking = True

    def __init__(self, folder: Path, declared: ServiceFile, settings: Settings) -> None:
        self.folder, self.declared = folder, declared
        self.name: str = declared.name
        self.system_prompt = declared.system_prompt
        self.step_budget = declared.step_budget
        self.non_progress = declared.non_progress
        self.order_constraints = declared.order_constraints
        self.handover_tools = frozenset(declared.handover_tools)
        self.is_forkable = declared.is_forkable
        posed = read_tasks(folder / declared.tasks, declared.name)
        self._posed = {one.task.task_id: one for one in posed}
        self.service = open_service(folder, declared, settings)
        self._grader: Grader | None = None
        try:
            self._put_together(settings)
        except BaseException:
            self.close()
            raise

    def _put_together(self, settings: Settings) -> None:
        declared, service = self.declared, self.service
        finish = finish_tool(declared.finish_tool)
        known = frozenset(tool.name for tool in service.tools)
        refuse_taken(finish.name, known)
        self.tools: tuple[ToolSpec, ...] = (*service.tools, finish)
        self.terminal_tools = frozenset({finish.name})
        self.write_tools = service.write_tools
        self._require_names(known | {finish.name})
        self._grader, told = open_grader(self.folder, declared, settings)
        self._require_looks()
        self.noise = "; ".join(part for part in (declared.noise, self._grader.noise) if part)
        begins_anew = service.is_apart or not declared.reset.is_none
        self.lasting_tools = frozenset[str]() if begins_anew else self.write_tools
        is_apart = service.is_apart or not self.write_tools
        self.together = most_together(declared, is_apart=is_apart)
        lock = None if is_apart else self.folder / LOCK
        self._ground = Ground(
            name=self.name,
            service=service,
            grader=self._grader,
            finish=finish,
            occupancy=Occupancy(lock),
            look=getattr(declared.verdict, "look", ""),
            is_forkable=self.is_forkable,
        )
        self.fingerprint = self._hash(told)
        self._number = 0

    def _require_names(self, known: frozenset[str]) -> None:
        declared = self.declared
        pairs = tuple(name for pair in declared.order_constraints for name in pair)
        lists = {"order_constraints": pairs, "handover_tools": declared.handover_tools}
        require_tools(lists, known, str(self.folder))
        reads = {"reads": declared.service.reads}
        require_tools(reads, known | self.service.left_out.keys(), str(self.folder))

    def _require_looks(self) -> None:
        """Refuse a verdict that could not be given for some task, before any episode."""
        table = self.declared.verdict
        for place in {str(one.row.get("look") or table.look) for one in self._posed.values()}:
            if place:
                self.service.check_look(place)
        for posed in self._posed.values():
            require_judgeable(table, posed)

    def _hash(self, told: list[str]) -> str:
        """Hash of all that determines an episode; where the service is does not."""
        rows = [one.row for one in self._posed.values()]
        own = self.declared.model_dump(mode="json", exclude={"service", "tasks", "together"})
        tools = [tool.as_openai() for tool in self.tools]
        parts = [own, rows, tools, sorted(self.write_tools), told, source_hash(PACKAGE)]
        return sha256_hex(canonical_json(parts))[:16]

    def tasks(self, split: Split) -> tuple[Task, ...]:
        """Tasks of a split, in the order of the file."""
        return tuple(one.task for one in self._posed.values() if one.task.split == split)

    def start(self, task: Task, seed: int) -> ServiceWorld:
        """Begin an episode."""
        posed = self._posed.get(task.task_id)
        if posed is None:
            what = f"{self.name} has no task {task.task_id!r}"
            raise ConfigError(what, hint="take tasks from `tasks(split)`")
        self._number += 1
        episode = make_id("ep", [task.task_id, seed, os.getpid(), self._number, id(self)])
        return ServiceWorld(self._ground, posed, seed, episode)

    def gold_texts(self) -> tuple[str, ...]:
        """Right answers and expected values: an editor never sees them."""
        rows = [one.row for one in self._posed.values()]
        values = [row[key] for row in rows for key in ("answer", "expected") if key in row]
        return tuple(dict.fromkeys(text for value in values for text in _texts(value)))

    def close(self) -> None:
        """Let go of the service and the verdict."""
        self.service.close()
        if self._grader is not None:
            self._grader.close()

    def __del__(self) -> None:
        if hasattr(self, "_grader"):
            self.close()


def _texts(value: Any) -> list[str]:
    """Texts and numbers inside JSON, as texts."""
    if isinstance(value, Mapping):
        return [text for item in value.values() for text in _texts(item)]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    if value is None or isinstance(value, bool):
        return []
    return [value if isinstance(value, str) else canonical_json(value)]
