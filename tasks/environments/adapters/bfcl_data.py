"""BFCL multi-turn as its package ships it: entries, gold calls, tool definitions.

Gold calls are text in the package. They are parsed, never evaluated: a call of a known tool whose
arguments are literals.
"""

import ast
import copy
import hashlib
import importlib
import inspect
import json
from functools import cache
from pathlib import Path
from typing import Any

import bfcl_eval
from bfcl_eval.constants.default_prompts import DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC
from bfcl_eval.constants.executable_backend_config import (
    CLASS_FILE_PATH_MAPPING,
    MULTI_TURN_FUNC_DOC_FILE_MAPPING,
    STATELESS_CLASSES,
)

Json = dict[str, Any]
Planned = tuple[str, Json]
"""A gold call: tool and arguments."""
PACKAGE = "bfcl_eval."
DATA = Path(bfcl_eval.__file__).parent / "data"
CATEGORIES = ("base", "miss_func", "miss_param", "long_context")
TYPES = {"dict": "object", "float": "number", "tuple": "array", "any": None}
SHARES = (("train", 0.4), ("select", 0.8), ("sealed", 1.0))


class Entry:
    """One conversation: what the user says turn by turn, what solves each turn, where it begins."""

    def __init__(self, category: str, raw: Json, gold: Json) -> None:
        self.category = category
        self.entry_id = raw["id"]
        self.number = int(raw["id"].rpartition("_")[2])
        self.classes = sorted(raw["involved_classes"])
        self.config = raw["initial_config"]
        self.is_long = category == "long_context"
        self.withheld = {
            name: int(turn)
            for turn, names in raw.get("missed_function", {}).items()
            for name in names
        }
        self.excluded = set(raw.get("excluded_function", ()))
        self.turns = [said(turn) for turn in raw["question"]]
        self.gold = [[parse(call) for call in turn] for turn in gold["ground_truth"]]

    @property
    def is_solvable(self) -> bool:
        """Whether its gold calls use no tool before it is there; in one conversation they do."""
        calls = [(turn, name) for turn, plan in enumerate(self.gold) for name, _ in plan]
        return all(self.withheld.get(name, 0) <= turn for turn, name in calls)

    @property
    def desk(self) -> str:
        """The API most of its calls go to; companions such as messages and maths come second."""
        main = [name for name in self.classes if name in MAIN]
        return (main or self.classes)[0]


MAIN = ("GorillaFileSystem", "TradingBot", "TravelAPI", "VehicleControlAPI")


def said(turn: list[Json]) -> str:
    """What the user says; a turn without words announces tools that were withheld."""
    return "\n".join(m["content"] for m in turn) or DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC


def parse(text: str) -> Planned:
    """A gold call as tool and arguments; positional ones get their names."""
    node = ast.parse(text, mode="eval").body
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        message = f"{text!r} is no call"
        raise TypeError(message)
    name = node.func.id
    positional = [ast.literal_eval(value) for value in node.args]
    given = dict(zip(parameters(name), positional, strict=False))
    given.update({item.arg: ast.literal_eval(item.value) for item in node.keywords})
    return name, given


def parameters(name: str) -> list[str]:
    """Names of the parameters of a tool, in order."""
    return list(tools()[name]["parameters"]["properties"])


@cache
def entries(category: str) -> list[Entry]:
    """Conversations of a category that can be solved, in the package's order."""
    file = f"BFCL_v4_multi_turn_{category}.json"
    raws = lines(DATA / file)
    golds = {gold["id"]: gold for gold in lines(DATA / "possible_answer" / file)}
    found = [Entry(category, raw, golds[raw["id"]]) for raw in raws]
    return [entry for entry in found if entry.is_solvable]


def lines(path: Path) -> list[Json]:
    """JSON values of a file, one a line."""
    with path.open(encoding="utf-8") as stream:
        return [json.loads(line) for line in stream if line.strip()]


@cache
def tools() -> dict[str, Json]:
    """Definitions of all tools by name; `owner` is their class."""
    found = {}
    for owner in sorted(CLASS_FILE_PATH_MAPPING):
        if owner.startswith(("Memory", "WebSearch")):
            continue
        for raw in lines(DATA / "multi_turn_func_doc" / MULTI_TURN_FUNC_DOC_FILE_MAPPING[owner]):
            found[raw["name"]] = {
                "name": raw["name"],
                "description": raw["description"],
                "parameters": {**schema(raw["parameters"]), "additionalProperties": False},
                "owner": owner,
            }
    return found


def schema(raw: Json) -> Json:
    """A definition of the package as JSON Schema."""
    told = {key: raw[key] for key in ("description", "enum", "default") if key in raw}
    kind = TYPES.get(raw.get("type"), raw.get("type"))
    if kind:
        told["type"] = kind
    if kind == "object":
        told["properties"] = {name: schema(one) for name, one in raw.get("properties", {}).items()}
        told["required"] = list(raw.get("required", ()))
    if isinstance(raw.get("items"), dict):
        told["items"] = schema(raw["items"])
    return told


def desks(entry: Entry) -> dict[str, Any]:
    """New instances of the classes of a conversation, in its first state."""
    made = {}
    for name in entry.classes:
        made[name] = getattr(importlib.import_module(CLASS_FILE_PATH_MAPPING[name]), name)()
        if name not in STATELESS_CLASSES:
            scenario = json.loads(json.dumps(entry.config.get(name, {})))
            made[name]._load_scenario(scenario, long_context=entry.is_long)
    return made


def perform(made: dict[str, Any], name: str, arguments: Json) -> tuple[str, bool]:
    """Call a tool as the package does; gives its result as text and whether it failed.

    Tools keep the lists they are given and change them later, so they get copies.
    """
    method = getattr(made[tools()[name]["owner"]], name)
    arguments = copy.deepcopy(arguments)
    try:
        inspect.signature(method).bind(**arguments)
        result = method(**arguments)
    except Exception as error:
        return f"Error during execution: {error}", True
    if isinstance(result, str):
        return result, False
    failed = isinstance(result, dict) and "error" in result
    if isinstance(result, dict):
        try:
            return json.dumps(result), failed
        except (TypeError, ValueError):
            pass
    return str(result), failed


def split_of(entry: Entry) -> str:
    """By the number in the id, as the categories share scenarios: 40/40/20 within a desk."""
    return splits()[entry.number]


@cache
def splits() -> dict[int, str]:
    """Split of each number."""
    found: dict[int, str] = {}
    by_desk: dict[str, list[int]] = {}
    for entry in entries("base"):
        by_desk.setdefault(entry.desk, []).append(entry.number)
    for numbers in by_desk.values():
        ranked = sorted(numbers, key=lambda n: hashlib.sha256(str(n).encode()).hexdigest())
        start = 0
        for split, edge in SHARES:
            end = round(edge * len(ranked))
            found.update(dict.fromkeys(ranked[start:end], split))
            start = end
    return found
