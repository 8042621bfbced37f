"""Which program a word of the command line starts: a factory's host, or a world in any language."""

import sys
from pathlib import Path

from schemas.errors import ConfigError
from tasks.agent.command_process import split_command
from tasks.environments.host_process import MESSAGE, Command

CHILD = Path(__file__).with_name("host_child.py")
PROGRAM = "command:"


def read_command(word: str, python: str | None = None) -> Command:
    """Read `package.module:factory` or `command:PROGRAM ARGUMENTS`.

    `python` is the interpreter that runs factories; this one when it is not given.

    Raises:
        ConfigError: it is neither.
    """
    if word.startswith(PROGRAM):
        return _read_program(word)
    module, _, factory = word.partition(":")
    if not all(part.isidentifier() for part in [*module.split("."), *factory.split(".")]):
        what = f"{word[:MESSAGE]!r} is no module path"
        raise ConfigError(what, hint="expected package.module:factory")
    words = (python or sys.executable, str(CHILD), word)
    return Command(word, words, remedy="set TACKROOM_PYTHON to the path of a Python")


def _read_program(word: str) -> Command:
    words = split_command(
        word.removeprefix(PROGRAM),
        "--environment command:",
        example="write command:PROGRAM ARGUMENTS, as in docs/world-protocol.md",
        keys="let the program read the key from a variable",
    )
    return Command(word[:MESSAGE], words)
