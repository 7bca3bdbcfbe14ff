"""Chances by a curve, their limits whatever its shape, and whether they hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from podium import _input
from podium._shares import least_share, normal_quantile, wilson
from podium._types import BoolArray, FloatArray
from podium.rankers.calibration.shapes import Isotonic, Platt

_KNOTS = 2_000  # scores with limits of their own, at most
_GROWTH = 1.25  # of one window to the next
_TAIL = 0.025  # on either side


@dataclass(frozen=True, eq=False)
class IncreasingLimits:
    r"""95 % limits of a chance that does not fall with the score, each for one score by itself.

    Rows with at most the score :math:`s` have on average at most its chance. So the lower limit of Clopper and Pearson
    for the share of positives among the last :math:`m` rows up to :math:`s` is one of the chance at :math:`s`, for
    every increasing chance and any :math:`m` that was not chosen by these labels; the rows from :math:`s` on give the
    upper one. :math:`m` is where a logistic curve in the normal scores of the ranks would have its limit closest: the
    labels have a say in it by two numbers only, and another shape costs width, not coverage. Limits that would fall
    with the score are drawn apart. Rows of equal score are in a window together. With weights limits are approximate: a
    window has as many rows as give its share that variance, where weights of positives and of negatives differ, and at
    most :math:`(\sum w)^2 / \sum w^2` (Kish).
    """

    knots: FloatArray
    low: FloatArray
    high: FloatArray

    @classmethod
    def fit(cls, scores: FloatArray, is_positive: BoolArray, weight: FloatArray | None = None) -> IncreasingLimits:
        each = np.ones(len(scores)) if weight is None else weight / weight.max()
        order = np.argsort(scores, kind="stable")
        order = order[each[order] > 0]
        values, first, count = np.unique(scores[order], return_index=True, return_counts=True)
        each, labels = each[order], is_positive[order]
        rows, hits, squares = (np.add.reduceat(part, first) for part in (each, each * labels, each**2))
        through = np.cumsum(rows)
        normal = ndtri((through - rows / 2) / through[-1])
        expected = Platt.fit(np.repeat(normal, count), labels, each)(normal)
        at = np.unique(np.linspace(0, len(values) - 1, _KNOTS).round().astype(np.intp))
        heavy = tuple(float((each[own] ** 2).sum() / each[own].sum()) for own in (labels, ~labels))
        low = _lower_limits(np.array([rows, hits, squares, rows * expected]), at, *heavy)
        mirrored = np.array([rows, rows - hits, squares, rows * (1 - expected)])[:, ::-1]
        high = 1 - _lower_limits(mirrored, len(values) - 1 - at[::-1], *heavy[::-1])[::-1]
        return cls(values[at], np.minimum.accumulate(low[::-1])[::-1], np.maximum.accumulate(high))

    def __call__(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Limits at every score: those of the nearest knot below, and of the nearest above; 0 and 1 beyond all."""
        below, above = np.searchsorted(self.knots, scores, "right"), np.searchsorted(self.knots, scores, "left")
        return np.append(0.0, self.low)[below], np.append(self.high, 1.0)[above]


def _lower_limits(per_score: FloatArray, at: NDArray[np.intp], hit: float, miss: float) -> FloatArray:
    """From rows, hits, squares and hits expected of each score, in increasing order: the limits at some of them.

    ``hit`` and ``miss`` are the weights of such rows, as Σw²/Σw.
    """
    sums = np.concatenate([np.zeros((4, 1)), np.cumsum(per_score, axis=1)], axis=1)
    end = sums[:, at + 1]
    best, chosen = np.full(len(at), -np.inf), np.zeros((4, len(at)))
    size = 1.0
    while size < _GROWTH * sums[0, -1]:
        start = np.maximum(np.searchsorted(sums[0], end[0] - size, "right") - 1, 0)
        window = end - sums[:, start]
        share = window[3] / window[0]
        n_rows = _worth(window, share, hit, miss)
        hoped_for = wilson(n_rows * share, n_rows, normal_quantile(1 - 2 * _TAIL))[0]
        better = hoped_for > best
        best, chosen = np.where(better, hoped_for, best), np.where(better, window, chosen)
        size *= _GROWTH
    share = np.clip(chosen[1] / chosen[0], 0, 1)
    n_rows = _worth(chosen, share, hit, miss)
    share = np.where(share > 1e-9, share, 0.0)  # else what rounding leaves of none
    return np.asarray(least_share(n_rows * share, n_rows, _TAIL))


