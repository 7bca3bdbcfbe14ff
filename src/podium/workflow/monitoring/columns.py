"""Which columns moved: a learned two-sample test of all of them, and a rank test of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy

from podium import inference
from podium._results import wording
from podium._results.result import Result
from podium._types import BoolArray, FloatArray
from podium.inference.rank_tests import holm
from podium.metrics import auc
from podium.tables import Encoder, TableModel, to_table
from podium.tables.columns.date import DateColumn
from podium.tables.columns.text import MOST_ONE_HOT, TextColumn
from podium.tables.describe import is_named_like_identifier
from podium.tables.encode import Column

_MOST = 20_000  # rows of either table; more would show differences that do not matter
_KNOWN = 0.1  # share of the rows that the most frequent values of a column have at least if it does not name units


@dataclass(frozen=True, kw_only=True, repr=False)
class ColumnDrift(Result):
    """How the columns of a batch differ from those of a reference table.

    Dates and identifiers are new in every batch and are not compared; the days between two dates are.

    Attributes
    ----------
    alarm : bool
        Whether the rows differ from those of the reference by more than chance.
    moved : tuple of str
        The columns that differ individually, the most different first.
    shifts : tuple of float
        For each of them, the probability that a value of the batch exceeds one of the reference (ties count half):
        about one half without drift.
    auc : float
        The AUC, on held-out rows, of a score trained to separate the batch from the reference by all columns.
    pvalue : float
        The smallest p-value of all tests, adjusted for their number by Holm's method.
    level : float
        The threshold for the p-value: the part of ``alpha``, the total over all batches, that is spent on this one.
    """

    alarm: bool
    moved: tuple[str, ...]
    shifts: tuple[float, ...]
    auc: float
    pvalue: float
    level: float

    def __repr__(self) -> str:
        if not self.alarm:
            return f"no alarm: columns as in the reference, {wording.pvalue(self.pvalue)}"
        named = ", ".join(f"{name} ({shift:.2f})" for name, shift in zip(self.moved, self.shifts, strict=True))
        return f"ALARM: columns moved: {named or 'several jointly, none individually'}; {wording.pvalue(self.pvalue)}"


def moved_columns(model: TableModel, frame: pd.DataFrame, reference: Any, alpha: float, n_tests: int) -> ColumnDrift:
    """Compare a batch with a reference table; the n-th such test may be wrong with probability α/(n(n + 1))."""
    other = to_table(reference, known=model.known).frame
    model.check(list(map(str, other.columns)))
    rng = np.random.default_rng(n_tests)
    tables = [table[list(model.kinds)].iloc[_some(len(table), rng)] for table in (frame, other)]
    pooled = pd.concat(tables, ignore_index=True)
    is_new = np.arange(len(pooled)) < len(tables[0])
    # Encoded anew, by both tables alike: an encoder that had learned from one would tell them apart by that alone.
    encoder = Encoder.fit(pooled, np.arange(len(pooled)), model.kinds)
    parts = [(c, out) for c, part in encoder.parts(encoder.encode(pooled)) if (out := _comparable(c, part)).size]
    X = np.hstack([part for _, part in parts]) if parts else np.zeros((len(pooled), 1))
    learned = inference.learned_two_sample_test(X[is_new], X[~is_new], rng=rng)
    names, pvalues, shifts = [], [learned.pvalue], []
    for column, part in parts:
        pvalue, shift = _tested(part, is_new)
        names.append(column.name)
        pvalues.append(pvalue)
        shifts.append(shift)
    adjusted = holm(np.array(pvalues))
    level = alpha / (n_tests * (n_tests + 1))
    order = [i for i in np.argsort(adjusted[1:], kind="stable") if adjusted[1 + i] <= level]
    return ColumnDrift(
        alarm=bool(adjusted.min() <= level),
        moved=tuple(names[i] for i in order),
        shifts=tuple(shifts[i] for i in order),
        auc=learned.auc,
        pvalue=float(adjusted.min()),
        level=level,
    )


def _comparable(column: Column, part: FloatArray) -> FloatArray:
    """Of the numbers that stand for a column, those that are not bound to differ in every batch."""
    if isinstance(column, DateColumn):
        return part[:, 1 : len(column.level.outputs)]  # whether there is a date
    if isinstance(column, TextColumn) and len(column.categories) == MOST_ONE_HOT:
        names_units = is_named_like_identifier(column.name) or part.any(axis=1).mean() < _KNOWN
        return part[:, :0] if names_units else part
    return part


def _some(n_rows: int, rng: np.random.Generator) -> Any:
    return rng.permutation(n_rows)[:_MOST]


def _tested(part: FloatArray, is_new: BoolArray) -> tuple[float, float]:
    """p-value and shift of a column, by the strongest of the numbers that stand for it."""
    tests = []
    for values in part.T:
        low, high = values.min(), values.max()
        if low < high:
            tests.append((_pvalue(values, low, high, is_new), auc(is_new, values)))
    pvalue, shift = min(tests, default=(1.0, 0.5))
    return min(1.0, len(tests) * pvalue), shift


def _pvalue(values: FloatArray, low: float, high: float, is_new: BoolArray) -> float:
    """Of a rank test; of two values, one may be rare, and no normal approximation holds: Fisher's exact test."""
    if ((values == low) | (values == high)).all():
        is_high = values == high
        table = [[np.count_nonzero(is_high & rows), np.count_nonzero(~is_high & rows)] for rows in (is_new, ~is_new)]
        return float(scipy.stats.fisher_exact(np.array(table)).pvalue)
    return inference.rank_test(values[is_new], values[~is_new], method="asymptotic").pvalue
