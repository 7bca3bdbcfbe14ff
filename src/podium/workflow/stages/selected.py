"""Signs that labels are missing by selection, and what holds of the list then.

Rows are inspected because they look bad. What is true of them is not true of the list, so while such a sign stands no
figure of the whole list is given: its bounds are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api import types

from podium._results.doubts import Doubt
from podium._results.wording import percent, quoted
from podium._types import BoolArray, FloatArray
from podium.columns.number import numbers

_LEVEL = 0.02  # of the test: 4 of 200 tables labeled at random are warned of
_DRAWS = 399  # permutations; twice the least p-value they give is below the level
_ROWS = 5_000  # of either kind that suffice
_VALUES = 20  # most frequent values of a column that are told apart
_RECORD = 0.95  # of the rows without a label: a column that is empty there was filled by the inspection
_RIDGE = 0.1  # of the variance of a column
_AUDIT = 100  # rows drawn at random that show what the others are like
_NAMED = 3  # columns in a sentence


class Selection(NamedTuple):
    """The p-value of "rows with a label are a random draw", and the columns in which they differ most."""

    pvalue: float
    columns: list[str]

    @property
    def is_found(self) -> bool:
        return self.pvalue <= _LEVEL


def selection(frame: pd.DataFrame, is_labeled: BoolArray, names: Sequence[str], seed: int) -> Selection:
    r"""Test whether rows with a label are a random draw from all rows, as far as these columns show.

    Every column becomes a few features (the rank and its distance from the middle, frequent values, gaps), of mean 0
    and variance 1. Two statistics of their means over the labeled rows are compared with those over rows drawn at
    random: the largest one in size, for one column that decides; and the sum of squares of all of them, decorrelated,
    for many that decide together. The p-value is twice the smaller one, so its level is exact in samples of any size.
    """
    rng = np.random.default_rng(seed)
    kinds = (np.flatnonzero(is_labeled), np.flatnonzero(~is_labeled))
    rows = np.concatenate([np.sort(rng.permutation(kind)[:_ROWS]) for kind in kinds])
    labeled = is_labeled[rows]
    parts = [(name, _features(frame[name].iloc[rows], labeled)) for name in names]
    owner = np.array([name for name, part in parts for _ in range(part.shape[1])])
    if not len(owner) or labeled.sum() < 2 or (~labeled).sum() < 2:
        return Selection(1.0, [])
    X = np.column_stack([part for _, part in parts])
    left, size, _ = np.linalg.svd(X, full_matrices=False)
    left *= np.sqrt(size**2 / (size**2 + _RIDGE * len(rows)))
    drawn = np.vstack([labeled, rng.permuted(np.tile(labeled, (_DRAWS, 1)), axis=1)]) - labeled.mean()
    means = np.abs(drawn @ X)
    largest, together = means.max(axis=1), ((drawn @ left) ** 2).sum(axis=1)
    # Sums in another order differ in their last bits: nearly equal is equal, on the side of caution.
    tails = [float(np.mean(each >= each[0] * (1 - 1e-9))) for each in (largest, together)]
    usual = np.quantile(largest[1:], 1 - _LEVEL)
    differ = sorted(map(str, set(owner[means[0] > usual])), key=lambda name: -means[0][owner == name].max())
    return Selection(min(1.0, 2 * min(tails)), differ)


def _features(column: pd.Series[Any], labeled: BoolArray) -> FloatArray:
    """Standardized features of a column; none of one that the inspection itself fills."""
    gap = column.isna().to_numpy()
    if gap[~labeled].mean() >= _RECORD:
        return np.zeros((len(column), 0))
    is_number = types.is_numeric_dtype(column) and not types.is_bool_dtype(column)
    found = [gap]
    if is_number or types.is_datetime64_any_dtype(column):
        place = pd.Series(numbers(column)).rank().to_numpy()
        place = np.where(gap, np.nan, place - np.nanmean(place))
        found += [np.where(gap, 0.0, place), np.where(gap, 0.0, np.abs(place) - np.nanmean(np.abs(place)))]
    else:
        codes, values = pd.factorize(column)
        frequent = np.argsort(-np.bincount(codes[codes >= 0], minlength=len(values)), kind="stable")[:_VALUES]
        found += [codes == value for value in frequent]
    X = np.column_stack(found).astype(np.float64)
    X -= X.mean(axis=0)
    spread = X.std(axis=0)
    kept = spread > 1e-12
    return np.asarray(X[:, kept] / spread[kept])


def selection_doubt(found: Selection, n_labeled: int, n_rows: int) -> Doubt:
    """What a person has to know, and which audit would settle it."""
    where = f"in {quoted(found.columns[:_NAMED])}" if found.columns else "in several columns together"
    return Doubt(
        "selection",
        f"The {n_labeled:,} rows with a label are no random part of the {n_rows:,}: they differ from the others "
        f"{where}. What is true of them need not hold for the whole list, of which no figure is estimated here; bounds "
        f"hold whatever the other labels are. {_audit(n_rows - n_labeled)}",
    )


def _audit(n_others: int) -> str:
    return (
        f"An audit would settle it: label {min(_AUDIT, n_others):,} of the {n_others:,} other rows, drawn at random, "
        "and give every row the probability with which it was to be labeled in a column 'inclusion' (podium score "
        "--explore draws them)."
    )


def at_random_note(share: float) -> str:
    """What is assumed of lists whose labels are missing at random, as far as their columns show."""
    return (
        f"Rows with a label look like a random part of their lists: each row is taken to have had a label with a "
        f"probability of {percent(share)}."
    )
