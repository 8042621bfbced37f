"""How commands are found: unknown ones in one clear line, help where none is given, --version."""

from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperGroup

from deployments.console import emit_text
from schemas.errors import ConfigError

if TYPE_CHECKING:
    from typer._click import Command, Context

_SHOWN = 80


class CommandGroup(TyperGroup):
    """Commands under one name; without a command its help is written to stderr, with exit 2."""

    def parse_args(self, ctx: "Context", args: list[str]) -> list[str]:
        """Split what follows the name of the group."""
        if not args and not ctx.resilient_parsing:
            typer.echo(ctx.get_help(), err=True)
            raise typer.Exit(2)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: "Context", args: list[str]
    ) -> "tuple[str | None, Command | None, list[str]]":
        """Find a command by its name.

        Raises:
            ConfigError: there is none of this name.
        """
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            close = get_close_matches(name, self.list_commands(ctx), n=1)
            hint = f"did you mean `{close[0]}`?" if close else "--help lists the commands"
            what = f"unknown command {name[:_SHOWN]!r}"
            raise ConfigError(what, hint=hint)
        return super().resolve_command(ctx, args)


def _tell_version(is_wanted: bool) -> None:
    if is_wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            emit_text(f"tackroom {version('tackroom')}")
        except PackageNotFoundError:
            emit_text("tackroom, run from source without being installed")
        raise typer.Exit


def common(
    _version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", is_eager=True, callback=_tell_version),
    ] = False,
) -> None:
    """Options that stand before a command."""
