"""Reads what a user's environment says of itself: loose JSON becomes the protocol's values."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NoReturn, get_args

from schemas.errors import ConfigError, EnvironmentFault
from schemas.fields import Split
from schemas.ids import sha256_hex
from schemas.text import clean_text
from tasks.agent.protocols import ActResult, Call, Ending, JsonObject, Task, ToolSpec, Verdict

STEP_BUDGET = 30
OPTIONS = ("order_constraints", "write_tools", "handover_tools", "talk_tools")
_SHARES: tuple[tuple[Split, float], ...] = (("train", 0.4), ("select", 0.4), ("sealed", 0.2))
_ENDINGS = get_args(Ending)
_ROLES = ("system", "user", "assistant")
_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True)
class Described:
    """An environment as its child describes it."""

    name: str
    fingerprint: str
    tools: tuple[ToolSpec, ...]
    tasks: tuple[Task, ...]
    system_prompt: str = ""
    step_budget: int = STEP_BUDGET
    terminal_tools: frozenset[str] = frozenset()
    non_progress: tuple[str, ...] = ()
    is_forkable: bool = False
    has_expert: bool = False
    has_user: bool = False
    gold_texts: tuple[str, ...] | None = None
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])


class _Reader:
    """Reads fields and words what is wrong with them."""

    def __init__(self, word: str, raw: JsonObject) -> None:
        self.word, self.raw = word, raw

    def fail(self, what: str, hint: str = "see docs/environments.md") -> NoReturn:
        message = f"environment `{self.word}`: {what}"
        raise ConfigError(message, hint=hint)

    def text(self, key: str, default: str | None = None) -> str:
        value = self.raw.get(key)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            self.fail(f"`{key}` must be a text")
        return clean_text(value)

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.raw.get(key)
        items = [] if value is None else value
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            self.fail(f"`{key}` must be a list of texts")
        return tuple(clean_text(item) for item in items)

    def count(self, key: str, default: int) -> int:
        value = self.raw.get(key)
        if value is None:
            return default
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            self.fail(f"`{key}` must be a number from 1")
        return value


def read_description(word: str, raw: Any) -> Described:
    """Check a description.

    Raises:
        ConfigError: a part is missing or has the wrong form.
    """
    reader = _Reader(word, raw if isinstance(raw, dict) else {})
    name = reader.text("name")
    if not _NAME.fullmatch(name):
        reader.fail(f"it calls itself {name!r}", "a name matches [a-z][a-z0-9_]*")
    tools = _tools(reader)
    tasks = _tasks(reader, name, frozenset(tool.name for tool in tools))
    gold = reader.raw.get("gold_texts")
    return Described(
        name=name,
        fingerprint=reader.text("fingerprint", _fingerprint(reader.raw)),
        tools=tools,
        tasks=tasks,
        system_prompt=reader.text("system_prompt", ""),
        step_budget=reader.count("step_budget", STEP_BUDGET),
        terminal_tools=frozenset(reader.texts("terminal_tools")),
        non_progress=reader.texts("non_progress"),
        is_forkable=reader.raw.get("is_forkable") is True,
        has_expert=reader.raw.get("has_expert") is True,
        has_user=reader.raw.get("has_user") is True,
        gold_texts=None if gold is None else reader.texts("gold_texts"),
        options=_options(reader),
    )


def _options(reader: _Reader) -> dict[str, Any]:
    """Attributes that the environment has only if the user's has them."""
    found = {key: _frozen(reader.raw[key]) for key in OPTIONS if key in reader.raw}
    if reader.raw.get("noise") is not None:
        found["noise"] = reader.text("noise")
    if reader.raw.get("together") is not None:
        found["together"] = reader.count("together", 1)
    return found


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


def _fingerprint(raw: JsonObject) -> str:
    """Hash of the module's source, the tools and the tasks, for who gives none."""
    parts = [raw.get(key) for key in ("source", "tools", "tasks", "system_prompt")]
    return sha256_hex(json.dumps(parts, sort_keys=True))[:16]


def _tools(reader: _Reader) -> tuple[ToolSpec, ...]:
    items = reader.raw.get("tools")
    if not isinstance(items, list) or not items:
        reader.fail("`tools` must be a list of at least one tool")
    return tuple(_tool(reader, item) for item in items)


def _tool(reader: _Reader, item: Any) -> ToolSpec:
    inner = item.get("function", item) if isinstance(item, dict) else {}
    name = inner.get("name") if isinstance(inner, dict) else None
    if not isinstance(name, str) or not name:
        reader.fail("a tool needs a `name`")
    description = inner.get("description") or ""
    parameters = inner.get("parameters") or {"type": "object", "properties": {}}
    if not isinstance(description, str) or not isinstance(parameters, dict):
        what = f"tool {name!r} needs a text `description` and a JSON Schema `parameters`"
        reader.fail(what)
    return ToolSpec(name, description, parameters)


def _tasks(reader: _Reader, name: str, tools: frozenset[str]) -> tuple[Task, ...]:
    items = reader.raw.get("tasks")
    if not isinstance(items, list) or not items:
        reader.fail("it lists no tasks")
    read = [_task(reader, name, tools, item) for item in items]
    counts = Counter(task.task_id for task, _ in read)
    twice = next((task_id for task_id, count in counts.items() if count > 1), None)
    if twice is not None:
        reader.fail(f"task {twice!r} is listed twice")
    drawn = draw_splits([task for task, is_open in read if is_open])
    return tuple(replace(task, split=drawn.get(task.task_id, task.split)) for task, _ in read)


