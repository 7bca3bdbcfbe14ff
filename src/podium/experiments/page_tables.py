"""What a paper prints beside what came out, as Markdown tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from podium.experiments.page_values import cell, text

ROWS = 20  # of a table of single values; the others are in the record
WIDEST = 9  # columns of a grid


def table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def comparison(paper: Mapping[str, Any], ours: Mapping[str, Any], record: str) -> Iterator[str]:
    """Both under the same names; where these make a grid, such as measures by models, as one; cut where too long."""
    grid = _grid(paper)
    if grid is not None:
        names, columns = grid
        yield "Paper / ours:\n"
        yield table(
            ("", *map(text, columns)),
            [
                (text(name), *(f"{cell(paper[key])} / {cell(ours[key])}" for key in _keys(name, columns, paper)))
                for name in names
            ],
        )
    compared = () if grid is not None else tuple(paper)
    rows = [
        (text(key), cell(paper[key]) if key in paper else "", cell(ours[key]))
        for key in (*compared, *(key for key in ours if key not in paper))
    ]
    # Beside a grid a part of its details would say little.
    shown = len(rows) if len(rows) <= ROWS else ROWS if grid is None else 0
    if shown:
        yield table(("", "paper", "ours"), rows[:shown])
    if len(rows) > shown:
        yield f"{len(rows) - shown} more are in [{record.rpartition('/')[2]}]({record}).\n"


def _grid(paper: Mapping[str, Any]) -> tuple[list[str], list[str]] | None:
    """Rows and columns, if every name is "row, column" and every pair of them is there."""
    pairs = [(row, column) for row, _, column in (key.rpartition(", ") for key in paper)]
    rows, columns = (list(dict.fromkeys(names)) for names in ([r for r, _ in pairs], [c for _, c in pairs]))
    whole = len(rows) * len(columns) == len(pairs) and "" not in rows
    if not whole or min(len(rows), len(columns)) < 3:
        return None
    if len(columns) > len(rows):
        rows, columns = columns, rows
    return (rows, columns) if len(columns) <= WIDEST else None


def _keys(row: str, columns: Sequence[str], paper: Mapping[str, Any]) -> Iterator[str]:
    """The names of a row; the grid may have been turned."""
    for column in columns:
        yield f"{row}, {column}" if f"{row}, {column}" in paper else f"{column}, {row}"
