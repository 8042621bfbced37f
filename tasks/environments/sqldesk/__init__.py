"""An SQL desk: read, insert into and update one SQLite table, then hand in the answer."""

from tasks.environments.sqldesk.environment import SqlDesk


def create() -> SqlDesk:
    """Make the environment; its tasks are drawn once in a process."""
    return SqlDesk()
