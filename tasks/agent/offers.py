"""What a world offers beyond the protocol: the one place where stages and the check ask for it."""

from collections.abc import Callable
from dataclasses import dataclass

from schemas.errors import ConfigError
from schemas.fields import Split
from tasks.agent.capabilities import (
    Forkable,
    HasExpert,
    HasGoldTexts,
    Lasting,
    Noisy,
    Reskinnable,
    Shared,
    Talking,
)
from tasks.agent.protocols import Environment, Model
from tasks.harness.conduct import LOAD_TOOL

SHOWN = 5


@dataclass(frozen=True)
class Offer:
    """Something a world may have; `missing` says what a world without it lacks."""

    name: str
    missing: str
    is_there: Callable[[Environment], bool]


def _forks(environment: Environment) -> bool:
    return isinstance(environment, Forkable) and environment.is_forkable


def _expert(environment: Environment) -> bool:
    return isinstance(environment, HasExpert)


def _gold_texts(environment: Environment) -> bool:
    return isinstance(environment, HasGoldTexts)


def _reskin(environment: Environment) -> bool:
    return isinstance(environment, Reskinnable)


def _steady(environment: Environment) -> bool:
    return not noise_of(environment)


def _loadable(environment: Environment) -> bool:
    return LOAD_TOOL not in {tool.name for tool in environment.tools}


def _has_tasks(split: Split) -> Callable[[Environment], bool]:
    return lambda environment: bool(environment.tasks(split))


FORKS = Offer("forks", "it does not restore bit-exactly", _forks)
EXPERT = Offer("gold", "it has no policy that solves its tasks", _expert)
GOLD_TEXTS = Offer("gold_texts", "it gives no gold answers out", _gold_texts)
RESKIN = Offer("reskin", "it has no other names for its entities", _reskin)
STEADY = Offer("steady", "equal runs may end differently", _steady)
LOADABLE = Offer("loadable", f"a tool of its own is called {LOAD_TOOL}", _loadable)
TRAIN = Offer("train", "it has no train tasks", _has_tasks("train"))
SELECT = Offer("select", "it has no select tasks", _has_tasks("select"))
SEALED = Offer("sealed", "it has no sealed tasks", _has_tasks("sealed"))


def noise_of(environment: Environment) -> str:
    """Why equal runs may end differently; empty when they cannot."""
    return environment.noise if isinstance(environment, Noisy) else ""


def talk_tools(environment: Environment) -> frozenset[str]:
    """Tools that speak to a user; none where the environment declares none."""
    return frozenset(environment.talk_tools) if isinstance(environment, Talking) else frozenset()


def lasting_tools(environment: Environment) -> frozenset[str]:
    """Tools whose effects outlive an episode."""
    return environment.lasting_tools if isinstance(environment, Lasting) else frozenset()


def refuse_lasting(word: str, environment: Environment) -> None:
    """Refuse a world whose episodes would change something for good.

    Raises:
        ConfigError: it has write tools and nothing that takes their effects back.
    """
    tools = sorted(lasting_tools(environment))
    if not tools:
        return
    some = ", ".join(tools[:SHOWN]) + (", …" if len(tools) > SHOWN else "")
    what = f"what {some} do in `{word}` stays, so every episode would begin where the last ended"
    hint = "give it a [reset], name them under `reads` if they change nothing, or add "
    raise ConfigError(what, hint=f"{hint}--allow-side-effects")


def most_together(environment: Environment) -> int | None:
    """How many worlds may be open at a time; null for any number."""
    return environment.together if isinstance(environment, Shared) else None


def repeats_alike(model: Model, environment: Environment) -> bool:
    """Whether equal episodes of a model in a world always end alike."""
    return model.is_deterministic and STEADY.is_there(environment)
