"""Confidence intervals for the partial area under the ROC curve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit

from podium import _input, _wording
from podium._normal import normal_quantile
from podium._result import Result
from podium._types import FloatArray
from podium.inference.curves.staircases import PositivesAbove
from podium.ranks import TieGroups
from podium.roc import RocCurve


@dataclass(frozen=True, kw_only=True, repr=False)
class PartialAucInterval(Result):
    """Partial area for false positive rates up to ``max_fpr``, neither divided nor corrected, with its interval.

    Attributes
    ----------
    estimate : float
        The value on these rows.
    low, high : float
        The limits of the interval.
    standard_error : float
        The standard error of the area.
    max_fpr : float
        The false positive rate up to which the area reaches.
    confidence_level : float
        The confidence level of the interval.
    n_pos, n_neg : int
        The numbers of positives and of negatives.
    note : str
        What to keep in mind; empty where no weakness is known.
    """

    estimate: float
    low: float
    high: float
    standard_error: float
    max_fpr: float
    confidence_level: float
    n_pos: int
    n_neg: int
    note: str = ""

    def __repr__(self) -> str:
        line = _wording.estimate_and_interval(self.estimate, self.low, self.high, self.confidence_level)
        return _wording.with_note(
            f"partial AUC up to FPR {self.max_fpr:g}: {line}, {_wording.rows(self.n_pos, self.n_neg)}", self.note
        )


def partial_auc_interval(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    max_fpr: float,
    confidence_level: float = 0.95,
    pos_label: Any = None,
) -> PartialAucInterval:
    r"""Confidence interval for the area under the ROC curve at false positive rates up to ``max_fpr``.

    With R the curve and t the largest rate, the empirical area has the asymptotic variance

    .. math:: \frac1n \Bigl(2\int_0^t (t - \alpha) R(\alpha)\,d\alpha - \bigl(\textstyle\int_0^t R\bigr)^2\Bigr)
       + \frac1m \Bigl(\int_0^t \bigl(R - R(t)\bigr)^2 - \bigl(\textstyle\int_0^t (R - R(t))\bigr)^2\Bigr),

    the variances of what one positive and one negative contribute, the threshold at t being estimated (on the
    empirical curve with t = 1: DeLong's). Here both the area and its variance are taken from the smoothed curve
    through (j/(m + 1), (k_j + ½)/(n + 1)), with k_j positives above the j-th negative, and the interval is symmetric on
    the scale of logit(area/t). Smoothing takes away the bias of the empirical area, which at small t·m reads the curve
    too far to the right, and leaves an interval after perfect separation too. ``estimate`` is the empirical area.

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores of independent rows that had no part in choosing the scorer.
    max_fpr : float
        Largest false positive rate, in (0, 1].
    confidence_level : float
        Nominal coverage.
    pos_label
        The positive label, where labels are not 0/1, −1/1 or booleans.

    Notes
    -----
    Inside a tie group the curve is straight. Simulated coverage is tabulated in the documentation: with fewer than ten
    negatives in the range the interval is wider than it need be.

    Examples
    --------
    >>> y, s = [0, 0, 0, 1, 0, 1, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    >>> partial_auc_interval(y, s, max_fpr=0.4)
    partial AUC up to FPR 0.4: 0.280, 95 % interval 0.0... to 0.3..., 10 rows, 50 % positive; note: ...
    """
    t = _input.check_number("max_fpr", max_fpr, 0, 1, open_low=True)
    level = _input.check_number("confidence_level", confidence_level, 0, 1, open_low=True, open_high=True)
    sample = _input.check_sample(y_true, y_score, pos_label=pos_label)
    passed = PositivesAbove.of(TieGroups.of(sample))
    estimate = RocCurve.from_scores(sample.is_positive, sample.scores).partial_auc(t)
    area, variance = area_and_variance(passed.smoothed_curve(), t, passed.n_pos, passed.n_neg)
    share, error = area / t, float(np.sqrt(variance))
    reach = normal_quantile(level) * error / t / (share * (1 - share))
    low, high = t * expit(logit(share) + np.array([-reach, reach]))
    in_range = t * passed.n_neg
    return PartialAucInterval(
        estimate=estimate,
        low=0.0 if estimate == 0 else float(low),
        high=t if np.isclose(estimate, t, rtol=1e-12) else float(high),  # a perfect curve may be the true one
        standard_error=error,
        max_fpr=t,
        confidence_level=level,
        n_pos=passed.n_pos,
        n_neg=passed.n_neg,
        note="" if in_range >= 10 else f"only {in_range:.3g} negatives lie in the range: wider than it need be",
    )


def area_and_variance(curve: RocCurve, t: float, n_pos: int, n_neg: int) -> tuple[float, float]:
    """The area under a curve up to t, and the variance of its estimate from so many rows."""
    inside = curve.fpr < t
    x = np.append(curve.fpr[inside], t)
    y = np.append(curve.tpr[inside], curve.at(t))

    def integral(values: Callable[[FloatArray, FloatArray], FloatArray]) -> float:
        # Simpson's rule is exact: along a segment everything here is at most quadratic.
        middle = values((x[:-1] + x[1:]) / 2, (y[:-1] + y[1:]) / 2)
        ends = values(x, y)
        return float(np.diff(x) @ (ends[:-1] + 4 * middle + ends[1:])) / 6

    area = integral(lambda _, rate: rate)
    of_positives = integral(lambda fpr, rate: 2 * (t - fpr) * rate) - area**2
    of_negatives = integral(lambda _, rate: (rate - y[-1]) ** 2) - (area - t * y[-1]) ** 2
    return area, of_positives / n_pos + of_negatives / n_neg
