"""Which program a word of the command line starts: the host of a user's factory."""

import sys
from pathlib import Path

from schemas.errors import ConfigError
from tasks.environments.host_process import MESSAGE, Command

CHILD = Path(__file__).with_name("host_child.py")


def read_command(word: str, python: str | None = None) -> Command:
    """Read `package.module:factory`.

    `python` is the interpreter that runs factories; this one when it is not given.

    Raises:
        ConfigError: it is no such word.
    """
    module, _, factory = word.partition(":")
    if not all(part.isidentifier() for part in [*module.split("."), *factory.split(".")]):
        what = f"{word[:MESSAGE]!r} is no module path"
        raise ConfigError(what, hint="expected package.module:factory")
    words = (python or sys.executable, str(CHILD), word)
    return Command(word, words, remedy="set TACKROOM_PYTHON to the path of a Python")
