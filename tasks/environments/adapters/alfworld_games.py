"""ALFWorld's text games over the user's own data, played by the package's own engine."""

import json
import os
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import textworld
from calls import Json, compact, own_tool, refusal
from fingerprints import fingerprint_of
from own_files import WrongData, digest, own_path, read_json
from splits import interleaved, ranked_by_hash

os.environ.setdefault("ALFWORLD_DATA", str(own_path()))

from alfworld.agents.environment.alfred_tw_env import TASK_TYPES, AlfredDemangler

MODULES = ("alfworld_games", "calls", "own_files", "splits")
GAME = "game.tw-pddl"
SPLITS = {"train": "train", "valid_seen": "select", "valid_unseen": "sealed"}
TRAIN_OF_FAMILY = 40
ACT = "take_action"
NOTHING = "Nothing happens"
OVER = "The task is over."
UNSUPPORTED = ("movable", "Sliced")
GOAL = re.compile(r"Your task is to: (?P<goal>[^\"\\\n]+)")
SYSTEM_PROMPT = (
    f"You act in a household by texts. `{ACT}` carries out one command; one that cannot be carried"
    f" out changes nothing and gives `{NOTHING}.` `help` lists what commands there are. The task"
    " ends by itself when its goal is reached."
)


class World:
    """One game; a state is come back to by its commands."""

    def __init__(self, path: Path) -> None:
        self.path = path
        infos = textworld.EnvInfos(won=True, admissible_commands=True)
        self.engine = textworld.start(str(path), request_infos=infos, wrappers=[AlfredDemangler()])
        self.begin()

    def begin(self) -> None:
        """Return to the start of the game."""
        self.state: Any = self.engine.reset()
        self.commands: list[str] = []
        self.plan: list[str] | None = [str(one) for one in read_game(self.path)["walkthrough"]]

    @property
    def opening(self) -> str:
        """The room as it is seen at first."""
        told = str(self.state["feedback"]).partition("Your task is to:")[0]
        return told.rpartition("=-")[2].strip()

    def admissible(self) -> list[str]:
        """Commands that can be carried out now."""
        return [] if self.state["won"] else list(self.state["admissible_commands"])

    def act(self, call: Any) -> Json:
        """Execute a call."""
        if call.tool != ACT:
            return refusal(f"there is no tool {call.tool}", "unknown_tool")
        command = call.arguments.get("action")
        if not isinstance(command, str):
            return refusal("action: must be a text", "schema")
        if self.state["won"]:
            return refusal(OVER, "finished")
        return {"observation": self.command(command), "done": bool(self.state["won"])}

    def command(self, command: str) -> str:
        """Carry out a command; the plan holds while it is followed or nothing changes."""
        command = " ".join(command.split())
        is_known = command in self.state["admissible_commands"]
        self.commands.append(command)
        if self.plan and command == self.plan[0]:
            self.plan = self.plan[1:]
        elif is_known:
            self.plan = None
        self.state, _, _ = self.engine.step(command)
        return str(self.state["feedback"]).strip()

    def next_gold(self) -> Json:
        """Next call of the gold policy: the game's own solution, else one planned from here."""
        if not self.plan or self.plan[0] not in self.state["admissible_commands"]:
            inner = self.engine.unwrapped
            self.plan = list(inner._pddl_state.replan(inner._entity_infos))
        return {"tool": ACT, "arguments": {"action": self.plan[0] if self.plan else "look"}}

    def snapshot(self) -> str:
        """The commands so far."""
        return compact(self.commands)

    def restore(self, state: bytes) -> None:
        """Play the commands of a state again."""
        self.begin()
        for command in json.loads(state):
            self.command(command)

    def verdict(self) -> Json:
        """Whether the goal was reached."""
        return {"reward": float(self.state["won"])}

    def close(self) -> None:
        """Let go of the game."""
        self.engine.close()


class Environment:
    """The games.

    Splits: sealed is `valid_unseen`, select is `valid_seen`, train a sample of `train` by hash.
    """

    name = "alfworld"
    system_prompt = SYSTEM_PROMPT
    tools = (own_tool(ACT, "Carry out one command.", action={"type": "string"}),)
    step_budget = 50
    is_forkable = True
    non_progress = (NOTHING, OVER)
    together = 16

    def __init__(self, path: Path) -> None:
        inside = path / "json_2.1.1"
        self.games = find_games(inside if inside.is_dir() else path)
        parts = [digest(*self.games.values()), version("textworld"), version("alfworld")]
        self.fingerprint = fingerprint_of(self.name, parts, MODULES)

    def tasks(self) -> list[Json]:
        """All tasks, families interleaved."""
        rows = []
        for task_id, path in self.games.items():
            goal = goal_of(read_game(path), path)
            split = SPLITS[task_id.split("/")[2].partition(":")[0]]
            rows.append({"task_id": task_id, "text": f"Your task is to: {goal}", "split": split})
        return interleaved(rows)

    def start(self, task: Any, seed: int) -> World:  # noqa: ARG002
        """Begin a game; nothing is left to chance."""
        return World(self.games[task["task_id"]])

    def expert_call(self, task: Any, world: World) -> Json:  # noqa: ARG002
        """Next gold call."""
        return world.next_gold()


def find_games(root: Path) -> dict[str, Path]:
    """Games that are used, by the id of their task.

    Raises:
        WrongData: there are none in one of the splits.
    """
    found = {}
    for split in SPLITS:
        families = games_of(root / split)
        if not any(families.values()):
            message = f"{root / split} holds no folder with a {GAME} of a kind that is known"
            raise WrongData(message, "give the folder that `alfworld-download` filled")
        for family, games in families.items():
            for path in games:
                trial = f"{path.parent.parent.name}-{path.parent.name}"
                found[f"alfworld/{family}/{split}:{trial}"] = path
    return found


def games_of(folder: Path) -> Mapping[str, Sequence[Path]]:
    """Games of a split by kind of task; a sample of them where they are many."""
    by_kind: dict[str, list[str]] = defaultdict(list)
    for path in folder.glob(f"*/*/{GAME}"):
        name = path.relative_to(folder).as_posix()
        if not any(word in name for word in UNSUPPORTED):
            by_kind[name.partition("-")[0]].append(name)
    chosen = {}
    for kind in sorted(by_kind.keys() & set(TASK_TYPES.values())):
        most = TRAIN_OF_FAMILY if folder.name == "train" else len(by_kind[kind])
        solvable: list[Path] = []
        for name in ranked_by_hash(sorted(by_kind[kind])):
            if len(solvable) < most and read_game(folder / name)["solvable"]:
                solvable.append(folder / name)
        chosen[kind] = solvable
    return chosen


def read_game(path: Path) -> Json:
    """A game of the data.

    Raises:
        WrongData: it is none.
    """
    raw = read_json(path)
    texts = ("pddl_domain", "pddl_problem", "grammar")
    if not isinstance(raw, dict) or not all(isinstance(raw.get(name), str) for name in texts):
        message = f"{path} is no game: it needs {', '.join(texts)}"
        raise WrongData(message)
    walk = raw.get("walkthrough")
    raw["walkthrough"] = walk if isinstance(walk, list) else []
    return {**raw, "solvable": raw.get("solvable") is True}


def goal_of(game: Json, path: Path) -> str:
    """What is to be done, which stands in the grammar of a game.

    Raises:
        WrongData: it does not.
    """
    found = GOAL.search(game["grammar"])
    if found is None:
        message = f"{path} does not say what the task is"
        raise WrongData(message)
    return found["goal"].strip()


def create() -> Environment:
    """The games of the user's data."""
    return Environment(own_path())
