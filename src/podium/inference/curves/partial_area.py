"""The partial AUC: influence values and interval."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._fast.order import groups_of_rows
from podium._results import wording
from podium._results.result import Result
from podium._types import FloatArray, Sample
from podium.inference.curves.fiducial import PositivesAbove, area_limits
from podium.inference.intervals.interval import interval
from podium.inference.intervals.limits import on_logit_scale
from podium.metrics.area import CurvePart
from podium.ranks.pooled import TieGroups
from podium.roc import RocCurve

# What each row contributes to the area under a part of the ROC curve.


Function = Callable[[FloatArray], FloatArray]


def area_influence(sample: Sample, low: float, high: float) -> FloatArray:
    r"""Influence values of the rows on the area between two false positive rates, in input order; sum 0 per class.

    With V the false positive rate at a positive, U that at a negative, and the thresholds at a and b estimated,

    .. math:: \psi = \min(\max(b - V, 0), b - a), \qquad \chi = \mathrm{ROC}(\min(\max(U, a), b)),

    each less its mean. Rows of a tie group take the mean over the segment of the curve that is theirs. From 0 to 1 they
    are DeLong's structural components.
    """
    curve = RocCurve.from_scores(sample.is_positive, sample.scores)
    from_top = len(curve.fpr) - 2 - groups_of_rows(sample.scores)[1]
    start, end = curve.fpr[from_top], curve.fpr[from_top + 1]
    of_positive = _mean(lambda v: _area_left(v, low, high), start, end, lambda v: (high - v).clip(0, high - low))
    clipped = curve.at([low, high])

    def area_under_clipped(u: FloatArray) -> FloatArray:
        inside = _area_upto(curve, u.clip(low, high)) - _area_upto(curve, np.array([low]))
        return clipped[0] * u.clip(max=low) + inside + clipped[1] * (u - high).clip(min=0)

    of_negative = _mean(area_under_clipped, start, end, lambda u: curve.at(u.clip(low, high)))
    values = np.where(sample.is_positive, of_positive, of_negative)
    for rows in (sample.is_positive, ~sample.is_positive):
        values[rows] -= values[rows].mean()
    return values


def _mean(area: Function, start: FloatArray, end: FloatArray, value: Function) -> FloatArray:
    """Mean of a function over the segments from start to end, by its antiderivative; its value at points."""
    width = end - start
    flat = width <= 0
    return np.where(flat, value(start), (area(end) - area(start)) / np.where(flat, 1.0, width))


def _area_left(v: FloatArray, low: float, high: float) -> FloatArray:
    """∫₀ᵛ min(max(b − x, 0), b − a) dx."""
    width = high - low
    return width * v.clip(max=low) + (width**2 - (high - v.clip(low, high)) ** 2) / 2


def _area_upto(curve: RocCurve, x: FloatArray) -> FloatArray:
    """∫₀ˣ ROC, exact on the broken line."""
    areas = np.concatenate([[0.0], np.cumsum(np.diff(curve.fpr) * (curve.tpr[1:] + curve.tpr[:-1]) / 2)])
    left = np.clip(np.searchsorted(curve.fpr, x, side="right") - 1, 0, len(curve.fpr) - 2)
    return areas[left] + (x - curve.fpr[left]) * (curve.tpr[left] + curve.at(x.clip(0, 1))) / 2


# Confidence intervals for the partial area under the ROC curve.


_SAFE = 20  # negatives in the range; with fewer it covers .92 where the curve is steep
_FEW, _FEW_POSITIVES = 5, 30  # negatives in the range, and positives: with fewer the asymptotic interval falls short


@dataclass(frozen=True, kw_only=True, repr=False)
class PartialAucInterval(Result):
    """Area under a part of the ROC curve, not standardized, with its interval.

    Attributes
    ----------
    estimate : float
        The area on these rows.
    low, high : float
        The limits of the interval.
    standard_error : float
        The standard error of the area.
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
    r"""Confidence interval for the area under a part of the ROC curve.

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
    Over the whole range the limits are those of `interval`. ``estimate`` is the empirical area, never excluded.

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
        The area, not divided by the width of the range, with its interval.

    Notes
    -----
    Inside a tie group the curve is straight. Simulated coverage is tabulated in the documentation.

    Examples
    --------
    >>> from podium.inference import partial_auc_interval
    >>> y, s = [0, 0, 0, 1, 0, 1, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    >>> partial_auc_interval(y, s, max_fpr=0.4)
    partial AUC for FPR 0 to 0.4: 0.280, 95 % interval 0.0... to 0.3... (fiducial), 10 rows, 50 % positive
    """
    part = CurvePart.of(min_fpr, max_fpr, min_tpr, max_tpr)
    level = _input.check_fraction("confidence_level", confidence_level)
    sample = _input.check_sample(y_true, y_score, pos_label=pos_label)
    n_pos = int(sample.is_positive.sum())
    seen = turned(sample) if part.of_sensitivity else sample
    passed = PositivesAbove.of(TieGroups.of(seen))
    width = part.high - part.low
    estimate = min(RocCurve.from_scores(seen.is_positive, seen.scores).partial_auc(part.high, part.low), width)
    smoothed, variance = area_and_variance(passed.smoothed_curve(), part.low, part.high, passed.n_pos, passed.n_neg)
    limits, method, note = None, "", ""
    if part.is_whole and min(passed.n_pos, passed.n_neg) > 1:
        whole = interval(sample.is_positive, sample.scores, confidence_level=level)
        limits, method, note = (whole.low, whole.high), whole.method, whole.note
        variance = (whole.standard_error or 0.0) ** 2
    elif width * passed.n_neg < _FEW or passed.n_pos < _FEW_POSITIVES:
        limits, method = area_limits(passed, part.low, part.high, level), "fiducial"
    if limits is None:
        logit_limits = on_logit_scale(smoothed / width, variance / width**2, level)
        limits, method = (width * logit_limits.low, width * logit_limits.high), "smoothed logit"
        if width * passed.n_neg < _SAFE:
            counted = "positives" if part.of_sensitivity else "negatives"
            note = (
                f"only {width * passed.n_neg:.3g} {counted} in the range: may fall short where the curve is steep there"
            )
    return PartialAucInterval(
        estimate=estimate,
        low=0.0 if estimate == 0 else min(limits[0], estimate),
        high=width if estimate > (1 - 1e-12) * width else min(max(limits[1], estimate), width),
        standard_error=float(np.sqrt(variance)),
        part=str(part),
        confidence_level=level,
        method=method,
        n_pos=n_pos,
        n_neg=len(sample.scores) - n_pos,
        note=note,
    )


