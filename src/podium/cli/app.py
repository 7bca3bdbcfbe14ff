"""All commands, and what their endings mean: 0 done, 1 failed, 2 not to be used, 3 an alarm if asked."""

from __future__ import annotations

import io
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from podium import __version__, _memory
from podium.cli import options
from podium.cli.commands import SUMMARIES
from podium.cli.errors import echo_error
from podium.cli.memory import is_shortage, spare_memory
from podium.cli.spelling import check_spelling
from podium.exceptions import InputError, InputTypeError, MissingPackageError


class _Commands(TyperGroup):
    """Commands that are loaded when they are asked for: the list of them needs none."""

    # Typer has click within itself or beside it, by its version: its types are not named here.
    def list_commands(self, ctx: Any) -> list[str]:
        return list(SUMMARIES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in SUMMARIES:
            return None
        spare_memory()  # before the command is loaded, and NumPy with it
        module = import_module(f"podium.cli.commands.{cmd_name}")
        one = typer.Typer(pretty_exceptions_enable=False, rich_markup_mode=None, add_completion=False)
        run = options.with_sheet(module.run)
        one.command(cmd_name, help=f"{SUMMARIES[cmd_name]}\n\n{module.HELP}")(run)
        return get_command(one)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(SUMMARIES.items()))


app = typer.Typer(
    name="podium", cls=_Commands, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"podium {__version__}")
        raise typer.Exit


@app.callback(help="Puts the right things on top: rank rows by a label, and know how far to trust the list.")
def start(
    context: typer.Context,
    max_unpacked: Annotated[
        str | None,
        typer.Option(
            help="What one compressed table may unpack to, such as 20GB. Default: 100 times its size, at least 100 MB.",
            metavar="SIZE",
        ),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and stop.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Before any command."""
    if (n_bytes := options.bytes_of(max_unpacked)) is not None:
        context.with_resource(_memory.max_unpacked(n_bytes))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows no φ shows a question mark


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and leave with its exit code."""
    try:
        with _ended_by_sigterm():
            check_spelling(sys.argv[1:] if arguments is None else arguments)
            app(args=None if arguments is None else list(arguments), prog_name="podium")
    except (InputError, InputTypeError, MissingPackageError) as error:
        _leave(str(error), 2)
    except (MemoryError, ImportError, OSError) as error:
        if is_shortage(error):
            tried = f": {error}" if str(error) else ""
            _leave(f"There is not enough memory{tried}.\nHint: leave out columns, or take fewer rows.", 2)
        if not isinstance(error, OSError):
            raise
        _leave(f"{error.filename or 'The output'}: {error.strerror or error}.", 1)


@contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """Stop as after Ctrl-C, so that folders made and files begun are removed, with the exit code of the signal."""

    def leave(number: int, frame: object) -> None:
        sys.exit(128 + number)

    if threading.current_thread() is not threading.main_thread():  # only there signals are handled
        yield
        return
    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _leave(message: str, code: int) -> None:
    echo_error(message)
    sys.exit(code)
