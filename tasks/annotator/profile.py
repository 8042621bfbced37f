"""What rules must know of an environment: tools, which of them write or end, what is idle.

A profile is derived, never looked up by name: from what an environment declares, or from imported
episodes (tool definitions, names, observed behaviour). `declared.py` adds what is published about
a few imported environments.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from schemas.episode import Episode
from schemas.trajectories import ToolCallRow
from tasks.agent.offers import talk_tools
from tasks.agent.protocols import Environment, JsonObject
from tasks.annotator.canonical import TEXT_CAP
from tasks.annotator.records import Records
from tasks.annotator.tool_definitions import (
    as_tools,
    asks_for_consent,
    function_of,
    guess_role,
    single_text_arguments,
    statement_arguments,
    tool_name,
)


@dataclass(frozen=True)
class OrderConstraint:
    """`tool` may be used only after `requires` succeeded; names may carry a verb (`tool:verb`)."""

    tool: str
    requires: str
    family: str | None = None


@dataclass(frozen=True)
class Precondition:
    """What a policy states about a write; `check` names the broken condition, else None."""

    tool: str
    check: Callable[[Mapping[str, Any], Records], str | None]


@dataclass(frozen=True)
class EnvironmentProfile:
    """What rules know of one environment; empty fields mean that nothing is known."""

    environment: str
    tools: tuple[JsonObject, ...] = ()
    is_tools_known: bool = False
    terminal_tools: frozenset[str] = frozenset()
    handover_tools: frozenset[str] = frozenset()
    write_tools: frozenset[str] = frozenset()
    read_tools: frozenset[str] = frozenset()
    talk_tools: frozenset[str] = frozenset()
    non_progress: tuple[str, ...] = ()
    order: tuple[OrderConstraint, ...] = ()
    sql_arguments: Mapping[str, str] = field(default_factory=dict[str, str])
    command_arguments: Mapping[str, str] = field(default_factory=dict[str, str])
    is_consent_required: bool = False
    preconditions: tuple[Precondition, ...] = ()
    name_text: str = ""
    """Texts that name identifiers beside task and observations: tool descriptions, system text."""
    observed_tools: frozenset[str] = frozenset()
    """Tools that were seen to work, where a source has no definitions."""

    @cached_property
    def tool_names(self) -> frozenset[str]:
        """Names of all known tools, defined or seen to work."""
        return frozenset(self._schemas) | self.observed_tools

    @cached_property
    def _schemas(self) -> dict[str, JsonObject]:
        found: dict[str, JsonObject] = {}
        for entry in self.tools:
            schema = function_of(entry).get("parameters")
            found.setdefault(tool_name(entry), schema if isinstance(schema, dict) else {})
        return {name: schema for name, schema in found.items() if name}

    def parameters(self, tool: str) -> JsonObject | None:
        """JSON Schema of a tool's arguments; None when it is unknown."""
        return self._schemas.get(tool)

    def violation(self, tool: str, arguments: Mapping[str, Any], records: Records) -> str | None:
        """The stated precondition that a call breaks; None when it breaks none that is known."""
        for condition in self.preconditions:
            reason = condition.check(arguments, records) if condition.tool == tool else None
            if reason is not None:
                return reason
        return None

    def is_write(self, tool: str) -> bool:
        """Whether a tool changes the world."""
        return tool in self.write_tools


def _command_arguments(episodes: Iterable[Episode]) -> dict[str, str]:
    """Tools that take one text argument in an environment that lists admissible commands."""
    found: dict[str, str] = {}
    for episode in episodes:
        listed = {step.step_index for step in episode.steps if step.admissible}
        for call in episode.calls:
            if call.step_index not in listed or not call.arguments or call.tool in found:
                continue
            try:
                arguments = json.loads(call.arguments)
            except (ValueError, RecursionError):
                continue
            if isinstance(arguments, dict) and len(arguments) == 1:
                found[call.tool] = next(iter(arguments))
    return found


