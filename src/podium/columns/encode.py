"""From a table to a matrix of finite numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from podium import _input, _memory
from podium._results.wording import quoted
from podium._types import Array, BoolArray, FloatArray
from podium.columns.date import DateColumn, GapColumn
from podium.columns.number import NumberColumn
from podium.columns.text import Codes, TextColumn, WordsColumn, cross_fitted_shares
from podium.exceptions import InputError

if TYPE_CHECKING:
    import pandas as pd

Column = NumberColumn | TextColumn | DateColumn | GapColumn | WordsColumn
Rows = npt.NDArray[np.intp]

_MOST_DATES = 5  # of whose pairs the gaps are taken
_MOST_LEAVING = 1000  # columns: a frame takes as long to lose one as to lose all


class EncodedRows(NamedTuple):
    """Training rows as numbers, with their labels.

    ``by_share`` has, for every column of shares of positives, by its position, the codes of its text and how many there
    are; ``codes_of_others`` such codes of the rows that were encoded with these and are not learned from.
    """

    X: FloatArray
    is_positive: BoolArray
    by_share: dict[int, tuple[Codes, int]]
    codes_of_others: dict[int, Codes]


@dataclass
class Encoder:
    """Turns rows of a table into numbers, as learned from the training rows one column at a time.

    Attributes
    ----------
    columns : list
        One encoder for every column, in order.
    """

    columns: list[Column]

    @classmethod
    def fit(
        cls, frame: pd.DataFrame, rows: Rows, kinds: Mapping[str, str], is_positive: BoolArray | None = None
    ) -> Encoder:
        """``rows`` are the positions to learn from, ``is_positive`` their labels; no other row is looked at.

        Parameters
        ----------
        frame : pandas.DataFrame
            The columns, as `to_table` reads them.
        rows : array of int
            The positions of the rows to learn from.
        kinds : mapping of str to str
            The kind of every column, as `describe` finds it.
        is_positive : array of bool
            The labels of these rows.

        Returns
        -------
        Encoder
            The encoder, fitted.
        """
        known = [name for name in kinds if frame[name].iloc[rows].notna().any()]  # else all its values are in others
        dates = [name for name in known if kinds[name] == "date"][:_MOST_DATES]
        # Gaps first: their dates are then still in a table whose columns leave it as they are encoded.
        gaps = [GapColumn.fit(frame[a].iloc[rows], frame[b].iloc[rows]) for a, b in combinations(dates, 2)]
        columns = [_fitted(frame[name].iloc[rows], kinds[name], is_positive) for name in known]
        return cls([column for column in (*gaps, *columns) if column is not None and column.outputs])

    @property
    def kinds(self) -> dict[str, str]:
        """Names of the columns needed, with what they hold."""
        return {c.name: _KINDS[type(c)] for c in self.columns if not isinstance(c, GapColumn)}

    @property
    def outputs(self) -> list[str]:
        """Names of the columns of the matrix."""
        return [output for column in self.columns for output in column.outputs]

    def outputs_of(self, names: Sequence[str]) -> list[int]:
        """Which columns of the matrix hold the numbers of these columns of the table.

        Parameters
        ----------
        names : sequence of str
            Columns of the table.
        """
        firsts = np.cumsum([0, *(len(column.outputs) for column in self.columns)])
        places = {c.name: int(at) for c, at in zip(self.columns, firsts, strict=False) if isinstance(c, NumberColumn)}
        for name in names:
            if name not in places:
                raise InputError(
                    f"Columns of numbers that are learned from can be kept increasing; {name!r} is none of them.",
                    f"these are {quoted(list(places))}.",
                )
        return [places[name] for name in names]

    def check(self, names: Sequence[str]) -> list[str]:
        """Refuse a table that lacks columns; a sentence if they are in another order.

        Parameters
        ----------
        names : sequence of str
            The columns that the table has.

        Returns
        -------
        list of str
            Sentences about harmless differences; empty where there are none.
        """
        expected = self.kinds
        missing = [name for name in expected if name not in names]
        if missing:
            raise InputError(
                f"The model needs the columns it was trained on; missing: {quoted(missing)}.",
                _renamed(missing, [name for name in names if name not in expected])
                or f"the table has {quoted(names)}.",
            )
        if [name for name in names if name in expected] != list(expected):
            return ["The columns are in another order than in training; they were matched by name."]
        return []

    def encode(self, frame: pd.DataFrame, rows: Rows | None = None) -> FloatArray:
        """The matrix of new rows: those at the positions given, or all.

        Parameters
        ----------
        frame : pandas.DataFrame
            The columns, as `to_table` reads them.
        rows : array of int, optional
            The positions of the rows; without it, all.

        Returns
        -------
        ndarray of shape (n_rows, n_outputs)
            The rows as numbers.
        """
        self.check(list(frame.columns))
        X = self.blank(len(frame) if rows is None else len(rows))
        self.encode_into(X, frame, rows)
        return X

    def encode_into(self, X: Array, frame: pd.DataFrame, rows: Rows | None = None) -> None:
        """The same, into a matrix that is there.

        Parameters
        ----------
        X : array
            A matrix with a row for each and the columns that this encoder makes.
        frame : pandas.DataFrame
            The columns, as `to_table` reads them.
        rows : array of int, optional
            The positions of the rows; without it, all.
        """
        for column, out in self.parts(X):
            values = column.take(frame)
            column.encode(values if rows is None else values.iloc[rows], out)

    def training_rows(
        self,
        frame: pd.DataFrame,
        rows: Rows,
        is_positive: BoolArray,
        rng: np.random.Generator,
        others: tuple[Rows, FloatArray] | None = None,
    ) -> EncodedRows:
        """The rows that were learned from, none of them described by its own label.

        Every column leaves the frame as it is encoded: table and matrix together are not in memory, only parts of both.

        Parameters
        ----------
        frame : pandas.DataFrame
            The columns, as `to_table` reads them.
        rows : array of int
            The positions of the rows.
        is_positive : array of bool
            The labels of these rows.
        rng : Generator
            Draws the folds by which shares are learned.
        others : tuple, optional
            Positions of rows that are not learned from, and a matrix to write them into before their columns leave.

        Returns
        -------
        EncodedRows
            The matrix with the labels, and what is needed to learn shares of positives from a part of the rows.
        """
        found = EncodedRows(self.blank(len(rows)), is_positive, {}, {})
        leaves = frame.shape[1] <= _MOST_LEAVING
        at = 0
        for column, out in self.parts(found.X):
            values = column.take(frame)
            shared = column if isinstance(column, TextColumn) and column.uses_labels else None
            if others is not None:
                column.encode(values.iloc[others[0]], others[1][:, at : at + out.shape[1]])
                if shared is not None:
                    found.codes_of_others[at] = shared.codes(values.iloc[others[0]])
            values = values.iloc[rows]
            if leaves and column.name in frame:  # the days between two dates are no column of it
                del frame[column.name]
            _memory.release_arrow()
            if shared is not None:
                codes, n_values = shared.codes(values), len(shared.categories)
                out[:] = cross_fitted_shares(codes, is_positive, n_values, rng)
                found.by_share[at] = codes, n_values
            else:
                column.encode(values, out)
            at += out.shape[1]
        return found

    def blank(self, n_rows: int) -> FloatArray:
        """A matrix to write into; column by column in memory, as it is filled and as trees read it.

        Parameters
        ----------
        n_rows : int
            The number of rows.
        """
        return np.empty((n_rows, len(self.outputs)), order="F")

    def parts(self, X: Array) -> list[tuple[Column, Array]]:
        """Columns of the table, each with the columns of the matrix that it fills.

        Parameters
        ----------
        X : array
            A matrix with the columns that this encoder makes.
        """
        ends = np.cumsum([len(column.outputs) for column in self.columns])
        return [(c, X[:, end - len(c.outputs) : end]) for c, end in zip(self.columns, ends, strict=True)]

    def notes(self) -> list[str]:
        """How columns were encoded, in sentences."""
        numeric = [c for c in self.columns if isinstance(c, NumberColumn)]
        text = [c for c in self.columns if isinstance(c, TextColumn)]
        dates = [c.name for c in self.columns if isinstance(c, DateColumn)]
        gaps = [c.name for c in self.columns if isinstance(c, GapColumn)]
        free = [c.name for c in self.columns if isinstance(c, WordsColumn)]
        marked = [c.name for c in numeric if c.marks_missing]
        by_share = [c.name for c in text if c.uses_labels]
        one_hot = [c.name for c in text if not c.uses_labels]
        sentences = {
            f"{len(numeric)} numeric columns were centered at the median, scaled by the interquartile range, and "
            "compressed logarithmically beyond three such units.": numeric,
            f"Missing numbers were replaced by the median, with an indicator column: {', '.join(marked)}.": marked,
            f"Text with few values was encoded as one column per value: {', '.join(one_hot)}.": one_hot,
            "Text with many values was encoded as the share of positives of each value, learned from other rows: "
            f"{', '.join(by_share)}.": by_share,
            "Dates were encoded as the time elapsed and the time of the year, the week and the day, if these vary: "
            f"{', '.join(dates)}.": dates,
            f"Days between two dates of a row were added: {', '.join(gaps)}.": gaps,
            "Sentences were encoded by their words, rare ones with larger weight, reduced to a few numbers: "
            f"{', '.join(free)}.": free,
        }
        return [sentence for sentence, concerned in sentences.items() if concerned]


def kind_of(column: pd.Series[Any]) -> str:
    """``"number"`` (booleans too), ``"date"`` or ``"text"``."""
    kind = getattr(column.dtype, "kind", "O")
    return "date" if kind == "M" else "number" if kind in "biufc" else "text"


_KINDS = {NumberColumn: "number", TextColumn: "text", DateColumn: "date", WordsColumn: "words"}


def _fitted(column: pd.Series[Any], kind: str, is_positive: BoolArray | None) -> Column | None:
    match kind:
        case "number":
            return NumberColumn.fit(column)
        case "date":
            return DateColumn.fit(column)
        case "words":
            return WordsColumn.fit(column)
    return TextColumn.fit(column, is_positive)


def _renamed(missing: Sequence[str], others: Sequence[str]) -> str:
    """Which columns of a table may be those that it lacks, by similar names; empty where none is similar."""
    by_key = {name.casefold(): name for name in others}
    found = {name: _input.nearest(name.casefold(), by_key) for name in missing}
    found |= {
        name: next((key for key in by_key if key.startswith(name.casefold())), None)
        for name in missing
        if not found[name]
    }
    pairs = [f"{by_key[near]!r} to {name!r}" for name, near in found.items() if near]
    return f"were columns renamed? Perhaps rename {', '.join(pairs)}." if pairs else ""
