"""A household in text: find things, treat them, bring them where they belong."""

from tasks.environments.embedded.frame import EmbeddedEnvironment
from tasks.environments.household.environment import BLUEPRINT
from tasks.environments.household.problems import Problem
from tasks.environments.household.world import HouseholdWorld


def create() -> EmbeddedEnvironment[Problem, HouseholdWorld]:
    """Make the environment; its tasks are drawn once in a process."""
    return EmbeddedEnvironment(BLUEPRINT)
