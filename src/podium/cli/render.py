"""What people see: results on standard output, talk on standard error."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from podium._results.escaping import terminal
from podium._results.result import to_json
from podium._results.wording import minus
from podium.inference.observed import Bounds
from podium.tables.effects import Effect


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
        console.print(Text(terminal(line), style="dim"))
