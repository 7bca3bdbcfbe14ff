"""Confidence intervals for the partial area under the ROC curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from podium import _input
from podium._results import wording
from podium._results.result import Result
from podium.inference.curves.areas import PartEstimate
from podium.inference.intervals.interval import interval
from podium.inference.intervals.limits import Limits
from podium.metrics.area import CurvePart


@dataclass(frozen=True, kw_only=True, repr=False)
class PartialAucInterval(Result):
    """Area under a part of the ROC curve, divided by its width, with its interval.

    Attributes
    ----------
    estimate : float
        The partial AUC on these rows.
    low, high : float
        The limits of the interval.
    standard_error : float
        The standard error of the estimate.
    part : str
        Which part of the curve, in words.
    confidence_level : float
        The confidence level of the interval.
    method : str
        The method used.
    n_pos, n_neg : int
        The numbers of positives and of negatives.
    note : str
        A caveat; empty if no weakness is known.
    """

    estimate: float
    low: float
    high: float
    standard_error: float
    part: str
    confidence_level: float
    method: str
    n_pos: int
    n_neg: int
    note: str = ""

    def __repr__(self) -> str:
        line = wording.estimate_and_interval(self.estimate, self.low, self.high, self.confidence_level)
        return wording.with_note(
            f"partial AUC for {self.part}: {line} ({self.method}), {wording.rows(self.n_pos, self.n_neg)}", self.note
        )


def partial_auc_interval(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    max_fpr: float | None = None,
    min_fpr: float = 0.0,
    min_tpr: float | None = None,
    max_tpr: float | None = None,
    confidence_level: float = 0.95,
    pos_label: Any = None,
) -> PartialAucInterval:
    r"""Confidence interval for the partial AUC, the area under a part of the ROC curve divided by its width.

    With R the curve between the rates a and b, the empirical area has the asymptotic variance

    .. math:: \frac1n \Bigl(2\int_a^b (b - \alpha) R(\alpha)\,d\alpha - \bigl(\textstyle\int_a^b R\bigr)^2\Bigr)
       + \frac1m \operatorname{Var}\bigl(R(\min(\max(U, a), b))\bigr),

    n and m being the numbers of positives and negatives and U uniform on [0, 1]: the variances of what one positive and
    one negative contribute, the thresholds at a and b being estimated. Both the
    area and its variance are taken from the smoothed curve through (j/(m + 1), (k_j + ½)/(n + 1)), with k_j positives
    above the j-th negative, and the interval is symmetric on the scale of logit(area/(b − a)) (``"smoothed logit"``).
    Smoothing takes away the bias of the empirical area, which reads the curve too far to the right, and leaves an
    interval after perfect separation too. With fewer than five negatives in the range, or 30 positives, that falls
    short, and limits by drawing order statistics of both classes are used, which hold there (``"fiducial"``).
    Over the whole range the limits are those of `interval`. ``estimate`` is the empirical partial AUC, never excluded.

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores of independent rows that were not used to train or choose the scorer.
    max_fpr, min_fpr : float
        The range of false positive rates; by default from 0 to 1.
    min_tpr, max_tpr : float, optional
        Instead, a range of true positive rates (sensitivities): the area to the right of the curve there.
    confidence_level : float
        Nominal coverage of the two-sided interval.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    PartialAucInterval
        The partial AUC with its interval; times the width of the range, that of the bare area.

    Notes
    -----
    Inside a tie group the curve is straight. Simulated coverage is tabulated in the documentation.

    Examples
    --------
    >>> from podium.inference import partial_auc_interval
    >>> y, s = [0, 0, 0, 1, 0, 1, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    >>> partial_auc_interval(y, s, max_fpr=0.4)
    partial AUC for FPR 0 to 0.4: 0.700, 95 % interval 0.000 to 0.9... (fiducial), 10 rows, 50 % positive
    """
    part = CurvePart.of(min_fpr, max_fpr, min_tpr, max_tpr)
    level = _input.check_fraction("confidence_level", confidence_level)
    sample = _input.check_sample(y_true, y_score, pos_label=pos_label)
    n_pos = int(sample.is_positive.sum())
    n_neg = len(sample.scores) - n_pos
    if part.is_whole and min(n_pos, n_neg) > 1:
        whole = interval(sample.is_positive, sample.scores, confidence_level=level)
        estimate, method, note = whole.estimate, whole.method, whole.note
        limits = Limits(whole.low, whole.high, whole.standard_error)
    else:
        found = PartEstimate.of(sample, part, "")
        estimate, (limits, method, note) = found.value, found.of_curve(level)
    return PartialAucInterval(
        estimate=estimate,
        low=limits.low,
        high=limits.high,
        standard_error=limits.standard_error or 0.0,
        part=str(part),
        confidence_level=level,
        method=method,
        n_pos=n_pos,
        n_neg=n_neg,
        note=note,
    )