def turned(sample: Sample) -> Sample:
    """The sample with exchanged classes and reversed order, whose sensitivity is the specificity of this one."""
    scores = sample.scores.astype(np.float64) if sample.scores.dtype.kind == "u" else sample.scores
    return Sample(-scores, ~sample.is_positive, sample.weight)


def area_and_variance(curve: RocCurve, low: float, high: float, n_pos: int, n_neg: int) -> tuple[float, float]:
    """The area under a curve between two rates, and the variance of its estimate from so many rows."""
    inside = (curve.fpr > low) & (curve.fpr < high)
    x = np.concatenate([[low], curve.fpr[inside], [high]])
    y = np.concatenate([curve.at([low]), curve.tpr[inside], curve.at([high])])

    def integral(values: Callable[[FloatArray, FloatArray], FloatArray]) -> float:
        # Simpson's rule is exact: along a segment everything here is at most quadratic.
        middle = values((x[:-1] + x[1:]) / 2, (y[:-1] + y[1:]) / 2)
        ends = values(x, y)
        return float(np.diff(x) @ (ends[:-1] + 4 * middle + ends[1:])) / 6

    area = integral(lambda _, rate: rate)
    of_positives = integral(lambda fpr, rate: 2 * (high - fpr) * rate) - area**2
    # Relative to the height at the end, where contributions vanish: a negative above the range moves all of it.
    rise = y[0] - y[-1]
    squares = low * rise**2 + integral(lambda _, rate: (rate - y[-1]) ** 2)
    of_negatives = squares - (low * rise + area - (high - low) * y[-1]) ** 2
    return area, of_positives / n_pos + of_negatives / n_neg
