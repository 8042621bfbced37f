"""ScienceWorld: experiments in text, played in the simulator of the package, which runs on Java.

One simulator serves all worlds of a child; each world is an object in it. The simulator draws from
one source of chance that nothing seeds, and lists things in the order of their places in memory. So
the source is seeded before every call here, and places are no longer told apart. It gives no state
out either: a state is the commands that led to it, and it is restored by giving them again.
"""

import json
from functools import cache
from typing import Any

from calls import Json, compact, own_tool, refusal
from fingerprints import fingerprint
from own_files import WrongData
from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway
from py4j.protocol import Py4JError
from scienceworld.constants import BASEPATH, JAR_PATH
from splits import interleaved, ranked_by_hash

MODULES = ("calls", "own_files", "science_world", "splits")
ACT = "take_action"
SIMPLIFICATIONS = "easy"
STEPS = 100
SAMPLE = {"train": ("Train", 4), "select": ("Dev", 4), "sealed": ("Test", 2)}
LONG = (
    "inclined-plane-friction-named-surfaces",
    "inclined-plane-friction-unnamed-surfaces",
    "mendelian-genetics-known-plant",
    "mendelian-genetics-unknown-plant",
)
"""Kinds whose own gold paths take more than `STEPS` steps."""
NO_PROGRESS = ("No known action matches that input.",)
FORBIDDEN = ("reset task",)
JAVA = ("-Xmx1536m", "-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2")
"""Bounded memory, and the same hash for all objects, so that none is told apart by its place."""
OVER = "The experiment is over."
SYSTEM_PROMPT = (
    f"You are in a house with rooms, things and instruments. `{ACT}` takes one command, such as"
    " `look around`, `open door to kitchen`, `teleport to kitchen`, `pick up thermometer`, `focus"
    " on substance`, `use thermometer on water`, `pour cup in sink`, `wait`, `inventory`. To focus"
    " on a thing says that it is the one the task asks for: a wrong focus ends the experiment. It"
    " ends by itself when it is done."
)
COMMAND = {"type": "string", "description": "One command in words."}


class World:
    """One experiment.

    Attributes:
        done: commands that were carried out; those the simulator does not know leave no trace.
    """

    def __init__(self, kind: str, variation: int, seed: int) -> None:
        self.kind, self.variation, self.seed = kind, variation, seed
        self.simulator = simulator()
        first = self.begin()
        told = str(self.simulator.freeActionTaskDesc()).strip()
        self.opening = f"{told}\n\n{first}"

    def begin(self) -> str:
        """Bring the experiment to where it begins; gives the first look."""
        self.done: list[str] = []
        self.seed_chance()
        self.simulator.load(self.kind, self.variation, SIMPLIFICATIONS, False)
        self.seed_chance()
        return str(self.simulator.step("look around"))

    def seed_chance(self) -> None:
        """Make what comes next depend on the seed and the number of commands alone."""
        source_of_chance().setSeed(self.seed * 10_000 + len(self.done))

    def step(self, command: str) -> str:
        """Carry out a command."""
        self.seed_chance()
        told = str(self.simulator.step(command))
        if not told.startswith(NO_PROGRESS):
            self.done.append(command)
        return told

    @property
    def score(self) -> float:
        """Share of the task that is done; below 0 when it cannot be done any more."""
        return float(self.simulator.getScore())

    @property
    def is_over(self) -> bool:
        """Whether the experiment is done or lost."""
        return bool(self.simulator.getCompleted()) or self.score < 0

    def act(self, call: Any) -> Json:
        """Execute a call."""
        if self.is_over:
            return refusal(OVER, "finished")
        command = call.arguments.get("action")
        if not isinstance(command, str) or not command.strip():
            return refusal("action: must be a command in words", "schema")
        command = " ".join(command.split())
        if command.lower() in FORBIDDEN:
            return {"observation": NO_PROGRESS[0]}
        return {"observation": self.step(command), "done": self.is_over}

    def next_gold(self) -> Json:
        """Next command of the package's gold path, which is searched for when it is first asked."""
        path = gold_path(self.kind, self.variation, self.seed)
        place = 0
        for command in self.done:
            place += path[place : place + 1] == (command,)
        command = path[place] if place < len(path) else "look around"
        return {"tool": ACT, "arguments": {"action": command}}

    def snapshot(self) -> str:
        """The commands so far as canonical JSON."""
        return compact([self.kind, self.variation, self.seed, self.done])

    def restore(self, state: bytes) -> None:
        """Return to a state."""
        *_, commands = json.loads(state)
        self.begin()
        for command in commands:
            self.step(command)

    def verdict(self) -> Json:
        """Whether the task is done in full; the reward is the simulator's score."""
        score = max(0.0, self.score)
        return {"reward": score, "parts": {"score": round(100 * score), "moves": len(self.done)}}


