"""What each row contributes to the area under a part of the ROC curve."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from podium._fast.order.engine import groups_of_rows
from podium._types import FloatArray, Sample
from podium.roc import RocCurve

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
