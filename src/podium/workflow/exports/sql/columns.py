"""What is made of the columns of a table, as SQL expressions: one for each column of the matrix."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from podium.tables.columns.date import CYCLES, DAY, WEEKEND, DateColumn, GapColumn
from podium.tables.columns.number import STRAIGHT, NumberColumn
from podium.tables.columns.text import TextColumn
from podium.tables.formats.text import TruthFormat
from podium.tables.model import TableModel
from podium.workflow.exports.forms import no_words
from podium.workflow.exports.sql.words import name, number, text

# Seconds since 1970, the one thing that databases agree on least.
SECONDS = {
    "ansi": "FLOOR(EXTRACT(EPOCH FROM CAST({} AS TIMESTAMP)))",
    "sqlite": "CAST(STRFTIME('%s', {}) AS DOUBLE PRECISION)",
}
_LARGEST = "1.7976931348623157e308"  # beyond are infinity and, in databases that order it, NaN: both count as missing


@dataclass(frozen=True)
class SqlColumns:
    """The columns of a model's table in a query that calls the table ``source``."""

    model: TableModel
    dialect: str
    source: str

    def expressions(self) -> list[str]:
        """In the order of the encoder's outputs."""
        return [each for column in self.model.encoder.columns for each in self._of(column)]

    def _of(self, column: Any) -> list[str]:
        if isinstance(column, NumberColumn):
            return _number(column, self._plain(column.name))
        if isinstance(column, TextColumn):
            return self._text(column)
        if isinstance(column, DateColumn):
            return self._date(column)
        if isinstance(column, GapColumn):
            start, end = self._seconds(column.start), self._seconds(column.end)
            return _number(column.days, f"(({end} - {start}) / {number(DAY)})")
        raise no_words("SQL", column.name)

    def _source(self, column: str) -> str:
        return f"{self.source}.{name(column)}"  # a name alone would be a text in SQLite, where there is no such column

    def _plain(self, column: str) -> str:
        own = self._source(column)
        if isinstance(self.model.known[column], TruthFormat):
            return f"CASE WHEN {own} THEN {number(1)} WHEN NOT {own} THEN {number(0)} END"
        own = f"CAST({own} AS DOUBLE PRECISION)"
        return f"CASE WHEN ABS({own}) > {_LARGEST} THEN NULL ELSE {own} END"

    def _text(self, column: TextColumn) -> list[str]:
        own = f"CAST({self._source(column.name)} AS VARCHAR)"
        found = []
        for values in column.values.T:
            cases = zip(column.categories, values, strict=False)  # the last value is for all others
            words = [f"WHEN {text(c)} THEN {number(v)}" for c, v in cases if v != values[-1]]
            found.append(f"CASE {own} {' '.join(words)} ELSE {number(values[-1])} END" if words else number(values[-1]))
        return found

    def _seconds(self, column: str) -> str:
        return SECONDS[self.dialect].format(self._source(column))

    def _date(self, column: DateColumn) -> list[str]:
        seconds = self._seconds(column.name)
        found = _number(column.level, seconds)
        for cycle in column.cycles:
            angle = f"{number(2 * math.pi)} * {seconds} / {number(CYCLES[cycle])}"
            found += [f"COALESCE({function}({angle}), {number(0)})" for function in ("COS", "SIN")]
            if cycle == "week":
                day = f"(FLOOR({seconds} / {number(DAY)}) + {number(3)})"
                weekday = f"({day} - {number(7)} * FLOOR({day} / {number(7)}))"
                found.append(f"CASE WHEN {weekday} >= {number(WEEKEND)} THEN {number(1)} ELSE {number(0)} END")
        return found


def _number(column: NumberColumn, value: str) -> list[str]:
    """In robust standard deviations, logarithmic beyond three of them; the median where it is missing, and a mark."""
    center = number(column.centre)
    z = f"((COALESCE({value}, {center}) - {center}) / {number(column.scale)})"
    three, one = number(STRAIGHT), number(1)
    tamed = (
        f"CASE WHEN {z} > {three} THEN {three} + LN({one} + ({z} - {three})) "
        f"WHEN {z} < -{three} THEN -{three} - LN({one} + (-{z} - {three})) ELSE {z} END"
    )
    mark = [f"CASE WHEN {value} IS NULL THEN {one} ELSE {number(0)} END"] if column.marks_missing else []
    return [tamed, *mark]