def _task(reader: _Reader, name: str, tools: frozenset[str], item: Any) -> tuple[Task, bool]:
    """A task, and whether its split is still to be drawn."""
    values = item if isinstance(item, dict) else {}
    task_id, text = values.get("task_id"), values.get("text")
    if not isinstance(task_id, str) or not task_id or not isinstance(text, str):
        reader.fail("a task needs the texts `task_id` and `text`")
    parts = task_id.split("/")
    family = clean_text(str(values.get("family") or (parts[1] if len(parts) > 2 else "all")))
    given = values.get("split")
    split: Split | None = next((known for known, _ in _SHARES if known == given), None)
    if given is not None and split is None:
        reader.fail(f"task {task_id!r} has the split {given!r}")
    task = Task(
        clean_text(task_id),
        name,
        family,
        split or "train",
        clean_text(text),
        tools=_offered(reader, task_id, tools, values.get("tools")),
    )
    return task, split is None


def _offered(reader: _Reader, task_id: str, tools: frozenset[str], given: Any) -> tuple[str, ...]:
    """Tools of the environment that a task offers; empty for all of them."""
    names = [] if given is None else given
    if not isinstance(names, list) or not all(name in tools for name in map(str, names)):
        reader.fail(f"`tools` of task {task_id!r} must be a list of names of its tools")
    return tuple(names)


def draw_splits(tasks: Sequence[Task]) -> dict[str, Split]:
    """Splits of tasks that have none: by the hash of their id, 40/40/20 within their family."""
    chosen: dict[str, Split] = {}
    for family in sorted({task.family for task in tasks}):
        ids = (task.task_id for task in tasks if task.family == family)
        ranked = sorted(ids, key=sha256_hex)
        edge = 0.0
        for split, share in _SHARES:
            start, edge = round(edge * len(ranked)), edge + share
            chosen |= dict.fromkeys(ranked[start : round(edge * len(ranked))], split)
    return chosen


def read_act_result(raw: Any) -> ActResult:
    """A result as a text or as an object.

    Raises:
        EnvironmentFault: it is neither.
    """
    if isinstance(raw, str):
        return ActResult(raw)
    if not isinstance(raw, dict) or not isinstance(raw.get("observation"), str):
        what = "`act` must give a text or an object with `observation`"
        raise EnvironmentFault(what, hint="see docs/environments.md")
    kind, ended_as = raw.get("error_kind"), raw.get("ended_as") or "finished"
    if ended_as not in _ENDINGS:
        what = f"`ended_as` was {str(ended_as)[:80]!r}; expected one of {', '.join(_ENDINGS)}"
        raise EnvironmentFault(what, hint="see docs/environments.md")
    return ActResult(
        raw["observation"],
        is_error=bool(raw.get("is_error")),
        error_kind=None if kind is None else str(kind),
        done=bool(raw.get("done")),
        ended_as=ended_as,
    )


def read_turn(raw: Any) -> list[JsonObject] | None:
    """What a user has been told and has said, in chat form; null while it is not their turn.

    Raises:
        EnvironmentFault: it is neither.
    """
    if raw is None:
        return None
    messages = raw if isinstance(raw, list) else []
    if not messages or not all(map(_is_message, messages)):
        what = "`user_turn` must give None or a list of messages with `role` and `content`"
        raise EnvironmentFault(what, hint=f"roles are {', '.join(_ROLES)}")
    return [{"role": one["role"], "content": clean_text(one["content"])} for one in messages]


def _is_message(value: Any) -> bool:
    is_object = isinstance(value, dict) and isinstance(value.get("content"), str)
    return is_object and value.get("role") in _ROLES


def read_admissible(raw: Any) -> tuple[str, ...] | None:
    """Commands, or null for a world that lists none."""
    if raw is None:
        return None
    if not isinstance(raw, list) or not all(isinstance(item, str) for item in raw):
        what = "`admissible` must give a list of texts or None"
        raise EnvironmentFault(what, hint="see docs/environments.md")
    return tuple(raw)


def read_verdict(raw: Any) -> Verdict:
    """A verdict as truth value, reward or object.

    Raises:
        EnvironmentFault: it is none of these.
    """
    parts = raw if isinstance(raw, dict) else {}
    reward = parts.get("reward") if parts else raw
    outcome = parts.get("outcome")
    if reward is None and outcome in ("success", "failure"):
        reward = float(outcome == "success")
    if not isinstance(reward, bool | int | float):
        what = "`verdict` must give True, False, a reward or an object with `reward`"
        raise EnvironmentFault(what, hint="see docs/environments.md")
    judged: Literal["success", "failure"] = "success" if float(reward) >= 1.0 else "failure"
    if outcome is not None and outcome not in ("success", "failure"):
        what = f"`verdict` gave the outcome {outcome!r}"
        raise EnvironmentFault(what, hint="see docs/environments.md")
    rest = parts.get("parts")
    return Verdict(outcome or judged, float(reward), rest if isinstance(rest, dict) else {})


def read_call(raw: Any) -> Call:
    """A call as an object with tool and arguments.

    Raises:
        EnvironmentFault: it is none.
    """
    values = raw if isinstance(raw, dict) else {}
    tool, arguments = values.get("tool"), values.get("arguments", {})
    if not isinstance(tool, str) or not isinstance(arguments, dict):
        what = "`expert_call` must give a call with `tool` and `arguments`"
        raise EnvironmentFault(what, hint="see docs/environments.md")
    return Call(tool, arguments)
