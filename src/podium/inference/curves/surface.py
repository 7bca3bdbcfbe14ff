"""The volume under the ROC surface of classes in order, with an interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._results import wording
from podium._results.result import Result
from podium.exceptions import DegenerateSampleError
from podium.inference.intervals.limits import on_logit_scale
from podium.metrics.ordered import chains_through, graded_sample


@dataclass(frozen=True, kw_only=True, repr=False)
class SurfaceInterval(Result):
    """The volume under the ROC surface and its interval.

    Attributes
    ----------
    estimate : float
        The volume on the sample.
    low, high : float
        The limits of the interval.
    standard_error : float
        The standard error of the estimate.
    confidence_level : float
        The level of the interval.
    method : str
        How the limits were found.
    n_rows : tuple of int
        How many rows every class has, in order.
    """

    estimate: float
    low: float
    high: float
    standard_error: float
    confidence_level: float
    method: str
    n_rows: tuple[int, ...]

    def __repr__(self) -> str:
        line = wording.estimate_and_interval(self.estimate, self.low, self.high, self.confidence_level)
        return f"volume under the ROC surface {line} ({len(self.n_rows)} classes, {sum(self.n_rows):,} rows)"


def surface_interval(
    y_true: npt.ArrayLike, y_score: npt.ArrayLike, *, confidence_level: float = 0.95
) -> SurfaceInterval:
    r"""The volume under the ROC surface of classes in order, with an interval.

    The volume is a U-statistic of one row of each class. With :math:`v_i` the share of chains through row i that are in
    order, its variance is estimated by

    .. math:: \sum_k s_k^2 / n_k, \qquad s_k^2 \text{ the variance of the } v_i \text{ of class k},

    as DeLong, DeLong and Clarke-Pearson (1988) do for two classes, and the interval is symmetric on the scale of
    logits. Scores that are all in order say little about the next ones: with n rows in the smallest of K classes and
    c = (n · volume + 1)/(n + 2), the variance is taken to be c(1 − c)/(2K(n + 2)) at least.

    Parameters
    ----------
    y_true : array-like
        Labels, two to twenty different ones, ordered as numbers, truth values or text are; two rows or more of each.
    y_score : array-like
        Scores; larger ones are meant for later classes.
    confidence_level : float
        The level of the interval.

    Returns
    -------
    SurfaceInterval
        The volume and its interval.

    Notes
    -----
    Ties count as in random order; see `podium.metrics.volume_under_surface`. In simulations with three normal classes
    of 20/20/20, 100/100/100 and 200/30/10 rows and volumes from 1/6 to .97, intervals of level 95 % covered in 94 to
    99 % of 600 samples each.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.inference import surface_interval
    >>> rng = np.random.default_rng(0)
    >>> grade = rng.integers(3, size=300)
    >>> surface_interval(grade, grade + rng.normal(size=300))
    volume under the ROC surface 0.578, 95 % interval 0.509 to 0.645 (3 classes, 300 rows)
    """
    level = _input.check_fraction("confidence_level", confidence_level)
    classes, scores = graded_sample(y_true, y_score)
    n_rows = np.bincount(classes)
    if n_rows.min() < 2:
        raise DegenerateSampleError(f"An interval needs two rows or more of each class; got {n_rows.min()} of one.")
    volume, through = chains_through(classes, scores)
    variance = sum(through[classes == k].var(ddof=1) / n for k, n in enumerate(n_rows))
    fewest = int(n_rows.min())
    center = (fewest * volume + 1) / (fewest + 2)  # never 0 or 1
    variance = max(float(variance), center * (1 - center) / (fewest + 2) / (2 * len(n_rows)))
    limits = on_logit_scale(volume if 1e-9 < volume < 1 - 1e-9 else center, variance, level)
    return SurfaceInterval(
        estimate=volume,
        low=min(limits.low, volume),
        high=max(limits.high, volume),
        standard_error=float(np.sqrt(variance)),
        confidence_level=level,
        method="projections, logit",
        n_rows=tuple(int(n) for n in n_rows),
    )
