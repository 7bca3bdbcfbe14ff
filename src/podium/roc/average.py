"""Several ROC curves averaged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from podium._results.result import Result
from podium._types import FloatArray
from podium.exceptions import InputError
from podium.roc.curve import RocCurve


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
