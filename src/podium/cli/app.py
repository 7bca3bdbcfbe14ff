"""All commands, and what their endings mean: 0 done, 1 failed, 2 usage or data that cannot be used."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer

from podium.cli.commands import bound, compare, demo, evaluate, explain, fit, monitor, reproduce, score, shortlist, test
from podium.cli.memory import return_freed_memory
from podium.cli.render import echo_error
from podium.exceptions import InputError, InputTypeError, MissingPackageError

app = typer.Typer(
    name="podium",
    help="Puts the right things on top: rank rows by a label, and know how far to trust the list.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in (demo, fit, score, shortlist, monitor, explain, evaluate, compare, test, bound, reproduce):
    app.command(command.__name__.rpartition(".")[2], help=command.HELP)(command.run)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and leave with its exit code."""
    return_freed_memory()
    try:
        app(args=None if arguments is None else list(arguments), prog_name="podium")
    except (InputError, InputTypeError, MissingPackageError) as error:
        echo_error(str(error))
        sys.exit(2)
    except OSError as error:
        echo_error(f"{error.filename or 'The output'}: {error.strerror or error}.")
        sys.exit(1)
    except MemoryError:
        echo_error("There is not enough memory.\nHint: leave out columns, or take fewer rows.")
        sys.exit(1)
