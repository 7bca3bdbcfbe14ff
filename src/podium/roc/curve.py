"""The ROC curve as an exact broken line, and averages of curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

from podium import _input
from podium._fast import lists
from podium._fast.order import by_class
from podium._results.result import Result
from podium._types import BoolArray, FloatArray, Sample
from podium.exceptions import InputError
from podium.phi import Phi, resolve
from podium.ranks.pooled import TieGroups
from podium.roc.operating_points import RocPoints, points_of
from podium.rounds.counted import CountedList
from podium.rounds.rows import RowsLike, rows_of


def integral_along(phi: Phi, u: FloatArray, width: FloatArray) -> float:
    """∫φ(u(x))dx for a falling u that is straight between corners so far apart in x: φ's integral gives the means."""
    high, low = u[:-1], u[1:]
    moves = high - low > 1e-12
    integral = phi.integral(u)
    rise = np.where(moves, integral[:-1] - integral[1:], 0.0)
    sloped = width > 0
    mean = rise[sloped] / np.where(moves, high - low, 1.0)[sloped]
    flat = ~moves[sloped]
    if flat.any():
        mean[flat] = phi.value((high + low)[sloped][flat] / 2)
    return float(mean @ width[sloped])


def corners(x: FloatArray, y: FloatArray) -> list[int]:
    """Which of the points, in order of x, are corners of the least concave line above them."""
    kept: list[int] = []
    for i in range(len(x)):
        # Drop what lies on or below the chord from the point before it to the new one.
        while len(kept) > 1:
            a, b = kept[-2], kept[-1]
            if (x[b] - x[a]) * (y[i] - y[a]) < (x[i] - x[a]) * (y[b] - y[a]):
                break
            kept.pop()
        kept.append(i)
    return kept


def turns(x: FloatArray, y: FloatArray) -> BoolArray:
    """Which points of a rising line are its ends, or not between two level steps or two upright ones."""
    level, upright = np.diff(y) == 0, np.diff(x) == 0
    inside = (level[:-1] & level[1:]) | (upright[:-1] & upright[1:])
    return np.concatenate([[True], ~inside, [True]])


