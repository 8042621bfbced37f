"""`tackroom runtime`: harnesses around agents of other people."""

import typer

from deployments.commands import proxy
from deployments.commands.group import CommandGroup

app = typer.Typer(help="A harness around your own agent.", cls=CommandGroup)
proxy.register(app)
