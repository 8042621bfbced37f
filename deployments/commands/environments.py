"""`tackroom env`: the user's own worlds."""

import typer

from deployments.commands import worlds
from deployments.commands.group import CommandGroup

app = typer.Typer(help="Worlds: those to install, and your own.", cls=CommandGroup)
worlds.register(app)
