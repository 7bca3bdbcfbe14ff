"""An error on standard error; it loads nothing more, for there may be no memory left."""

from __future__ import annotations

import typer

from podium._results.escaping import terminal
from podium.cli.spelling import on_command_line


def echo_error(message: str) -> None:
    """One sentence, and its hint on a line of its own."""
    typer.secho("Error: ", fg="red", bold=True, nl=False, err=True)
    typer.echo(terminal(on_command_line(message)), err=True)
