"""A desk of a mail-order shop: a customer who tells what is asked, orders, a policy."""

from tasks.environments.embedded.frame import EmbeddedEnvironment
from tasks.environments.orderdesk.environment import BLUEPRINT
from tasks.environments.orderdesk.problems import Problem
from tasks.environments.orderdesk.world import DeskWorld


def create() -> EmbeddedEnvironment[Problem, DeskWorld]:
    """Make the environment; its tasks are drawn once in a process."""
    return EmbeddedEnvironment(BLUEPRINT)
