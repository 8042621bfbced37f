"""An SQL desk: read, insert into and update one SQLite table, then hand in the answer."""

from tasks.environments.embedded.frame import EmbeddedEnvironment
from tasks.environments.sqldesk.environment import BLUEPRINT
from tasks.environments.sqldesk.problems import Problem
from tasks.environments.sqldesk.world import SqlWorld


def create() -> EmbeddedEnvironment[Problem, SqlWorld]:
    """Make the environment; its tasks are drawn once in a process."""
    return EmbeddedEnvironment(BLUEPRINT)
