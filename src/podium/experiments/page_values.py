"""Values of a record as cells of a Markdown table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LONGEST = 6  # entries of a list or mapping that a cell shows


def cell(value: Any) -> str:
    """A number, text, list or mapping, short enough for a table.

    >>> cell(130515.094), cell(0.1234567), cell(34586), cell([0.25, 1]), cell(None)
    ('130,515.09', '0.12346', '34,586', '0.25, 1', '–')
    """
    if value is None:
        return "–"
    if isinstance(value, bool | str):
        return text(str(value))
    if isinstance(value, Mapping):
        return _several([f"{text(str(name))}: {cell(item)}" for name, item in value.items()])
    if isinstance(value, list | tuple):
        return _several([cell(item) for item in value])
    if isinstance(value, int):
        return f"{value:,}"
    if 1000 <= abs(value) < 1e6:
        return f"{value:,.2f}".removesuffix(".00")
    return f"{value:.5g}"


def text(words: str) -> str:
    """Words that Markdown must take literally."""
    for sign in "\\|*_<`[":
        words = words.replace(sign, f"\\{sign}")
    return words


def _several(cells: list[str]) -> str:
    shown = cells if len(cells) <= LONGEST else [*cells[:LONGEST], f"… ({len(cells)} in all)"]
    return ", ".join(shown)
