"""What every answer offers: frozen, named, one line to read, a table in notebooks, a dictionary to store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from html import escape
from typing import Any

import numpy as np

from podium import _wording

Table = tuple[Sequence[str], Iterable[Sequence[Any]]]


class Result:
    """Base of all results: frozen dataclasses whose ``repr`` is one line of plain English.

    A subclass writes its own ``__repr__``; ``to_dict`` gives its fields as plain Python values, and notebooks show the
    line with a table beneath it.
    """

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values by name, ready for JSON."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]

    def _table(self) -> Table:
        """Heading and rows of the table in notebooks: here every field but those that the line says in full."""
        values = ((field.name, getattr(self, field.name)) for field in fields(self))  # type: ignore[arg-type]
        said = str(self)
        return (), [
            (name.replace("_", " "), _wording.level(value) if name == "confidence_level" else value)
            for name, value in values
            if not (isinstance(value, str) and (not value or (" " in value and value in said)))
        ]

    def _repr_html_(self) -> str:
        """The line in words and the table beneath it, for notebooks."""
        heading, rows = self._table()
        head = f"<thead><tr>{''.join(f'<th>{escape(name)}</th>' for name in heading)}</tr></thead>" if heading else ""
        body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
        line = escape(str(self)).replace("\n", "<br>")
        return f"<div><p>{line}</p><table>{head}<tbody>{body}</tbody></table></div>"


def _cell(value: Any) -> str:
    align = "right" if isinstance(value, (int, float, np.number)) and not isinstance(value, bool) else "left"
    return f'<td style="text-align: {align}">{escape(_text(value))}</td>'


def _text(value: Any) -> str:
    match value:
        case None:
            return "–"
        case bool() | np.bool_():
            return "yes" if value else "no"
        case float() | np.floating():
            return _wording.minus(f"{value:.5g}")
        case np.ndarray():
            return f"{value.size:,} numbers"
        case tuple() | list():
            return ", ".join(map(_text, value))
        case Result():
            return repr(value)
    return str(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Result):
        return value.to_dict()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
