"""Description of a table: kinds of columns, and issues to check."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import lgamma
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api import types

from podium._progress import report_progress
from podium._types import BoolArray, FloatArray, Sample
from podium.columns.encode import kind_of
from podium.columns.text import is_free_text

_SAMPLE = 20_000  # rows that suffice to see that a column does not predict perfectly
_ORDERS = 1000  # of fewer ways to place the positives one often separates the classes by chance
_FEW = 20  # in fewer rows anything looks like an identifier
_NAMES = 0.01  # of the rows: as many values at least has a column of numbers that is an identifier by its name
_IDENTIFIER = re.compile(
    r"(?i:(.*[\s_.-])?(id|uuid|guid)"
    r"|(patient|person|subject|customer|client|user|member|household|account|kunden?|konto)[\s_.-]?(id|nr|no|number)?)"
    r"|.*[a-z](Id|ID)"
)
_NUMBER = re.compile(r"(?i:(.*[\s_.-])?(nr|no|number|key))|.*[a-z](Nr|No|Number|Key)")  # or how many there are of it


@dataclass(frozen=True)
class Description:
    """The columns to use as features, with their kinds, and notes on the others.

    Attributes
    ----------
    kinds : mapping of str to str
        The features, each with its kind.
    notes : tuple of str
        Notes on dropped columns and missing values.
    perfect : tuple of str
        Columns that alone predict the label perfectly: likely they leak the answer.
    """

    kinds: dict[str, str]
    notes: tuple[str, ...]
    perfect: tuple[str, ...]


def describe(
    frame: pd.DataFrame,
    is_positive: BoolArray,
    names: Sequence[str] | None = None,
    training: npt.NDArray[np.intp] | None = None,
) -> Description:
    """Choose the columns to use as features: constant, empty and identifier-like ones are dropped, leaks reported.

    Only the ``training`` rows are examined, if given.

    Parameters
    ----------
    frame : pandas.DataFrame
        The columns, as `to_table` reads them.
    is_positive : array of bool
        The labels of all rows.
    names : sequence of str, optional
        The columns to examine; by default all.
    training : array of int, optional
        The positions of the rows to examine; by default all.

    Returns
    -------
    Description
        The features, and notes on the others.
    """
    y = is_positive if training is None else is_positive[training]
    kinds: dict[str, str] = {}
    notes: list[str] = []
    perfect: list[str] = []
    row = "row" if training is None else "training row"
    looked_at = frame.columns if names is None else names
    for done, name in enumerate(looked_at):
        report_progress(done / len(looked_at))
        column = frame[name] if training is None else frame[name].iloc[training]
        missing = int(column.isna().sum())
        if missing == len(column):
            notes.append(f"Column {name!r} has no value in any {row} and was dropped.")
            continue
        if _is_constant(column, missing):
            notes.append(f"Column {name!r} has the same value in every {row} and was dropped.")
            continue
        kind = kind_of(column)
        if kind == "text" and is_free_text(column):
            kind = "words"
        elif _is_identifier(column, missing, len(frame)):
            notes.append(f"Column {name!r} has a different value in nearly every {row}, like an identifier: dropped.")
            continue
        elif _counts_units(column):
            notes.append(f"Column {name!r} has whole numbers and the name of an identifier: dropped.")
            continue
        kinds[name] = kind
        if missing:
            notes.append(f"Column {name!r} has no value in {missing:,} of {len(column):,} {row}s.")
        if _predicts_perfectly(column, y):
            perfect.append(name)
    return Description(kinds, tuple(notes), tuple(perfect))


def _is_constant(column: pd.Series[Any], missing: int) -> bool:
    if missing:
        return False  # that a value is there may tell something
    return bool((column == column.iloc[0]).all())


def _is_identifier(column: pd.Series[Any], missing: int, n_table: int) -> bool:
    n_rows = len(column) - missing
    if n_rows < _FEW or types.is_datetime64_any_dtype(column) or types.is_bool_dtype(column):
        return False
    if types.is_numeric_dtype(column):
        # Each once, and no more than the table has rows: rows were counted.
        known = column.dropna() if missing else column
        return _are_whole(known) and bool(known.max() - known.min() < n_table) and known.is_unique
    return int(column.nunique()) > 0.9 * n_rows


def _counts_units(column: pd.Series[Any]) -> bool:
    """Whether numbers stand for customers or the like, of which new ones will have numbers never seen before."""
    is_number = types.is_numeric_dtype(column) and not types.is_bool_dtype(column)
    if not is_number or not is_named_like_identifier(column.name):
        return False
    known = column.dropna()
    n_values = int(known.nunique())
    if n_values <= max(_FEW, _NAMES * len(column)) or not _are_whole(known):
        return False
    # What is counted begins near zero; "claims number" may be how many claims there were.
    return bool(_IDENTIFIER.fullmatch(str(column.name))) or bool(known.min() > n_values)


def _are_whole(known: pd.Series[Any]) -> bool:
    return types.is_integer_dtype(known) or all(bool((some % 1 == 0).all()) for some in (known.iloc[:_FEW], known))


def is_named_like_identifier(name: Any) -> bool:
    """Whether the name of a column says that its values name rows, or units such as customers."""
    return any(pattern.fullmatch(str(name)) for pattern in (_IDENTIFIER, _NUMBER))


def _predicts_perfectly(column: pd.Series[Any], is_positive: BoolArray) -> bool:
    n_rows, n_pos = len(is_positive), int(is_positive.sum())
    if lgamma(n_rows + 1) - lgamma(n_pos + 1) - lgamma(n_rows - n_pos + 1) < np.log(_ORDERS):
        return False
    for rows in (slice(_SAMPLE), slice(None)):
        y, values = is_positive[rows], column.iloc[rows]
        if y.all() or not y.any():
            continue
        numbers = values.to_numpy(dtype=np.float64, na_value=np.nan) if types.is_numeric_dtype(values) else None
        if numbers is not None and np.isfinite(numbers).all() and _separates(numbers, y):
            continue
        if numbers is not None and len(np.unique(numbers)) > len(y) / 10:
            return False  # as below, without the work
        by_value = pd.Series(y).groupby(values.to_numpy(), dropna=False, observed=True).agg(["mean", "size"])
        pure = by_value["mean"].isin([0.0, 1.0]).all()
        if not pure or len(by_value) > len(y) / 10:  # values that hardly repeat are pure by chance
            return False
    return True


def _separates(numbers: FloatArray, is_positive: BoolArray) -> bool:
    """Whether all positives are on one side of all negatives."""
    return Sample(numbers, is_positive).is_separated or Sample(-numbers, is_positive).is_separated
