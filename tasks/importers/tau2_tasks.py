"""Tasks of a tau2 file, and whether a simulation was really made on the task it names."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from schemas.ids import canonical_json
from tasks.importers.decoding import JsonValue
from tasks.importers.reading import (
    JsonObject,
    as_list,
    as_name,
    as_object,
    as_text,
    drop_nulls,
)

_GROUP = re.compile(r"^\[([A-Za-z0-9_ -]{1,60})\]")
_SCENARIO_KEYS = ("reason_for_call", "known_info", "unknown_info", "task_instructions")


@dataclass(frozen=True)
class TaskBook:
    """Tasks of a file by id, and in order for pairing by position."""

    by_id: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    in_order: Sequence[JsonObject] = ()

    @classmethod
    def of(cls, value: JsonValue) -> "TaskBook":
        """Read the `tasks` list of a file."""
        tasks = [item for item in as_list(value) if isinstance(item, dict)]
        named = {name: task for task in tasks if (name := as_name(task.get("id"))) is not None}
        return cls(named, tasks)


def family_of(task_id: str | None, domain: str) -> str:
    """Family of a task: the group that telecom ids begin with, else the domain."""
    found = _GROUP.match(task_id or "")
    return re.sub(r"[^a-z0-9]+", "_", found.group(1).lower()).strip("_") if found else domain


def scenario_text(task: JsonObject) -> str:
    """The brief of the simulated user, and the ticket of tasks that are given to the agent."""
    scenario = as_object(task.get("user_scenario"))
    instructions = scenario.get("instructions")
    texts = [as_text(scenario.get("persona")), as_text(instructions)]
    texts += [as_text(as_object(instructions).get(key)) for key in _SCENARIO_KEYS]
    return "\n\n".join(text.strip() for text in (*texts, as_text(task.get("ticket"))) if text)


def _criteria(task: JsonObject) -> JsonObject:
    return as_object(task.get("evaluation_criteria"))


def _action(value: JsonValue) -> JsonObject | None:
    action = as_object(value)
    name = as_text(action.get("name")) or as_text(action.get("func_name"))
    if name is None:
        return None
    requestor = "user" if action.get("requestor") == "user" else "assistant"
    return {"name": name, "arguments": as_object(action.get("arguments")), "requestor": requestor}


def _actions(values: Sequence[JsonValue]) -> list[JsonObject]:
    return [action for action in map(_action, values) if action is not None]


def _checked(graded: JsonObject, key: str, inner: str) -> list[JsonValue]:
    return [as_object(item).get(inner) for item in as_list(graded.get(key))]


def contradicts(task: JsonObject, graded: JsonObject) -> bool:
    """Whether the checks of a simulation belong to another task than the one it names.

    Expected calls are copied into the checks, so they must be equal. Assertions in words pass
    through a judge that mends typing errors; only lists without a common member count.
    """
    criteria = _criteria(task)
    expected = _actions(as_list(criteria.get("actions")))
    checked = _actions(_checked(graded, "action_checks", "action"))
    if checked and canonical_json(expected) != canonical_json(checked):
        return True
    worded = (("nl_assertions", "nl_assertions", "nl_assertion"),)
    worded += (("communicate_info", "communicate_checks", "info"),)
    return any(
        _are_apart(as_list(criteria.get(key)), _checked(graded, checks, inner))
        for key, checks, inner in worded
    )


def _are_apart(expected: Sequence[JsonValue], checked: Sequence[JsonValue]) -> bool:
    ours, theirs = (
        {" ".join(str(item).split()).lower() for item in side} for side in (expected, checked)
    )
    return bool(ours) and bool(theirs) and not ours & theirs


def task_parts(task: JsonObject | None, graded: JsonObject) -> dict[str, JsonValue]:
    """Expected calls and texts: of the task, else of the checks that were made."""
    if task is not None:
        criteria = _criteria(task)
        return {
            "instruction": scenario_text(task) or None,
            "expected_actions": _actions(as_list(criteria.get("actions"))),
            "outputs": as_list(criteria.get("communicate_info")),
        }
    if graded.get("action_checks") is None:
        return {}
    return {"expected_actions": _actions(_checked(graded, "action_checks", "action"))}


def task_definition(task: JsonObject | None) -> JsonValue:
    """What of a task changes verdicts: scenario, start and criteria; its description does not."""
    if task is None:
        return None
    keys = ("user_scenario", "ticket", "initial_state", "evaluation_criteria")
    return drop_nulls({key: task.get(key) for key in keys})
