"""Columns as bins (0 for what is missing or unknown), and the gain of a split between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from podium._types import BoolArray, FloatArray
from podium.phi import Phi
from podium.phi.classical import INNERMOST

MOST = 255  # bins of a column, without the one for missing values
Codes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Bins:
    """The cuts between bins of every column; for a column of categories, the codes that have bins of their own."""

    cuts: tuple[FloatArray, ...]
    is_categorical: BoolArray
    has_missing: BoolArray

    @classmethod
    def of(cls, X: FloatArray, weight: FloatArray, categorical: Sequence[int]) -> Bins:
        """Bins of about equal mass, one for each value where values are few; of categories, the most frequent ones."""
        is_categorical = np.isin(np.arange(X.shape[1]), list(categorical))
        cuts = []
        for values, by_code in zip(X.T, is_categorical, strict=True):
            known = ~np.isnan(values)
            distinct, which = np.unique(values[known], return_inverse=True)
            mass = np.asarray(np.bincount(which, weight[known], len(distinct)), dtype=np.float64)
            cuts.append(_frequent(distinct, mass) if by_code else _cuts(distinct, mass))
        return cls(tuple(cuts), is_categorical, np.asarray(np.isnan(X).any(axis=0)))

    @property
    def n_bins(self) -> npt.NDArray[np.intp]:
        """How many bins every column has, with the one for missing values."""
        return np.array([len(cuts) for cuts in self.cuts]) + np.where(self.is_categorical, 1, 2)

    def codes(self, X: FloatArray) -> Codes:
        """The bin of every value."""
        out = np.empty(X.shape, dtype=np.uint8)
        for j, (cuts, by_code) in enumerate(zip(self.cuts, self.is_categorical, strict=True)):
            values = X[:, j]
            place = np.searchsorted(cuts, values)
            if by_code:
                place = np.minimum(place, max(len(cuts) - 1, 0))
                known = cuts[place] == values if len(cuts) else np.zeros(len(values), dtype=np.bool_)
            else:
                known = ~np.isnan(values)
            out[:, j] = np.where(known, place + 1, 0)
        return out


def _cuts(distinct: FloatArray, mass: FloatArray) -> FloatArray:
    """Midway between neighboring values: no value of a row is kept."""
    if len(distinct) > MOST:
        upto = np.cumsum(mass)
        # A value belongs to the bin in which the middle of its mass falls.
        bins = np.floor((upto - mass / 2) * (MOST / upto[-1]))
        last = np.flatnonzero(np.diff(bins) > 0)
    else:
        last = np.arange(len(distinct) - 1)
    low, high = distinct[last], distinct[last + 1]
    middle = low / 2 + high / 2
    return np.where(middle < high, middle, low)  # rounding must not lift the cut to the value above it


def _frequent(distinct: FloatArray, mass: FloatArray) -> FloatArray:
    return np.sort(distinct[np.lexsort((distinct, -mass))[:MOST]])


_NARROW = 1e-12  # of the list
_SHARE = 0.1  # of the AUC beside φ, by how much higher the upper half of a list stands than the lower


class CurveGain:
    r"""ω_φ of a list of cells, cell by cell, read off the curve.

    The rows of a cell are tied: those with ranks between u and v, as shares of the list, get the mean of φ over [u, v]
    (CLV21, Lemma 3, with a broken line for the curve). With n positives in all, of which n_C are in the cell,

    .. math:: \omega_\phi = \sum_C \frac{n_C}{n} \cdot \frac{1}{v_C - u_C} \int_{u_C}^{v_C} \varphi, \qquad
       \varphi = \frac{\phi - \ell}{h - \ell},

    ℓ and h the means of φ over the lowest and the highest n ranks. Cutting a cell moves no other cell, so the gains of
    all cuts add up to ω_φ of the list less that of one cell. At φ(u) = u a cut into C′ and the rest gains
    ½ (n_C/n) (m_C/m) (TPR(C′) − FPR(C′)), rates within the cell: the area of a triangle under the curve.
    """

    def __init__(self, phi: Phi, n_pos: float, n_neg: float) -> None:
        self.n_total, self.n_pos = n_pos + n_neg, n_pos
        self.phi = phi.bind(self.n_total)
        share = n_pos / self.n_total
        zero, low, high, one = self.phi.integral(np.array([0.0, share, 1 - share, 1.0]))
        self.floor = (low - zero) / share
        self.range = (one - high - low + zero) / share or 1.0  # φ that is flat has nothing to gain

    def value(self, n_pos: FloatArray, below: FloatArray, size: FloatArray) -> FloatArray:
        """The part of ω_φ of cells with so many positives, so many rows below them and in them."""
        ends = np.clip(np.stack([below, below + size]) / self.n_total, 0.0, 1.0)
        width, rise = np.diff(ends, axis=0)[0], np.diff(self.phi.integral(ends), axis=0)[0]
        mean, narrow = rise / np.maximum(width, _NARROW), width < _NARROW
        if narrow.any():  # rounding would decide
            mean[narrow] = self.phi.value(np.clip(ends.mean(axis=0)[narrow], *INNERMOST))
        return n_pos / self.n_pos * (mean - self.floor) / self.range

    def of_cuts(self, n_pos: float, n_neg: float, below: float, pos: FloatArray, neg: FloatArray) -> FloatArray:
        """The gains of putting ``pos`` positives and ``neg`` negatives of a cell above its other rows."""
        size, top = n_pos + n_neg, pos + neg
        rest = np.maximum(size - top, 0.0)
        upper = self.value(pos, below + rest, top)
        lower = self.value(np.maximum(n_pos - pos, 0.0), np.full_like(top, below), rest)
        whole = self.value(np.array([n_pos]), np.array([below]), np.array([size]))[0]
        return upper + lower - whole

    def costs(self, n_pos: float, n_neg: float, below: float, pos: float, neg: float) -> FloatArray | None:
        """What a negative more above the cut costs and what a positive more brings, where a cell is cut so.

        To first order, the best change of the cut is that of a classification with these costs. At φ(u) = u they are in
        the proportion 1/n_neg : 1/n_pos wherever the cut is. None where either is nothing.
        """
        top, rest = pos + neg, n_pos + n_neg - pos - neg
        if min(top, rest) < _NARROW * self.n_total:
            return None
        upper, lower = self.value(np.array([1.0, 1.0]), np.array([below + rest, below]), np.array([top, rest]))
        at = self.phi.value(np.clip([(below + rest) / self.n_total], *INNERMOST))[0]
        at = (at - self.floor) / (self.range * self.n_pos)
        negative = pos * (upper - at) / top + (n_pos - pos) * (at - lower) / rest
        positive = upper - lower - negative
        return np.array([negative, positive]) if min(negative, positive) > 0 else None


@dataclass(frozen=True)
class _WithAllOfTheList(Phi):
    """φ and a little of the AUC: where φ is flat, as below a budget, the order of the rows still counts."""

    phi: Phi
    slope: float

    def value(self, u: FloatArray) -> FloatArray:
        return self.phi.value(u) + self.slope * u

    def derivative(self, u: FloatArray) -> FloatArray:
        return self.phi.derivative(u) + self.slope

    def integral(self, u: FloatArray) -> FloatArray:
        return self.phi.integral(u) + self.slope * u**2 / 2

    @property
    def sup_norm_derivative(self) -> float:
        return self.phi.sup_norm_derivative + self.slope

    @property
    def sup_norm_second_derivative(self) -> float:
        return self.phi.sup_norm_second_derivative

    def bind(self, n_total: float) -> Phi:
        return replace(self, phi=self.phi.bind(n_total))


def with_all_of_the_list(phi: Phi, n_total: float) -> Phi:
    """φ as cuts are made by it; that of the AUC as it is."""
    bound = phi.bind(n_total)
    if bound.is_affine:
        return phi
    middle, end = bound.integral(np.array([0.5, 1.0]))
    return _WithAllOfTheList(bound, _SHARE * 4 * float(end - 2 * middle))  # of φ(u) = u the slope is 1
