"""Areas under a part of the ROC curve, divided by its width: what rows contribute to them, and their limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from podium._fast.order import groups_of_rows
from podium._types import FloatArray, Sample
from podium.inference.curves.fiducial import PositivesAbove, area_limits
from podium.inference.intervals.limits import Limits, on_logit_scale
from podium.inference.lists.estimates import CurveEstimate, Described
from podium.inference.lists.influence import variance_of_rows
from podium.inference.lists.ranking import Ranking
from podium.metrics.area import CurvePart, area_of_part, check_log_range, log_area
from podium.phi import Mww
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


# The partial AUC with its limits.


_SAFE = 20  # negatives in the range; with fewer it covers .92 where the curve is steep
_N_PARTS = 64  # of a logarithmic axis, in which 1/FPR is taken for constant
_FEW, _FEW_POSITIVES = 5, 30  # negatives in the range, and positives: with fewer the asymptotic interval falls short


@dataclass(frozen=True, eq=False, kw_only=True)
class PartEstimate(CurveEstimate):
    """The partial AUC, with limits from the smoothed curve, or by drawing; see `partial_auc_interval`."""

    part: CurvePart

    @classmethod
    def of(cls, sample: Sample, part: CurvePart, name: str) -> PartEstimate:
        curve = RocCurve.from_scores(sample.is_positive, sample.scores)
        seen, width = turned(sample) if part.of_sensitivity else sample, part.high - part.low
        return cls(
            name=name,
            ranking=Ranking(sample, Mww()),
            value=area_of_part(curve, part, "width"),
            influence=area_influence(seen, part.low, part.high) / width,
            part=part,
        )

    def of_curve(self, confidence_level: float) -> Described:
        part, sample = self.part, self.ranking.sample
        passed = PositivesAbove.of(TieGroups.of(turned(sample) if part.of_sensitivity else sample))
        width, note = part.high - part.low, ""
        area, of_area = area_and_variance(passed.smoothed_curve(), part.low, part.high, passed.n_pos, passed.n_neg)
        smoothed, variance = area / width, of_area / width**2
        limits, method = None, "fiducial"
        if width * passed.n_neg < _FEW or passed.n_pos < _FEW_POSITIVES:
            limits = area_limits(passed, part.low, part.high, confidence_level)
        if limits is None:
            limits, method = on_logit_scale(smoothed, variance, confidence_level)[:2], "smoothed logit"
            if width * passed.n_neg < _SAFE:
                counted = "positives" if part.of_sensitivity else "negatives"
                seen = f"only {width * passed.n_neg:.3g} {counted} in the range"
                note = f"{seen}: may fall short where the curve is steep there"
        low = 0.0 if self.value == 0 else min(limits[0], self.value)
        high = 1.0 if self.value > 1 - 1e-12 else max(limits[1], self.value)
        return Described(Limits(low, high, float(np.sqrt(variance))), method, note)


@dataclass(frozen=True, eq=False, kw_only=True)
class LogAreaEstimate(CurveEstimate):
    """Mean true positive rate over a range on a logarithmic axis: areas of narrow parts, weighted by 1/FPR."""

    low: float
    high: float

    @classmethod
    def of(cls, ranking: Ranking, name: str, low: float, high: float) -> LogAreaEstimate:
        sample, (low, high) = ranking.sample, check_log_range(low, high)
        ends = np.geomspace(low, high, _N_PARTS + 1)
        influence = sum(area_influence(sample, a, b) * (np.log(b / a) / (b - a)) for a, b in pairwise(ends))
        return cls(
            name=name,
            ranking=ranking,
            value=log_area(RocCurve.of(sample), low, high),
            influence=np.asarray(influence) / np.log(high / low),
            low=low,
            high=high,
        )

    def of_curve(self, confidence_level: float) -> Described:
        sample = self.ranking.sample
        passed, method = PositivesAbove.of(TieGroups.of(sample)), "fiducial"
        limits = area_limits(passed, self.low, self.high, confidence_level, np.log)
        variance = variance_of_rows(self.influence, sample)
        if limits is None:
            limits, method = on_logit_scale(self.value, variance, confidence_level)[:2], "smoothed logit"
        few = self.low * passed.n_neg < 1
        note = f"only {passed.n_neg:,} negatives: most of the range lies above the best of them" if few else ""
        return Described(Limits(min(limits[0], self.value), max(limits[1], self.value), variance**0.5), method, note)


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
