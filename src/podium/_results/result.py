"""What every answer offers: frozen, named, one line to read, a table in notebooks, a dictionary to store."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from html import escape
from typing import Any

import numpy as np

from podium._results import wording

Table = tuple[Sequence[str], Iterable[Sequence[Any]]]
# Fields whose name or value is better said in other words.
_NAMES = {"n_pos": "positives", "n_neg": "negatives", "pvalue": "p-value", "adjusted_pvalue": "p-value by Holm"}
_IN_WORDS: dict[str, Callable[[Any], str]] = {
    "confidence_level": wording.level,
    "pvalue": wording.pvalue,
    "adjusted_pvalue": wording.pvalue,
}


def plain(value: Any) -> Any:
    """Dictionaries, lists, text and numbers; NaN and infinities, which JSON does not know, become None.

    NumPy's values become Python's; what has a method ``to_dict`` or ``_asdict`` is what that returns.
    """
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def to_json(value: Any, indent: int = 2) -> str:
    """One JSON document that every reader accepts."""
    return json.dumps(plain(value), indent=indent, ensure_ascii=False, allow_nan=False)


class Result:
    """Base of all results: frozen dataclasses whose ``repr`` is one line of plain English.

    A subclass writes its own ``__repr__``; ``to_dict`` gives its fields as plain Python values, and notebooks show the
    line with a table beneath it.
    """

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values by name, ready for JSON: what JSON has no number for (NaN, infinities) is None."""
        return {field.name: plain(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]

    def _table(self) -> Table:
        """Heading and rows of the table in notebooks: here every field but those that the line says in full."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        line = str(self)
        return (), [
            (_NAMES.get(name, name.replace("_", " ")), _IN_WORDS.get(name, _text)(value))
            for name, value in values.items()
            if not (isinstance(value, str) and (not value or (" " in value and value in line)))
        ]

    def _repr_html_(self) -> str:
        """The line in words and the table beneath it, for notebooks."""
        heading, rows = self._table()
        head = f"<thead><tr>{''.join(f'<th>{escape(name)}</th>' for name in heading)}</tr></thead>" if heading else ""
        body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
        line = repr(self) if heading else str(self)  # a table with a heading says what the longer text would
        line = escape(line).replace("\n", "<br>")
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
            return wording.minus(f"{value:.4g}")
        case np.ndarray():
            return f"{value.size:,} numbers"
        case tuple() | list():
            return ", ".join(map(_text, value))
        case Result():
            return repr(value)
    text = str(value)
    return text if len(text) < 200 and "\n" not in text else f"a {type(value).__name__}"  # a table, a model, a page
