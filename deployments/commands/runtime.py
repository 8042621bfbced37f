"""`tackroom runtime`: the runtime in production."""

import typer

from deployments.commands import production
from deployments.commands.group import CommandGroup

app = typer.Typer(help="The runtime in production.", cls=CommandGroup)
production.register(app)
