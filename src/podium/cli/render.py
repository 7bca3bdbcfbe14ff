"""What a command is doing, how far it is and how long that will take; silent unless standard error is a terminal."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.table import Table
from rich.text import Text

from podium._progress import listening
from podium._results.escaping import terminal
from podium._results.result import to_json
from podium._results.wording import minus
from podium.cli.spelling import on_command_line

if TYPE_CHECKING:
    from podium.inference.observed import Bounds
    from podium.tables.effects import Effect


class _Times(ProgressColumn):
    """``0:12, 1:05 left``, the latter as soon as there is something to tell it from."""

    def render(self, task: Task) -> Text:
        spent, left = task.elapsed or 0.0, task.time_remaining
        return Text(_clock(spent) if left is None else f"{_clock(spent)}, {_clock(left)} left")


def _clock(seconds: float) -> str:
    return "{}:{:02d}".format(*divmod(round(seconds), 60))


class Steps:
    """One line for the step at hand; whatever is computed inside tells how far it is."""

    def __init__(self, first: str) -> None:
        console = Console(file=sys.stderr)
        columns = (TextColumn("{task.description}"), BarColumn(16), _Times())
        self._bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._step = self._bar.add_task(first, total=None)
        self._heard = listening(self.show)

    def begin(self, text: str) -> None:
        """The next step: how long it takes is not known before the first news of it."""
        self._bar.remove_task(self._step)
        self._step = self._bar.add_task(text, total=None)

    def show(self, share: float) -> None:
        """That this share of the step is done."""
        self._bar.update(self._step, total=1.0, completed=share)

    def __enter__(self) -> Self:
        self._bar.start()
        self._heard.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._heard.__exit__(kind, error, trace)
        if not self._bar.disable:  # rich before 14.3 ends a bar that was never shown with an empty line
            self._bar.stop()


def show_json(value: Any) -> None:
    """One JSON document; numbers that JSON does not know become null."""
    _show(to_json(value))


def show_table(title: str, header: Sequence[str], rows: Iterable[Sequence[Any]], *, words: bool = False) -> None:
    """A table on standard output; the first column is text, the others are aligned as numbers unless they are words."""
    table = Table()
    for i, name in enumerate(header):
        is_name = words and i == 0  # to be typed as it stands
        table.add_column(
            Text(terminal(name)), justify="left" if i == 0 or words else "right", overflow="fold", no_wrap=is_name
        )
    for row in rows:
        table.add_row(*(Text(f"{cell:.4f}" if isinstance(cell, float) else terminal(str(cell))) for cell in row))
    console = Console(file=sys.stdout)
    # Not as a title of the table, which would be folded to its width.
    console.print(Text(f"\n{terminal(title)}", style="bold"), soft_wrap=True)
    console.print(table)


def show_bounds(title: str, bounds: Mapping[str, Bounds]) -> None:
    """Between what figures of a whole list lie, of which only some rows have a label."""
    rows = [(name, one.low, one.high) for name, one in bounds.items()]
    show_table(title, ("whatever the other labels are", "at least", "at most"), rows)


def effect_rows(effects: Iterable[Effect]) -> list[tuple[str, str, str]]:
    """Effects as rows of a table."""
    form = "+z.1f"  # z: never minus zero
    return [(e.name, minus(f"{e.effect:{form}}"), minus(f"{e.low:{form}} to {e.high:{form}}")) for e in effects]


def say(*lines: str) -> None:
    """Plain lines on standard output."""
    for line in lines:
        print(terminal(line))


def show_list(csv: str) -> None:
    """A list as CSV on standard output."""
    _show(csv.rstrip("\n"))


def _show(text: str) -> None:
    """Legible on a terminal; for programs as in files, in UTF-8: an identifier with question marks would be another."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    print(terminal(text) if sys.stdout.isatty() else text)


def talk(*lines: str) -> None:
    """Remarks on standard error."""
    console = Console(file=sys.stderr, soft_wrap=True)
    for line in lines:
        console.print(Text(terminal(on_command_line(line)), style="dim"))