@cache
def gateway() -> Any:
    """The simulator's process; it ends with this one.

    Raises:
        WrongData: Java does not run it.
    """
    try:
        port, process = launch_gateway(
            classpath=JAR_PATH,
            javaopts=list(JAVA),
            die_on_exit=True,
            cwd=BASEPATH,
            return_proc=True,
        )
        parameters = GatewayParameters(auto_field=True, port=port)
        return JavaGateway(gateway_parameters=parameters, java_process=process)
    except (OSError, ValueError, Py4JError) as error:
        message = f"the simulator does not start: {error}"
        hint = "it needs Java 17 or newer: `java -version` shows which one is found"
        raise WrongData(message, hint) from error


def simulator() -> Any:
    """A world in the simulator."""
    return gateway().jvm.scienceworld.runtime.pythonapi.PythonInterface()


@cache
def source_of_chance() -> Any:
    """What the simulator draws from."""
    kind = gateway().jvm.java.lang.Class.forName("scala.util.Random$")
    return kind.getField("MODULE$").get(None)


@cache
def gold_path(kind: str, variation: int, seed: int) -> tuple[str, ...]:
    """A path that solves a variation, without those of its commands that do nothing.

    The package's own paths hold commands that the simulator does not know.
    """
    searcher = simulator()
    source_of_chance().setSeed(seed * 10_000)
    searcher.load(kind, variation, SIMPLIFICATIONS, True)
    tried = World(kind, variation, seed)
    for command in searcher.getGoldActionSequence():
        if not tried.is_over:
            tried.step(str(command))
    return tuple(tried.done)


class Environment:
    """A sample of every kind of experiment: variations of the official splits, first by hash.

    Train is drawn from the official train split, select from dev, sealed from test.
    """

    name = "scienceworld"
    system_prompt = SYSTEM_PROMPT
    step_budget = STEPS
    is_forkable = True
    non_progress = NO_PROGRESS

    def __init__(self) -> None:
        self.tools = [own_tool(ACT, "Carry out one command.", action=COMMAND)]
        self.fingerprint = fingerprint(self.name, "scienceworld", MODULES)
        self.rows: list[Json] = []
        asked = simulator()
        for kind in asked.getTaskNames():
            if kind not in LONG:
                self.rows += self.sample(asked, str(kind))

    def sample(self, asked: Any, kind: str) -> list[Json]:
        """Tasks of a kind; what a variation asks for is told when it begins."""
        asked.load(kind, 0, SIMPLIFICATIONS, False)
        found = []
        for split, (official, count) in SAMPLE.items():
            variations = [str(one) for one in getattr(asked, f"getVariations{official}")()]
            for variation in ranked_by_hash(variations)[:count]:
                task_id = f"{self.name}/{kind}/{variation}"
                text = f"Carry out an experiment: {kind.replace('-', ' ')}."
                found.append({"task_id": task_id, "text": text, "split": split})
        return found

    def tasks(self) -> list[Json]:
        """All tasks, families interleaved."""
        return interleaved(self.rows)

    def start(self, task: Any, seed: int) -> World:
        """Begin an experiment."""
        _, kind, variation = task["task_id"].split("/")
        return World(kind, int(variation), seed)

    def expert_call(self, task: Any, world: World) -> Json:  # noqa: ARG002
        """Next gold command."""
        return world.next_gold()


def create() -> Environment:
    """ScienceWorld."""
    return Environment()