@dataclass(frozen=True, repr=False, eq=False)
class RocCurve(Result):
    r"""An ROC curve as a polygonal line from (0, 0) to (1, 1), nondecreasing in both coordinates.

    A tie group is one segment, so that :meth:`auc` is the exact AUC, ties counted one half. The arrays are read-only.

    Attributes
    ----------
    fpr, tpr : ndarray
        False and true positive rate at every breakpoint, from the strictest threshold on.
    thresholds : ndarray
        A row is called positive where its score is at least the threshold; the first is infinite. NaN on curves that
        do not come from scores.
    n_pos, n_neg : int or None
        The numbers of rows behind the rates; None on curves of weighted rows or of none.

    Examples
    --------
    >>> from podium.roc import RocCurve
    >>> curve = RocCurve.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve
    ROC curve with AUC 0.750, 4 segments
    >>> curve.at([0, 0.25, 0.5])
    array([0.5, 0.5, 1. ])
    """

    fpr: FloatArray
    tpr: FloatArray
    thresholds: FloatArray
    n_pos: int | None = None
    n_neg: int | None = None

    def __post_init__(self) -> None:
        for name in ("fpr", "tpr", "thresholds"):
            values = np.asarray(getattr(self, name), dtype=np.float64).view()
            values.setflags(write=False)
            object.__setattr__(self, name, values)

    @classmethod
    def from_scores(
        cls,
        y_true: RowsLike,
        y_score: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
        pos_label: Any = None,
        *,
        drop_intermediate: bool = False,
    ) -> RocCurve:
        """The empirical curve: one breakpoint per distinct score.

        Parameters
        ----------
        y_true, y_score : array-like or Dask collection
            Labels and scores, one of each per row; larger scores are more positive. In place of both, a function that
            returns chunks of them, or a :class:`podium.rounds.CountedList`; if these are too large for memory, one
            segment may stand for rows of one class that follow each other.
        sample_weight : array-like, optional
            One weight per row; a weight of 3 is three equal rows.
        pos_label : object, optional
            The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.
        drop_intermediate : bool
            Whether to leave out breakpoints inside horizontal or vertical stretches: the same line with fewer points.
        """
        return cls.of(rows_of(y_true, y_score, sample_weight, pos_label), drop_intermediate=drop_intermediate)

    @classmethod
    def of(cls, rows: Sample | CountedList, *, drop_intermediate: bool = False) -> RocCurve:
        """The curve of rows that are checked already; see `from_scores`.

        Parameters
        ----------
        rows : Sample or CountedList
            Labels and scores, or how often each score occurs.
        drop_intermediate : bool
            Whether to leave out breakpoints inside horizontal or vertical stretches.
        """
        sizes: list[int | None]
        if isinstance(rows, Sample) and rows.weight is None:
            fpr, tpr, thresholds, *sizes = lists.curve(*by_class(rows.scores, rows.is_positive))
        else:
            ties = rows if isinstance(rows, CountedList) else TieGroups.of(rows)
            sizes = [None, None] if ties.pos.dtype.kind == "f" else [int(ties.n_pos), int(ties.n_neg)]
            # Sums of one class alone never fall; divided by the last of them, the curve ends in exactly (1, 1).
            neg, pos = (np.concatenate([[0], np.cumsum(mass[::-1])]) for mass in (ties.neg, ties.pos))
            thresholds = np.concatenate([[np.inf], ties.values[::-1].astype(np.float64)])
            fpr, tpr = neg / neg[-1], pos / pos[-1]
        at = turns(fpr, tpr) if drop_intermediate else slice(None)
        return cls(fpr[at], tpr[at], thresholds[at], *sizes)

    @classmethod
    def from_points(cls, fpr: npt.ArrayLike, tpr: npt.ArrayLike) -> RocCurve:
        """A curve given by its breakpoints, for instance a theoretical one on a fine grid; (0, 0), (1, 1) are added.

        Parameters
        ----------
        fpr, tpr : array-like
            False and true positive rates of the breakpoints, both nondecreasing and in [0, 1].

        Returns
        -------
        RocCurve
            The curve, without thresholds.
        """
        x = np.concatenate([[0.0], np.asarray(fpr, dtype=np.float64), [1.0]])
        y = np.concatenate([[0.0], np.asarray(tpr, dtype=np.float64), [1.0]])
        if x.shape != y.shape or not (np.all(np.diff(x) >= 0) and np.all(np.diff(y) >= 0)):
            got = f"{len(x) - 2} and {len(y) - 2} points" if x.shape != y.shape else "rates that fall or lie outside"
            raise InputError(
                f"An ROC curve needs fpr and tpr of equal length, both nondecreasing and in [0, 1]; got {got}."
            )
        return cls(x, y, np.full(len(x), np.nan))

    def __repr__(self) -> str:
        return f"ROC curve with AUC {self.auc():.3f}, {len(self.fpr) - 1:,} segments"

    def auc(self) -> float:
        """Area under the curve."""
        return float(np.trapezoid(self.tpr, self.fpr))

    def partial_auc(self, max_fpr: float, min_fpr: float = 0.0) -> float:
        """Area under the curve between two false positive rates, not standardized.

        Parameters
        ----------
        max_fpr : float
            The false positive rate at which the area ends, in (0, 1].
        min_fpr : float
            The false positive rate at which the area begins.

        Returns
        -------
        float
            The area, at most ``max_fpr - min_fpr``.
        """
        max_fpr = _input.check_number("max_fpr", max_fpr, 0, 1, open_low=True)
        min_fpr = _input.check_number("min_fpr", min_fpr, 0, max_fpr, open_high=True)
        inside = (self.fpr > min_fpr) & (self.fpr < max_fpr)
        # Right limit at the start, left limit at the end: a vertical step there has no area.
        x = np.concatenate([[min_fpr], self.fpr[inside], [max_fpr]])
        y = np.concatenate([self.at([min_fpr]), self.tpr[inside], self._left_limit(np.array([max_fpr]))])
        return float(np.trapezoid(y, x))

    def at(self, fpr: npt.ArrayLike) -> FloatArray:
        """True positive rate at false positive rates, linear between breakpoints; the upper end of vertical steps.

        Parameters
        ----------
        fpr : array-like
            False positive rates, in [0, 1].

        Returns
        -------
        ndarray
            The true positive rates.
        """
        x = np.asarray(fpr, dtype=np.float64)
        if np.isnan(x).any() or (x < 0).any() or (x > 1).any():
            raise InputError(f"fpr must be in [0, 1]; got {fpr!r}.")
        return np.interp(x, self.fpr, self.tpr)

    def points(
        self,
        thresholds: npt.ArrayLike | None = None,
        *,
        prevalence: float | None = None,
        confidence_level: float = 0.95,
    ) -> RocPoints:
        """Points of the curve with their rates and intervals, as :func:`podium.roc.points`.

        Parameters
        ----------
        thresholds : array-like, optional
            Thresholds fixed in advance; all points of the curve by default.
        prevalence : float, optional
            The share of positives in the population, if it is not that of the rows.
        confidence_level : float
            The coverage of each interval, or of all simultaneously if no thresholds are given.

        Returns
        -------
        RocPoints
            The points; ``best`` chooses one of them.
        """
        if self.n_pos is None or self.n_neg is None:
            raise InputError(
                "Intervals need counted rows; got a curve of weighted rows or of none.", "use from_scores."
            )
        rates = self.fpr, self.tpr, self.thresholds
        return points_of(rates, (self.n_pos, self.n_neg), thresholds, prevalence, confidence_level)

    def turned(self) -> RocCurve:
        """The curve with the classes exchanged and the order reversed, (1 − tpr, 1 − fpr)."""
        return type(self)(1 - self.tpr[::-1], 1 - self.fpr[::-1], self.thresholds[::-1])

    def unmixed(self, share: float) -> RocCurve:
        r"""The curve against true negatives, where a known share of the rows taken for negatives are positives.

        For positives and unlabeled rows: with π the share of positives among the unlabeled, which are otherwise like
        the labeled ones, their rate above a threshold is :math:`\pi\,\mathrm{tpr} + (1 - \pi)\,\mathrm{fpr}'`, so

        .. math:: \mathrm{fpr}' = \frac{\mathrm{fpr} - \pi\,\mathrm{tpr}}{1 - \pi}, \qquad
           \mathrm{AUC}' = \frac{\mathrm{AUC} - \pi/2}{1 - \pi}.

        On a sample fpr′ may fall; it is then averaged (isotonic regression), which keeps that AUC′, and cut to [0, 1].
        Any ω_φ follows from the curve by :meth:`rank_statistic`. This is an estimate for a share that is known: it says
        nothing of its error, and a share that is too large makes the curve too good.

        Parameters
        ----------
        share : float
            The share π of positives among the rows taken for negatives, in [0, 1).

        Returns
        -------
        RocCurve
            The curve of the same thresholds with the corrected false positive rates.

        Examples
        --------
        >>> RocCurve.from_points([0.1, 0.5], [0.6, 0.9]).unmixed(0.1).fpr
        array([0.        , 0.044..., 0.455..., 1.        ])
        """
        pi = _input.check_number("share", share, 0, 1, open_high=True)
        fpr = (self.fpr - pi * self.tpr) / (1 - pi)
        # Weights of the trapezium rule along tpr: averages then leave the area as it is. None is zero, for SciPy.
        rise = np.diff(self.tpr)
        weight = np.concatenate([rise, [0.0]]) + np.concatenate([[0.0], rise])
        fpr = np.clip(scipy.optimize.isotonic_regression(fpr, weights=np.maximum(weight, 1e-12)).x, 0.0, 1.0)
        fpr[0], fpr[-1] = 0.0, 1.0
        return type(self)(fpr, self.tpr, self.thresholds)

    def _left_limit(self, fpr: FloatArray) -> FloatArray:
        """As :meth:`at`, but the lower end of vertical steps; mirrored, the lower end comes last."""
        return np.interp(-fpr, -self.fpr[::-1], self.tpr[::-1])

    def hull(self) -> RocCurve:
        """The least concave curve above this one: what the best mixture of thresholds attains."""
        at = corners(self.fpr, self.tpr)
        return type(self)(self.fpr[at], self.tpr[at], self.thresholds[at])

    def distance(self, other: RocCurve, norm: str = "sup") -> float:
        """Distance between two curves, exactly: ``"sup"`` (CLV21, Equation 2.3) or ``"l1"`` (CLV21, Equation 2.4).

        Parameters
        ----------
        other : RocCurve
            The other curve.
        norm : {"sup", "l1"}
            The largest vertical distance, or the area between the curves.

        Returns
        -------
        float
            The distance, in [0, 1].
        """
        _input.check_choice("norm", norm, ("sup", "l1"))
        x = np.union1d(self.fpr, other.fpr)
        # On each interval between breakpoints both curves are straight; take the limits from its inside.
        start = (self.at(x) - other.at(x))[:-1]
        end = (self._left_limit(x) - other._left_limit(x))[1:]
        if norm == "sup":
            return float(max(np.abs(start).max(), np.abs(end).max()))
        a, b = np.abs(start), np.abs(end)
        crosses = start * end < 0
        # Two triangles where the difference changes sign, a trapezium elsewhere.
        area = np.where(crosses, (a * a + b * b) / np.where(crosses, 2 * (a + b), 1.0), (a + b) / 2)
        return float(area @ np.diff(x))

    def rank_statistic(self, phi: Phi | str, positive_rate: float) -> float:
        r"""W_φ read off the curve (CLV21, Lemma 3 and Equation 3.4), with p the ``positive_rate``.

        .. math:: W_\phi = \frac1p\int_0^1\phi(u)\,du
           - \frac{1-p}{p}\int_0^1 \phi\bigl(p(1-\mathrm{ROC}(\alpha)) + (1-p)(1-\alpha)\bigr)\,d\alpha

        It is exact: along a segment of the curve the argument of φ is linear, so the integral of φ gives the mean. At
        φ(u) = u it is p/2 + (1 − p)·AUC (not the AUC, as printed after CLV21's Equation 3.3).

        Parameters
        ----------
        phi : Phi or str
            The score-generating function φ: an object of `podium.phi` or a specification such as ``"power:3"``.
        positive_rate : float
            The share p of positives in the population, in (0, 1).

        Returns
        -------
        float
            W_φ.
        """
        p = _input.check_fraction("positive_rate", positive_rate)
        generator, u = resolve(phi), p * (1 - self.tpr) + (1 - p) * (1 - self.fpr)
        whole = generator.integral(np.array([1.0]))[0] - generator.integral(np.array([0.0]))[0]
        return float(whole / p - (1 - p) / p * integral_along(generator, u, np.diff(self.fpr)))


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class RocAverage(Result):
    """Several curves averaged at each false positive rate, with the best and the worst of them by area.

    Attributes
    ----------
    fpr : ndarray
        The false positive rates of the grid.
    mean, standard_deviation : ndarray
        Mean and standard deviation of the true positive rates there.
    best, worst : RocCurve
        The curves of the largest and of the smallest area.
    """

    fpr: FloatArray
    mean: FloatArray
    standard_deviation: FloatArray
    best: RocCurve
    worst: RocCurve

    def __repr__(self) -> str:
        mean, worst, best = np.trapezoid(self.mean, self.fpr), self.worst.auc(), self.best.auc()
        return f"mean ROC curve with AUC {mean:.3f}, of single ones {worst:.3f} to {best:.3f}"


def average(curves: Sequence[RocCurve], fpr: npt.ArrayLike | None = None) -> RocAverage:
    """Vertical average of curves on a grid of false positive rates (by default 1,001 equally spaced ones).

    Parameters
    ----------
    curves : sequence of RocCurve
        The curves, at least one.
    fpr : array-like, optional
        The false positive rates at which to average.

    Returns
    -------
    RocAverage
        The mean curve, with the spread and the extremes.
    """
    if len(curves) == 0:
        raise InputError("An average needs at least one curve; got none.")
    grid = np.linspace(0, 1, 1001) if fpr is None else np.asarray(fpr, dtype=np.float64)
    heights = np.array([curve.at(grid) for curve in curves])
    by_area = sorted(curves, key=RocCurve.auc)
    deviation = heights.std(axis=0, ddof=1) if len(curves) > 1 else np.zeros_like(grid)
    return RocAverage(
        fpr=grid, mean=heights.mean(axis=0), standard_deviation=deviation, best=by_area[-1], worst=by_area[0]
    )