def _declared_order(environment: object) -> tuple[OrderConstraint, ...]:
    pairs = getattr(environment, "order_constraints", ())
    return tuple(OrderConstraint(tool=after, requires=before) for before, after in pairs)


def profile_of_environment(environment: Environment) -> EnvironmentProfile:
    """Derive a profile from what an environment declares.

    Optional attributes are read when there are any: `order_constraints` (pairs of before and
    after), `write_tools`, `handover_tools`, `talk_tools`. Where commands are listed, a tool that
    reads by its name, such as a search, takes free text and no command.
    """
    tools = tuple(tool.as_openai() for tool in environment.tools)
    profile = _from_tools(environment.name, tools, environment.system_prompt)
    sql = profile.sql_arguments
    texts = {n: a for n, a in single_text_arguments(tools).items() if n not in sql}
    no_commands = environment.terminal_tools | profile.read_tools
    lone_text = {n: a for n, a in texts.items() if n not in no_commands}
    declared_writes = frozenset(getattr(environment, "write_tools", ()))
    return replace(
        profile,
        terminal_tools=frozenset(environment.terminal_tools),
        non_progress=tuple(environment.non_progress),
        order=_declared_order(environment),
        write_tools=declared_writes or profile.write_tools - environment.terminal_tools,
        handover_tools=frozenset(getattr(environment, "handover_tools", profile.handover_tools)),
        talk_tools=talk_tools(environment),
        command_arguments=lone_text if len(tools) <= 2 and not environment.terminal_tools else {},
    )


def _from_tools(
    environment: str, tools: tuple[JsonObject, ...], system_text: str, names: Iterable[str] = ()
) -> EnvironmentProfile:
    all_names = {name for name in (*map(tool_name, tools), *names) if name}
    roles = {name: guess_role(name) for name in all_names}

    def having(role: str) -> frozenset[str]:
        return frozenset(name for name, found in roles.items() if found == role)

    described = " ".join(str(function_of(entry).get("description", "")) for entry in tools)
    return EnvironmentProfile(
        environment=environment,
        tools=tools,
        is_tools_known=bool(tools),
        handover_tools=having("handover"),
        write_tools=having("write"),
        read_tools=having("read"),
        sql_arguments=statement_arguments(tools),
        is_consent_required=asks_for_consent(system_text),
        name_text=f"{described[:TEXT_CAP]}\n{system_text[:TEXT_CAP]}",
    )


def profile_of_episodes(environment: str, episodes: Sequence[Episode]) -> EnvironmentProfile:
    """Derive a profile from imported episodes of one environment.

    Tool definitions count when a source has them; tools that were only seen in use extend the
    names by which writing, reading and handing over are guessed, but no schema is invented.
    """
    tools: dict[str, JsonObject] = {}
    system_text = ""
    called: set[str] = set()
    for episode in episodes:
        system_text = system_text or episode.prompt_text(episode.trajectory.system_prompt_id)
        called.update(
            call.tool for call in episode.calls if call.requestor == "assistant" and call.tool
        )
        for entry in _defined_tools(episode):
            tools.setdefault(tool_name(entry), entry)
    ordered = tuple(tools[name] for name in sorted(tools))
    known = {call.tool for e in episodes for call in e.calls if _is_known_tool(call)}
    profile = _from_tools(environment, ordered, system_text, called & known)
    observed = frozenset(called & known)
    commands = _command_arguments(episodes)
    return replace(profile, command_arguments=commands, observed_tools=observed)


def _is_known_tool(call: ToolCallRow) -> bool:
    return not call.is_error and call.executed is not False


def _defined_tools(episode: Episode) -> tuple[JsonObject, ...]:
    text = episode.prompt_text(episode.trajectory.tools_prompt_id)
    if not text:
        return ()
    try:
        return as_tools(json.loads(text))
    except (ValueError, RecursionError):
        return ()
