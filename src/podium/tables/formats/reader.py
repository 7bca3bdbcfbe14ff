"""From the columns of a source to numbers, times and text: by their values, or as in training."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from podium._results.wording import quoted
from podium.exceptions import InputError
from podium.tables.formats.date import DateFormat
from podium.tables.formats.number import NumberFormat
from podium.tables.formats.recognize import Format, place_of, read_as, recognize, ways_like
from podium.tables.formats.text import LabelFormat, TextFormat, TruthFormat, null_where, without_missing
from podium.tables.formats.words import ISO
from podium.tables.table import Table

_PLAIN: tuple[Format, ...] = (NumberFormat(), TruthFormat(), TextFormat(), DateFormat(ISO))
_HELD = {"number": "numbers", "date": "dates", "text": "text"}


@dataclass(kw_only=True)
class ColumnReader:
    """Reads columns one by one, and records the format of each and remarks on it.

    ``known``: columns of a model, which are read as in training; ``as_text``: columns that are kept byte for byte, as
    identifiers are; ``is_typed``: the source itself tells numbers from text; ``has_comma``: it likely has decimal
    commas. With ``only_known``, no other column is read. ``n_before``: rows of the source that came before these.
    """

    source: Path | str
    known: Mapping[str, Format] = field(default_factory=dict)
    as_text: Collection[str] = ()
    is_typed: bool = False
    has_comma: bool = False
    only_known: bool = False
    n_before: int = 0
    formats: dict[str, Format] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    warnings: dict[str, str] = field(default_factory=dict)
    about_file: list[str] = field(default_factory=list)

    def read(self, columns: Iterable[tuple[str, pa.ChunkedArray]]) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The columns to compute with, and those that are kept as text; each a block of its own, to be let go alone."""
        values, texts = {}, {}
        for name, column in columns:
            if name in self.as_text:
                texts[name] = words_of(column).to_pandas()
            if name in self.known or not (self.only_known or name in texts):
                values[name] = self.one(name, column).to_pandas()
            elif not self.only_known:
                values[name] = texts[name]
        return pd.DataFrame(values, copy=False), pd.DataFrame(texts, copy=False)

    def table(self, frame: pd.DataFrame, texts: pd.DataFrame) -> Table:
        """The columns that were read, with all remarks."""
        notes, warnings = [*self.about_file, *self._readings(), *self.notes.values()], list(self.warnings.values())
        return Table(frame=frame, texts=texts, formats=dict(self.formats), notes=notes, warnings=warnings)

    def _readings(self) -> list[str]:
        """How columns in unusual formats were read; a sentence for each format."""
        alike: dict[Format, list[str]] = {}
        for name, way in self.formats.items():
            if name not in self.known and way not in _PLAIN:
                alike.setdefault(way, []).append(name)
        subject = {way: "Columns {} were" if len(names) > 1 else "Column {} was" for way, names in alike.items()}
        return [
            f"{subject[way].format(quoted(names))} read as {way.kind}s written like {way.example}."
            for way, names in alike.items()
        ]

    def one(self, name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """A column as numbers, times or text."""
        if name in self.known:
            return self._as_known(name, column)
        if not pa.types.is_string(column.type):
            self.formats[name] = _format_of(column.type)
            return column
        recognized = recognize(column, name, is_typed=self.is_typed, has_comma=self.has_comma)
        self.formats[name] = recognized.format
        if recognized.note:
            self.notes[name] = recognized.note
        if recognized.warning:
            self.warnings[name] = recognized.warning
        return recognized.column

    def _as_known(self, name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """As in training, where its values permit; what was decided for the first rows holds for all."""
        way = self.known[name]
        if column.null_count == len(column):
            kinds = {"number": pa.float64(), "date": pa.timestamp("s"), "text": pa.string(), "label": pa.bool_()}
            return pa.nulls(len(column), kinds[way.kind])
        if isinstance(way, LabelFormat):
            return _labels(column, way)
        if way.kind == "text":
            return known_words(column)
        if not pa.types.is_string(column.type):
            if _format_of(column.type).kind != way.kind:
                raise InputError(
                    f"Column {name!r} of {self.source} must hold {_HELD[way.kind]}; it holds {column.type}s."
                )
            self.formats.setdefault(name, _format_of(column.type))
            return column
        decided = self.formats.get(name)
        result = read_as(column, [decided] if decided else ways_like(way, column))
        if isinstance(result, str):
            written = "" if way in _PLAIN else f" written like {way.example}"
            row = self.n_before + place_of(result, column) + 1
            raise InputError(
                f"Column {name!r} of {self.source} must hold {_HELD[way.kind]}{written}; got {result!r} in row {row:,}."
            )
        values, used = result
        if decided is None and values.null_count < len(values):
            self.formats[name] = used
            if used != way and isinstance(used, NumberFormat) and isinstance(way, NumberFormat):
                self.notes[name] = (
                    f"Column {name!r} is written like {used.example}; in training it was like {way.example}."
                )
        return values


def format_of_dtype(dtype: Any) -> Format | None:
    """Of a pandas column that holds plain numbers, truth values or times; None of any other."""
    if dtype.type.__module__ != "numpy" or dtype.kind not in "biufM":
        return None
    return TruthFormat() if dtype.kind == "b" else DateFormat(ISO) if dtype.kind == "M" else NumberFormat()


def known_words(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text without blanks around; null for what stands for a missing value."""
    words = words_of(column)
    is_word_already = pa.types.is_boolean(column.type) or pa.types.is_integer(column.type)
    return words if is_word_already else without_missing(words)


def words_of(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text byte for byte; whole numbers without a point, also where a gap had made them decimal; null where empty."""
    if pa.types.is_floating(column.type) and pc.all(pc.equal(pc.floor(column), column)).as_py() is not False:
        column = _whole(column)
    words = column.cast(pa.string())
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return words  # of a number or a truth value: never empty
    return null_where(pc.equal(words, ""), words)


def _labels(column: pa.ChunkedArray, way: LabelFormat) -> pa.ChunkedArray:
    """Which values are positive, decided once for each that occurs: words of every row take longer than reading it."""
    values = column.unique()
    of_values = way.read(known_words(pa.chunked_array([values])))
    is_positive = pc.is_in(column, value_set=values.filter(pc.fill_null(of_values, False).combine_chunks()))
    missing = values.filter(of_values.is_null().combine_chunks())
    if not len(missing):
        return is_positive
    return pc.if_else(pc.is_in(column, value_set=missing), pa.scalar(None, pa.bool_()), is_positive)


def _whole(column: pa.ChunkedArray) -> pa.ChunkedArray:
    try:
        return column.cast(pa.int64())
    except pa.ArrowInvalid:  # beyond 2⁶³, where floats have lost digits anyway
        return column


def _format_of(kind: pa.DataType) -> Format:
    if pa.types.is_timestamp(kind):
        return DateFormat(ISO)
    return TruthFormat() if pa.types.is_boolean(kind) else NumberFormat() if _is_number(kind) else TextFormat()


def _is_number(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind)
