"""`tackroom runtime`: harnesses around agents of other people, and what comes of them."""

import typer

from deployments.commands import mcp_face, production, proxy
from deployments.commands.group import CommandGroup

app = typer.Typer(help="A harness around your own agent, and in production.", cls=CommandGroup)
proxy.register(app)
mcp_face.register(app)
production.register(app)
