"""A household in text: find things, treat them, bring them where they belong."""

from tasks.environments.household.environment import Household


def create() -> Household:
    """Make the environment; its tasks are drawn once in a process."""
    return Household()
