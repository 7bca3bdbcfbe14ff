"""Net benefit of one rule over another on the same rows, at every threshold probability."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from podium._results import wording
from podium._results.result import Result, Table
from podium._types import Array, BoolArray, FloatArray

if TYPE_CHECKING:
    from podium.inference.decision_curves import DecisionCurve

_PSEUDO_ROWS = 2.0  # of each class on which one rule alone acts, half of them either: none is taken as impossible
_DRAWS = 10_000  # of the largest deviation; its 95 % quantile is then known to about 0.5 %


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class NetBenefitDifference(Result):
    """Net benefit of one scorer less that of another.

    Attributes
    ----------
    names : tuple of str
        The names of the two scorers.
    threshold : ndarray
        The threshold probabilities.
    difference : ndarray
        The net benefit of the first less that of the second, in true positives per row.
    low, high : ndarray
        Its band, which holds at all thresholds and for all pairs of scorers at once.
    confidence_level : float
        Approximate probability that all differences are inside.
    """

    names: tuple[str, str]
    threshold: FloatArray
    difference: FloatArray
    low: FloatArray
    high: FloatArray
    confidence_level: float

    def __repr__(self) -> str:
        a, b = self.names
        found = [
            f"{word} at thresholds from {where[0]:.3g} to {where[-1]:.3g}"
            for word, where in (
                ("larger", self.threshold[self.low > 0]),
                ("smaller", self.threshold[self.high < 0]),
            )
            if len(where)
        ]
        surely = f"surely {' and '.join(found)}" if found else "nowhere surely larger or smaller"
        return f"Net benefit of {a} against {b} ({wording.level(self.confidence_level)} band): {surely}"


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class DecisionComparison(Result):
    """Decision curves of several scorers of the same rows, and their differences.

    Attributes
    ----------
    curves : dict
        The `DecisionCurve` of every scorer by name, each with a band of its own.
    differences : tuple of NetBenefitDifference
        Those of all pairs, with bands that hold together.
    """

    curves: Mapping[str, DecisionCurve]
    differences: tuple[NetBenefitDifference, ...]

    def __iter__(self) -> Iterator[NetBenefitDifference]:
        return iter(self.differences)

    def __repr__(self) -> str:
        return "; ".join(repr(each) for each in self)

    def _table(self) -> Table:
        return ("scorers", "difference of net benefit"), [
            (" against ".join(each.names), repr(each).partition(": ")[2]) for each in self
        ]


@dataclass(frozen=True)
class Rules:
    """What two rules do with the rows: upto how many of the thresholds each of them acts on every row."""

    first: Array
    second: Array
    is_positive: BoolArray
    odds: FloatArray
    prevalence: float | None = None

    def difference(self) -> tuple[FloatArray, FloatArray]:
        r"""Difference of the net benefits, and its covariance over the thresholds.

        With :math:`d_i(t)` = 1 where the first rule alone acts on row i at t, −1 where the second alone does, it is the
        mean of :math:`d_i(t)` over the positives and of :math:`-w_t d_i(t)` over the negatives, weighed by prevalence.
        """
        classes = [self._of_class(rows) for rows in (self.is_positive, ~self.is_positive)]
        (n_pos, of_pos, pos), (n_neg, of_neg, neg) = classes
        pi = n_pos / (n_pos + n_neg) if self.prevalence is None else self.prevalence
        both, centers = np.outer(self.odds, self.odds), []
        for rows in (0.0, _PSEUDO_ROWS):
            centers.append(pi * of_pos / (n_pos + rows) - (1 - pi) * self.odds * of_neg / (n_neg + rows))
        if self.prevalence is None:
            second = pi * pos + (1 - pi) * both * neg
            return centers[0], (second - np.outer(centers[1], centers[1])) / (n_pos + n_neg)
        apart = [moment - np.outer(total, total) / (n + _PSEUDO_ROWS) ** 2 for n, total, moment in classes]
        return centers[0], pi**2 * apart[0] / n_pos + (1 - pi) ** 2 * both * apart[1] / n_neg

    def _of_class(self, rows: BoolArray) -> tuple[int, FloatArray, FloatArray]:
        """Size of a class, sums of d(t) over its rows, and means of d(t)·d(u) over these and the pseudo-rows."""
        n_rows, size = int(rows.sum()), len(self.odds) + 1
        place = self.first[rows] * size + self.second[rows]
        table = np.bincount(place, minlength=size * size).reshape(size, size)
        # How many rows the first acts on at t and the second at u: all that are beyond both places.
        both = table[::-1, ::-1].cumsum(0).cumsum(1)[::-1, ::-1]
        first, second, both = both[1:, 0], both[0, 1:], both[1:, 1:]
        one = np.minimum.outer(first, first) + np.minimum.outer(second, second)
        moment = (one - both - both.T + _PSEUDO_ROWS) / (n_rows + _PSEUDO_ROWS)
        return n_rows, (first - second).astype(np.float64), moment


def largest_deviation(covariance: FloatArray, level: float, rng: np.random.Generator) -> float:
    """The quantile of max |Z| for a normal vector Z with the correlations of this covariance."""
    error = np.sqrt(np.diag(covariance))
    values, vectors = np.linalg.eigh(covariance / np.outer(error, error))
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return float(np.quantile(np.abs(rng.standard_normal((_DRAWS, len(root))) @ root.T).max(axis=1), level))
