"""Tools, splits and names as a world declares them."""

import re
from collections import Counter

import jsonschema
from jsonschema.exceptions import SchemaError

from schemas.fields import Split
from tasks.agent.offers import lasting_tools, noise_of
from tasks.agent.protocols import ToolSpec
from tasks.environments.conformance.inspection import Inspection

SPLITS: tuple[Split, ...] = ("train", "select", "sealed")
LISTS = ("terminal_tools", "write_tools", "handover_tools")
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
SHOWN = 5


def inspect_declarations(inspection: Inspection) -> None:
    """Look at everything that needs no episode."""
    _splits(inspection)
    _tools(inspection)
    _lists(inspection)
    _effects(inspection)


def _splits(inspection: Inspection) -> None:
    environment = inspection.environment
    tasks = {split: environment.tasks(split) for split in SPLITS}
    counts = ", ".join(f"{split} {len(found)}" for split, found in tasks.items())
    missing = [split for split, found in tasks.items() if not found]
    inspection.grade("splits", "partly" if missing else "yes", counts)
    for split in missing:
        hint = "a cycle needs train, select and sealed tasks"
        inspection.find("error", f"there are no {split} tasks", hint)
    _ids(inspection, [task.task_id for found in tasks.values() for task in found])
    first: dict[str, str] = {}
    shared: set[str] = set()
    for split, found in tasks.items():
        for task in found:
            if not task.text.strip():
                inspection.find("error", f"task {task.task_id!r} has no text")
            if first.setdefault(task.text, split) != split:
                shared.add(task.task_id)
    if shared:
        what = (
            f"the texts of {len(shared)} tasks stand in two splits, such as {sorted(shared)[0]!r}"
        )
        inspection.find("info", what, "see that they are other problems under the same words")


def _ids(inspection: Inspection, ids: list[str]) -> None:
    twice = [task_id for task_id, number in Counter(ids).items() if number > 1]
    if twice:
        what = f"{len(twice)} task ids stand in two places, such as {twice[0]!r}"
        inspection.find("error", what, "an id names one task of one split")
    prefix = f"{inspection.environment.name}/"
    other = [task_id for task_id in ids if not task_id.startswith(prefix)]
    if other:
        what = f"{len(other)} task ids do not begin with {prefix!r}, such as {other[0]!r}"
        inspection.find("warning", what, "ids are environment/family/number")


def _tools(inspection: Inspection) -> None:
    wrong = [text for tool in inspection.environment.tools for text in _wrong(tool)]
    names = Counter(tool.name for tool in inspection.environment.tools)
    wrong += [f"two tools are called {name!r}" for name, number in names.items() if number > 1]
    for text in wrong:
        inspection.find("error", text, "see docs/environments.md")
    for tool in inspection.environment.tools:
        if not tool.description.strip():
            what = f"the tool {tool.name!r} has no description"
            inspection.find("warning", what, "a model has to guess what it is for")
    count = len(inspection.environment.tools)
    inspection.grade("tools", "no" if wrong else "yes", f"{count} with JSON Schema")
    left_out = getattr(getattr(inspection.environment, "service", None), "left_out", {})
    for name, why in left_out.items():
        inspection.find("info", f"{name} of the service is no tool here: {why}")


def _wrong(tool: ToolSpec) -> list[str]:
    if not NAME.fullmatch(tool.name):
        return [f"the tool name {tool.name[:80]!r} is refused by most endpoints"]
    if tool.parameters.get("type") != "object":
        return [f"the parameters of {tool.name} are no schema of type object"]
    try:
        jsonschema.Draft202012Validator.check_schema(tool.parameters)
    except SchemaError as error:
        return [f"the parameters of {tool.name} are no JSON Schema: {error.message[:200]}"]
    return []


def _lists(inspection: Inspection) -> None:
    environment = inspection.environment
    known = {tool.name for tool in environment.tools}
    for name in LISTS:
        listed = sorted(getattr(environment, name, None) or ())
        note = ", ".join(listed[:SHOWN]) + (", …" if len(listed) > SHOWN else "")
        inspection.grade(name, "yes" if listed else "none", note)
        for tool in set(listed) - known:
            inspection.find("error", f"`{name}` names {tool!r}, which is no tool")
    pairs = list[tuple[str, str]](getattr(environment, "order_constraints", ()))
    inspection.grade(
        "order_constraints", "yes" if pairs else "none", f"{len(pairs)}" if pairs else ""
    )
    for tool in {name for pair in pairs for name in pair} - known:
        inspection.find("error", f"`order_constraints` names {tool!r}, which is no tool")
    texts = environment.non_progress
    inspection.grade("non_progress", "yes" if texts else "none", "; ".join(texts)[:80])


def _effects(inspection: Inspection) -> None:
    noise, lasting = noise_of(inspection.environment), sorted(lasting_tools(inspection.environment))
    if noise:
        hint = "the gate runs tasks several times and measures the noise floor"
        inspection.find("warning", f"equal episodes may end differently: {noise}", hint)
    if lasting:
        what = f"what {', '.join(lasting[:SHOWN])} do stays after an episode"
        inspection.find("warning", what, "results depend on the order of episodes")


def leave_unplayed(inspection: Inspection) -> None:
    """Grade what would be found by playing: unknown, as a model would have to play the user."""
    why = "a model plays the user, and a check asks none"
    for name in ("reset", "deterministic", "second_process", "verdict_repeats"):
        inspection.grade(name, "unknown", why)
    for name in ("restore", "noop_fails", "gold"):
        inspection.grade(name, "unknown", why)
    hint = "`tackroom collect --model gold`, and `--model noop`, show what they pass"
    inspection.find("info", f"nothing was played: {why}", hint)
