"""Profiles of the training rows, column by column, and how a new list differs from them.

Every comparison allows for chance: a difference is told only if it is large and could hardly come about by drawing the
list from the training rows. The profile holds shares of rows and a few quantiles, no row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
import pandas as pd
from scipy.special import bdtrc

from podium._results.wording import percent
from podium._types import FloatArray
from podium.selection.dependence import Rows
from podium.tables.columns.number import FEWEST_ROWS, numbers, shared_quantiles

_LOOKED_AT = 50_000  # training rows
_QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
_LARGE = 0.1  # difference of shares that is worth a word where a column is missing or unseen
_LARGE_SHIFT = 0.25  # the same where a distribution moved
_CHANCE = 1e-5  # probability of a false alarm, by column and question
_NOISE = 2.5  # over √n: what the largest difference of two distribution functions hardly exceeds by chance


@dataclass
class ColumnProfile:
    """Shares of training rows: without a value; at most each grid point, or with each value; with a rare value.

    A value is rare for a row where fewer than five *other* rows have it, as it will be for a new row.
    """

    kind: Literal["number", "text", "date", "words"]
    n_rows: int
    missing: float
    grid: FloatArray
    values: list[str]
    shares: FloatArray
    rare: float = 0.0

    def __post_init__(self) -> None:
        n_points = {"number": len(self.grid), "text": len(self.values)}.get(self.kind, 0)
        shares = np.array([self.missing, self.rare, *self.shares])
        if self.shares.shape != (n_points,) or not ((shares >= 0) & (shares <= 1)).all() or self.n_rows < 1:
            raise ValueError(f"a profile needs shares of {n_points} values")
        if self.grid.ndim != 1 or not np.isfinite(self.grid).all() or (np.diff(self.grid) <= 0).any():
            raise ValueError("a profile needs increasing numbers")
        if len(set(self.values)) < len(self.values):
            raise ValueError("a profile needs different values")

    @classmethod
    def of(cls, column: pd.Series[Any], kind: str) -> ColumnProfile:
        """From training rows."""
        missing = column.isna().mean()
        grid, values, shares, rare = np.zeros(0), [], np.zeros(0), 0.0
        if kind == "number":
            known = _known(column)
            missing = 1 - len(known) / len(column)
            grid = np.unique(shared_quantiles(known, _QUANTILES)) if len(known) else grid
            shares = _at_most(known, grid)
        elif kind == "text":
            counts = column.dropna().astype(str).value_counts()
            n_known = counts.sum()
            rare = float(counts[counts <= FEWEST_ROWS].sum() / max(n_known, 1))
            counts = counts[counts >= FEWEST_ROWS]
            values, shares = [str(value) for value in counts.index], counts.to_numpy() / max(n_known, 1)
        return cls(cast(Any, kind), len(column), float(missing), grid, values, shares, rare)


def profile(frame: pd.DataFrame, rows: Rows, kinds: Mapping[str, str]) -> dict[str, ColumnProfile]:
    """Of the columns of these kinds, by the rows at these positions, or evenly chosen ones of them."""
    some = rows[:: -(-len(rows) // _LOOKED_AT)]
    return {name: ColumnProfile.of(frame[name].iloc[some], kind) for name, kind in kinds.items()}


class ListProfile:
    """The same of a new list, which may come piece by piece."""

    def __init__(self, known: Mapping[str, ColumnProfile]) -> None:
        self._known = known
        self._missing = dict.fromkeys(known, 0)
        self._counts = {name: np.zeros(max(len(p.grid), len(p.values))) for name, p in known.items()}
        self._middle: dict[str, list[float]] = {name: [] for name in known}
        self._n_rows = 0

    def add(self, frame: pd.DataFrame) -> None:
        """Further rows."""
        self._n_rows += len(frame)
        for name, profile in self._known.items():
            column = frame[name]
            if profile.kind == "number":
                known = _known(column)
                self._missing[name] += len(frame) - len(known)  # with the infinite ones
                self._counts[name] += len(known) * _at_most(known, profile.grid)
                self._middle[name] += [*shared_quantiles(known, (0.5,)).tolist()] if len(known) else []
                continue
            self._missing[name] += int(column.isna().sum())
            if profile.kind == "text":
                codes = pd.Index(profile.values).get_indexer(pd.Index(column.dropna().astype(str)))
                self._counts[name] += np.bincount(codes[codes >= 0], minlength=len(profile.values))

    def differences(self) -> list[str]:
        """How the list differs from the training rows, in sentences; in the order of the columns."""
        return [sentence for name in self._known for sentence in self._of(name)]

    def _of(self, name: str) -> Iterable[str]:
        known, missing = self._known[name], self._missing[name]
        n_known = self._n_rows - missing
        if _is_more(missing, self._n_rows, known.missing, known.n_rows):
            yield (
                f"Column {name!r} has no value in {percent(missing / self._n_rows)} of the rows; "
                f"in training in {percent(known.missing)}."
            )
        if not n_known or not len(known.shares):
            return
        shares = self._counts[name] / n_known
        if known.kind == "text":
            n_unseen = n_known - int(self._counts[name].sum())
            if _is_more(n_unseen, n_known, known.rare, known.n_rows):
                yield (
                    f"Column {name!r} has values in {percent(n_unseen / n_known)} of the rows that were rare or absent "
                    f"in training; there, {percent(known.rare)} of the values were as rare."
                )
                return
        shift = shares - known.shares
        at = int(np.argmax(np.abs(shift)))
        if np.abs(shift[at]) <= _LARGE_SHIFT + _NOISE / np.sqrt(n_known):
            return
        now, then = percent(shares[at]), percent(known.shares[at])
        if known.kind == "text":
            yield f"Column {name!r} is {known.values[at]!r} in {now} of the rows; in training in {then}."
            return
        moved = f"Column {name!r} is at most {known.grid[at]:.6g} in {now} of the rows; in training in {then}."
        yield self._other_unit(name) or moved

    def _other_unit(self, name: str) -> str:
        """A sentence if values are about ten, a hundred or a thousand times as large, or as small."""
        middle = float(np.median(self._middle[name]))
        known = self._known[name]
        usual = known.grid[min(int(np.searchsorted(known.shares, 0.5)), len(known.grid) - 1)]
        if np.sign(middle) * np.sign(usual) <= 0:
            return ""
        power = np.log10(abs(middle)) - np.log10(abs(usual))  # neither product nor quotient need be a number
        if abs(power) < 0.8 or abs(power - round(power)) > 0.15:
            return ""
        times = f"{10 ** abs(round(power)):,} times as {'large' if power > 0 else 'small'}"
        return (
            f"Column {name!r} is about {times} as in training (median {middle:.6g}, in training {usual:.6g}): "
            "is it in another unit?"
        )


def _known(column: pd.Series[Any]) -> FloatArray:
    values = numbers(column)
    return values[~np.isnan(values)]


def _at_most(values: FloatArray, grid: FloatArray) -> FloatArray:
    """Shares of the values at most each grid point."""
    return np.searchsorted(np.sort(values), grid, side="right") / max(len(values), 1)


def _is_more(count: int, n: int, share: float, n_training: int) -> bool:
    """Whether far more rows are such than in training, beyond chance; none there may still be one in so many."""
    return count / n - share > _LARGE and bool(bdtrc(count - 1, n, max(share, 1 / n_training)) < _CHANCE)
