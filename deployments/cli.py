"""The `tackroom` command: its groups, and the one place where errors become one line.

Exit codes: 0 done, 1 failed or nothing usable, 2 usage, 3 partial.
"""

import logging
import os
import sys
import warnings

import typer

from deployments.commands import (
    agents,
    cycles,
    data,
    environments,
    evaluating,
    gate,
    harness,
    model,
    outcomes,
    runtime,
    stages,
    views,
)
from deployments.commands.group import CommandGroup, common
from deployments.console import emit_json
from deployments.progress import shown_progress
from schemas.errors import CapReached, TackroomError

app = typer.Typer(
    name="tackroom",
    cls=CommandGroup,
    help="Evolve the harness around a frozen LLM agent, on evidence.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.callback()(common)
for group in (cycles, stages, evaluating, data, outcomes, views, agents):
    group.register(app)
app.add_typer(harness.app, name="harness")
app.add_typer(gate.app, name="gate")
app.add_typer(environments.app, name="env")
app.add_typer(model.app, name="model")
app.add_typer(runtime.app, name="runtime")


def main() -> None:
    """Run the command line and leave with its exit code."""
    silence_libraries()
    sys.exit(run(sys.argv[1:]))


def silence_libraries() -> None:
    """Keep log lines and warnings of libraries out of what a command says; -W brings them back."""
    logging.getLogger().addHandler(logging.NullHandler())
    for ours in ("warehouse", "tasks"):
        logging.getLogger(ours).addHandler(_ours())
    if not sys.warnoptions:
        warnings.simplefilter("ignore")


def _ours() -> logging.Handler:
    """Shows our own warnings as one line each on stderr."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("warning: %(message)s"))
    return handler


def run(arguments: list[str]) -> int:
    """Run one command; every expected error is one line on stderr, never a traceback."""
    try:
        with shown_progress():
            code = app(arguments, standalone_mode=False)
    except CapReached as stop:
        if "--json" in arguments:
            emit_json({"stopped": "cap", "tokens": stop.tokens, "cost_usd": stop.usd})
        return _fail(str(stop), stop.exit_code)
    except TackroomError as error:
        return _fail(str(error), error.exit_code)
    except typer.Exit as leave:
        return leave.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return _fail("interrupted; run the same command again to go on", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _fail(_describe(error), 1)
    except Exception as error:
        # A usage error of the command parser: it carries its own message and exit code.
        describe = getattr(error, "format_message", None)
        if describe is None:
            raise
        return _fail(f"{describe()} (see --help)", getattr(error, "exit_code", 2))
    return code if isinstance(code, int) else 0


def _describe(error: OSError) -> str:
    place = f": {error.filename}" if error.filename else ""
    return f"{error.strerror or error}{place} (check the path, its permissions and free space)"


def _fail(message: str, code: int) -> int:
    line = " ".join(message.split())
    sys.stderr.write(f"tackroom: {line}\n")
    return code


if __name__ == "__main__":
    main()
