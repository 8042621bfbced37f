"""tau2-bench results: one object with `simulations`, or a folder of them (formats.md 2.2)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tasks.importers.container import Element, Outline, every, whole
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import (
    Drafted,
    DraftEpisode,
    DraftMessage,
    Note,
    Redacts,
    Refusal,
    Source,
)
from tasks.importers.elements import read_element, read_elements
from tasks.importers.names import UNKNOWN, clean_name
from tasks.importers.reading import (
    JsonObject,
    Unreadable,
    as_count,
    as_list,
    as_name,
    as_number,
    as_object,
    as_text,
    drop_nulls,
    require_list,
    require_object,
)
from tasks.importers.tau2_messages import read_message
from tasks.importers.tau2_tasks import (
    TaskBook,
    contradicts,
    family_of,
    scenario_text,
    task_definition,
    task_parts,
)
from tasks.importers.tau2_verdict import judge
from tasks.importers.tau_domain import domain_of_content

LIST = "simulations"
RESULTS = "results.json"


@dataclass(frozen=True)
class RunHead:
    """What a file says once about all of its simulations."""

    info: JsonObject
    tasks: TaskBook
    pairs_by_index: bool = False

    @property
    def domain(self) -> str | None:
        """Domain as the file names it."""
        return as_name(as_object(self.info.get("environment_info")).get("domain_name"))


def _count_elements(source: Source) -> int:
    return sum(1 for _ in every(source.path, source.outline))


def _read_head(source: Source, redactor: Redacts) -> RunHead:
    members = as_object(redactor.value(source.outline.members))
    tasks = TaskBook.of(members.get("tasks"))
    wanted = source.options.pair_tasks_by_index and len(tasks.in_order) > 0
    paired = wanted and len(tasks.in_order) == _count_elements(source)
    return RunHead(as_object(members.get("info")), tasks, paired)


def _read_messages(simulation: JsonObject) -> tuple[DraftMessage, ...]:
    if simulation.get("messages") is None and simulation.get("ticks"):
        ticks = len(as_list(simulation.get("ticks")))
        message = f"a voice run of {ticks} ticks without messages; only text runs can be read"
        raise Unreadable(message)
    items = require_list(simulation.get("messages"), "`messages`")
    return tuple(read for at, item in enumerate(items) for read in read_message(item, at))


def _find_task(
    simulation: JsonObject, index: int, head: RunHead
) -> tuple[str | None, JsonObject | None, bool]:
    """Id, definition and whether the checks contradict it."""
    task_id = as_name(simulation.get("task_id"))
    task = head.tasks.by_id.get(task_id) if task_id is not None else None
    if task_id is None and head.pairs_by_index and index < len(head.tasks.in_order):
        task = head.tasks.in_order[index]
        task_id = as_name(task.get("id"))
    graded = as_object(simulation.get("reward_info"))
    if task is not None and contradicts(task, graded):
        return task_id, None, True
    return task_id, task, False


def _identity(simulation: JsonObject) -> JsonValue:
    """Native id, seed, trial and what was said; verdicts and clocks are left out."""
    kept = ("role", "content", "tool_calls", "id", "requestor", "tool_messages")
    messages = [
        {key: message.get(key) for key in kept}
        for message in map(as_object, as_list(simulation.get("messages")))
    ]
    named = {key: simulation.get(key) for key in ("id", "trial", "seed")}
    return drop_nulls({**named, "messages": messages})


def _domain(head: RunHead, policy: str, messages: tuple[DraftMessage, ...]) -> str:
    if head.domain:
        return clean_name(head.domain)
    tools = {call.tool for m in messages for call in m.calls if call.requestor == "assistant"}
    return domain_of_content(policy, tools) or UNKNOWN


def _lost(
    messages: tuple[DraftMessage, ...], head: RunHead, simulation: JsonObject
) -> tuple[str, ...]:
    calls = [call for m in messages for call in m.calls if call.requestor == "assistant"]
    agent = [message for message in messages if message.role == "assistant"]
    checks = (
        ("arguments_raw", any(call.raw is None for call in calls)),
        ("seed", simulation.get("seed") is None),
        ("system_prompt_exact", True),
        ("termination", not simulation.get("termination_reason")),
        ("tokens", all(message.prompt_tokens is None for message in agent)),
        ("tools", not _tools(head)),
    )
    return tuple(kind for kind, is_lost in checks if is_lost)


def _tools(head: RunHead) -> JsonValue:
    tools = as_object(head.info.get("environment_info")).get("tool_defs")
    return tools if isinstance(tools, list | dict) and tools else None


def _limits(head: RunHead) -> JsonValue:
    limits = {key: as_count(head.info.get(key)) for key in ("max_steps", "max_errors")}
    return drop_nulls(limits) or None


def _read_simulation(element: Element, head: RunHead, source: Source) -> DraftEpisode:
    simulation = require_object(element.value, "the simulation")
    messages = _read_messages(simulation)
    environment = as_object(head.info.get("environment_info"))
    policy = as_text(simulation.get("policy")) or as_text(environment.get("policy")) or ""
    domain = _domain(head, policy, messages)
    task_id, task, is_disputed = _find_task(simulation, element.index, head)
    parts = task_parts(task, as_object(simulation.get("reward_info")))
    parts |= {"limits": _limits(head), "task_disputed": True if is_disputed else None}
    agent = as_object(head.info.get("agent_info"))
    model = as_text(agent.get("llm"))
    seed = as_count(simulation.get("seed"))
    return DraftEpisode(
        index=element.index,
        place=element.place,
        environment=f"tau2_{domain}",
        family=family_of(task_id, "task" if domain == UNKNOWN else domain),
        native_task=task_id,
        task_text=scenario_text(task) if task else "",
        task_definition=task_definition(task),
        identity=_identity(simulation),
        verdict=judge(simulation, messages, parts),
        messages=messages,
        format_version=as_text(head.info.get("git_commit")) or "",
        model=model or source.options.model or "unknown",
        model_settings=drop_nulls(agent) if model else None,
        is_model_sourced=model is not None,
        seed=seed if seed is not None else 0,
        repeat=as_count(simulation.get("trial")) or 0,
        cost_usd=as_number(simulation.get("agent_cost")),
        system_text=policy or None,
        task_prompt=next((m.text for m in messages if m.role == "user" and m.text), None),
        tools=_tools(head),
        lost=_lost(messages, head, simulation),
        native_id=as_name(simulation.get("id")),
        raw=simulation,
        replaced=element.replaced,
    )


def _has_marks(value: JsonValue) -> bool:
    if not isinstance(value, dict) or "traj" in value:
        return False
    is_run = "messages" in value or "ticks" in value
    return is_run and ("reward_info" in value or "termination_reason" in value)


class Tau2Reader:
    """Reads tau2-bench results in both layouts."""

    name = "tau2-bench"
    describes = "tau2-bench results (object with `simulations`, or its folder with results.json)"
    spreads: tuple[str, ...] = (LIST,)

    def recognises(self, outline: Outline) -> bool:
        """An object with `simulations` or `info.environment_info`, or a simulation by itself."""
        info = as_object(as_object(outline.members.get("info")))
        if outline.spread == LIST or "environment_info" in info or LIST in outline.members:
            return True
        return _has_marks(outline.members) or any(map(_has_marks, outline.samples))

    def read(self, source: Source, redactor: Redacts) -> Iterator[Drafted]:
        """Yield simulations and refusals, and notes on tasks that do not fit."""
        head = _read_head(source, redactor)
        if source.options.pair_tasks_by_index and head.tasks.in_order and not head.pairs_by_index:
            yield Note("tasks were not paired by position: there are not as many as simulations")
        disputed = 0
        for drafted in self._drafts(source, head, redactor):
            if isinstance(drafted, DraftEpisode):
                disputed += bool(drafted.verdict.parts.get("task_disputed"))
            yield drafted
        if disputed:
            yield Note(
                f"{disputed} simulations carry the checks of another task than the one they name; "
                "their expected calls come from the checks, the task's text is left out"
            )

    def _drafts(self, source: Source, head: RunHead, redactor: Redacts) -> Iterator[Drafted]:
        is_folder = source.outline.kind == "object" and source.outline.spread is None
        if is_folder and not _has_marks(source.outline.members):
            yield from _read_folder(source, head, redactor)
            return
        if is_folder:
            head = _head_beside(source, head, redactor)
        found = every(source.path, source.outline)
        yield from read_elements(found, redactor, lambda e: _read_simulation(e, head, source))


def _head_beside(source: Source, head: RunHead, redactor: Redacts) -> RunHead:
    """Head of the folder that a lone simulation file stands in, when there is one."""
    results = source.path.parent.parent / RESULTS
    if source.path.parent.name != LIST or head.info or not results.is_file():
        return head
    element = whole(results)
    members = as_object(redactor.value(element.value))
    return RunHead(as_object(members.get("info")), TaskBook.of(members.get("tasks")))


def _listed_files(source: Source) -> list[str]:
    """Simulation files that results.json lists, in its order."""
    listed = source.outline.members.get("simulation_index")
    if isinstance(listed, dict):
        return [str(key) for key in listed]
    names = [as_name(as_object(item).get("id")) or as_name(item) for item in as_list(listed)]
    return [name for name in names if name]


def _read_folder(source: Source, head: RunHead, redactor: Redacts) -> Iterator[Drafted]:
    folder = source.path.parent / LIST
    present = {path.stem: path for path in sorted(folder.glob("*.json"))} if folder.is_dir() else {}
    listed = _listed_files(source)
    names = [*dict.fromkeys(Path(name).stem if name.endswith(".json") else name for name in listed)]
    names += [name for name in present if name not in set(names)]
    if not names:
        reason = f"it holds no `{LIST}`, and no folder `{LIST}` stands beside it"
        yield Refusal(0, "the whole file", source.outline.problem or reason)
    for index, name in enumerate(names):
        path, shown = present.get(name), f"{LIST}/{name}.json"
        if path is None:
            yield Refusal(index, shown, "listed in results.json, but the file is missing")
            continue
        drafted = _read_file(path, index, head, source, redactor)
        yield replace(drafted, place=shown, source_file=path.name)


def _read_file(
    path: Path, index: int, head: RunHead, source: Source, redactor: Redacts
) -> DraftEpisode | Refusal:
    try:
        element = replace(whole(path), index=index)
    except OSError as error:
        return Refusal(index, path.name, f"cannot be read: {error.strerror or error}")
    return read_element(element, redactor, lambda e: _read_simulation(e, head, source))
