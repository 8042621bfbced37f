"""A web shop: search a catalogue of look-alikes, open pages, choose options, buy."""

from tasks.environments.embedded.frame import EmbeddedEnvironment
from tasks.environments.webshop.environment import BLUEPRINT
from tasks.environments.webshop.problems import Problem
from tasks.environments.webshop.world import ShopWorld


def create() -> EmbeddedEnvironment[Problem, ShopWorld]:
    """Make the environment; its tasks are drawn once in a process."""
    return EmbeddedEnvironment(BLUEPRINT)