def _worth(window: FloatArray, share: FloatArray, hit: float, miss: float) -> FloatArray:
    """How many rows of equal weight: p(1 − p) over the variance of the weighted share p, or fewer by Kish."""
    return np.minimum(window[0] / (hit * (1 - share) + miss * share), window[0] ** 2 / window[2])


_FEW = 100  # rows of the rarer class: below, a curve with two parameters says more than steps
_FOLDS, _BINS, _PER_BIN = 5, 10, 20


def fit_calibration(
    method: Any, scores: FloatArray, is_positive: BoolArray, weight: FloatArray | None
) -> Isotonic | Platt:
    """The curve of a name: ``"isotonic"`` or ``"platt"``."""
    _input.check_choice("calibrate", method, ("isotonic", "platt"))
    return (Isotonic if method == "isotonic" else Platt).fit(scores, is_positive, weight)


@dataclass(frozen=True, eq=False)
class Calibration:
    """Isotonic regression with at least 100 rows of each class, with fewer Platt's curve.

    Beyond the scores it was learned from, where nothing is known, it says what it says of the nearest. Its limits
    suppose no shape, but that chances do not fall with the score.
    """

    curve: Isotonic | Platt
    scores: FloatArray
    is_positive: BoolArray
    weight: FloatArray | None

    @classmethod
    def fit(cls, scores: FloatArray, is_positive: BoolArray, weight: FloatArray | None = None) -> Calibration:
        """From rows that had no part in making the scorer; both classes must be there."""
        n_pos = int(is_positive.sum())
        few = min(n_pos, len(is_positive) - n_pos) < _FEW
        curve = (Platt if few else Isotonic).fit(scores, is_positive, weight)
        return cls(curve, scores, is_positive, weight)

    def __call__(self, scores: FloatArray) -> FloatArray:
        """The chance of every score."""
        return self.curve(np.clip(scores, self.scores.min(), self.scores.max()))

    def limits(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Between which the chance of a score is with 95 % confidence; what is said of it is never outside."""
        chance, (low, high) = self(scores), self._increasing(scores)
        return np.minimum(low, chance), np.maximum(high, chance)

    @cached_property
    def _increasing(self) -> IncreasingLimits:
        return IncreasingLimits.fit(self.scores, self.is_positive, self.weight)


@dataclass(frozen=True, eq=False)
class Reliability:
    """Bins of about equally many rows by the chance said, and the share of positives found there with 95 % limits.

    ``of_rows`` is what was said of each row.
    """

    of_rows: FloatArray
    said: FloatArray
    found: FloatArray
    low: FloatArray
    high: FloatArray
    n_rows: FloatArray

    @property
    def expected_error(self) -> float:
        """The mean distance of what was found from what was said, over all rows."""
        return float(np.average(np.abs(self.found - self.said), weights=self.n_rows))

    @property
    def chance_error(self) -> float:
        """The same if all that was said were true, by the normal law."""
        typical = np.sqrt(2 / np.pi * self.said * (1 - self.said) / self.n_rows)
        return float(np.average(typical, weights=self.n_rows))


def reliability(is_positive: BoolArray, scores: FloatArray) -> Reliability:
    """Chances learned from four fifths of the rows, five times over, and what was found in the other fifth."""
    fold = np.empty(len(scores), dtype=np.intp)
    # Every fold has scores of all sizes. Labels, and the order of rows that tie, have no say in it: else the rows left
    # out would be like the others.
    at_random = np.random.default_rng(0).random(len(scores))
    fold[np.lexsort((at_random, scores))] = np.arange(len(scores)) % _FOLDS
    said = np.empty(len(scores))
    for k in range(_FOLDS):
        here = fold == k
        said[here] = Calibration.fit(scores[~here], is_positive[~here])(scores[here])
    n_bins = int(np.clip(len(scores) // _PER_BIN, 2, _BINS))
    parts = np.array_split(np.argsort(said, kind="stable"), n_bins)
    n: FloatArray = np.array([len(part) for part in parts], dtype=np.float64)
    h: FloatArray = np.array([is_positive[part].sum() for part in parts], dtype=np.float64)
    low, high = wilson(h, n, normal_quantile(0.95))
    return Reliability(said, np.array([said[part].mean() for part in parts]), h / n, low, high, n)
