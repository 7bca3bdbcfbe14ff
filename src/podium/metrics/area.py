"""Areas under the ROC curve and points on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium.exceptions import InputError
from podium.labels import Observed
from podium.labels.design import tie_groups
from podium.ranks.pooled import TieGroups, share_won
from podium.roc import RocCurve
from podium.rounds.counted import CountedList
from podium.rounds.rows import RowsLike, rows_of


def auc(
    y_true: RowsLike,
    y_score: npt.ArrayLike | None = None,
    *,
    sample_weight: npt.ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    r"""Area under the ROC curve: the share of positive–negative pairs in the right order, ties counting one half.

    .. math:: \mathrm{AUC} = \frac{1}{nm}\sum_{i,k} \bigl(\mathbf 1\{s_i > s_k\} + \tfrac12 \mathbf 1\{s_i = s_k\}\bigr)
       = \frac{1}{nm}\Bigl(\sum_i \mathrm{Rank}_i - \tfrac{n(n+1)}{2}\Bigr)

    with mid-ranks (A05, §2). Pairs are counted in whole numbers, so without weights the result is the nearest float,
    also beyond 2⁵³ pairs. A pair of weighted rows counts by the product of their weights, which may differ by any
    factor: only non-negative numbers are added.

    Parameters
    ----------
    y_true, y_score : array-like or Dask collection
        Labels and scores, one of each per row; larger scores are more positive. In place of both, a function that
        returns chunks of them, or a :class:`podium.rounds.CountedList`.
    sample_weight : array-like, optional
        One weight per row; a weight of 3 is equivalent to three equal rows.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    float
        The AUC, in [0, 1]; 0.5 is chance.

    Examples
    --------
    >>> from podium.metrics import auc
    >>> auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    if isinstance(y_true, Observed) and y_true.has_gaps:
        return tie_groups(y_true, y_score, sample_weight, pos_label).share_won
    rows = rows_of(y_true, y_score, sample_weight, pos_label)
    if isinstance(rows, CountedList):
        return rows.auc()
    return share_won(rows) if rows.weight is None else TieGroups.of(rows).share_won


@dataclass(frozen=True)
class CurvePart:
    """A range of false positive rates; or, for a range of sensitivity, of those of the curve turned about."""

    low: float
    high: float
    of_sensitivity: bool

    @classmethod
    def of(cls, min_fpr: float, max_fpr: float | None, min_tpr: float | None, max_tpr: float | None) -> CurvePart:
        """As users give it, checked."""
        if min_tpr is None and max_tpr is None:
            high = _input.check_number("max_fpr", 1.0 if max_fpr is None else max_fpr, 0, 1, open_low=True)
            return cls(_input.check_number("min_fpr", min_fpr, 0, high, open_high=True), high, False)
        if max_fpr is not None or min_fpr != 0:
            raise InputError(
                "A part of the curve is a range of false positive rates or one of true positive rates; got both.",
                "drop min_tpr and max_tpr, or drop max_fpr and min_fpr.",
            )
        high = _input.check_number("max_tpr", 1.0 if max_tpr is None else max_tpr, 0, 1, open_low=True)
        low = _input.check_number("min_tpr", 0.0 if min_tpr is None else min_tpr, 0, high, open_high=True)
        return cls(round(1 - high, 12), round(1 - low, 12), True)  # 1 − 0.8 is a little less than 0.2

    @property
    def is_whole(self) -> bool:
        return (self.low, self.high) == (0.0, 1.0)

    def __str__(self) -> str:
        if self.of_sensitivity:
            return f"sensitivity {1 - self.high:.4g} to {1 - self.low:.4g}"
        return f"FPR {self.low:.4g} to {self.high:.4g}"


def partial_auc(
    y_true: RowsLike,
    y_score: npt.ArrayLike | None = None,
    max_fpr: float | None = None,
    *,
    min_fpr: float = 0.0,
    min_tpr: float | None = None,
    max_tpr: float | None = None,
    standardize: str = "width",
    sample_weight: npt.ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    r"""Partial AUC: the area under a part of the ROC curve, divided by its width; a perfect list has 1.

    The curve is straight inside a tie group.

    Parameters
    ----------
    y_true, y_score : array-like or Dask collection
        Labels and scores, one of each per row; larger scores are more positive. In place of both, a function that
        returns chunks of them, or a :class:`podium.rounds.CountedList`.
    max_fpr, min_fpr : float, default 1 and 0
        The range of false positive rates, for :math:`\int_{\min}^{\max} \mathrm{ROC}(\alpha)\,d\alpha`.
    min_tpr, max_tpr : float, optional
        A range of true positive rates instead, :math:`\int_{\min}^{\max} (1 - \mathrm{ROC}^{-1}(t))\,dt`, the area to
        the right of the curve there. By default they are 0 and 1.
    standardize : {"width", "area", "mcclish"}
        The scale. ``"width"``: the area A divided by the width w of the range, which is the mean true positive rate
        there, or the mean specificity; the scale of ``"partial-auc:0.05"`` wherever a metric is named. ``"area"``: the
        bare area A. ``"mcclish"``: ½·(1 + (A − c)/(w − c)) with the area c of chance, which is ½ at chance and 1 at
        perfection (McClish 1989); it is what scikit-learn's ``roc_auc_score(max_fpr=...)`` returns.
    sample_weight : array-like, optional
        One weight per row; a weight of 3 is equivalent to three equal rows.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    float
        The partial AUC.

    Examples
    --------
    >>> from podium.metrics import partial_auc
    >>> partial_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], max_fpr=0.5)
    0.5
    >>> partial_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], max_fpr=0.5, standardize="area")
    0.25
    """
    _input.check_choice("standardize", standardize, ("width", "area", "mcclish"))
    part = CurvePart.of(min_fpr, max_fpr, min_tpr, max_tpr)
    curve = RocCurve.from_scores(y_true, y_score, sample_weight, pos_label)
    return area_of_part(curve, part, standardize)


def area_of_part(curve: RocCurve, part: CurvePart, standardize: str) -> float:
    """:func:`partial_auc` of a curve."""
    seen = curve.turned() if part.of_sensitivity else curve
    if standardize == "width":
        return seen.partial_auc(part.high, part.low)
    area, width = seen.area(part.high, part.low), part.high - part.low
    if standardize == "area":
        return area
    chance = (part.high**2 - part.low**2) / 2
    return 0.5 * (1 + (area - chance) / (width - chance))


def tpr_at_fpr(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    fpr: float,
    *,
    sample_weight: npt.ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """True positive rate (recall) where the false positive rate is ``fpr``; the curve is straight inside a tie group.

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores, one of each per row; larger scores are more positive.
    fpr : float
        The false positive rate, in [0, 1].
    sample_weight : array-like, optional
        One weight per row; a weight of 3 is equivalent to three equal rows.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    float
        The true positive rate, in [0, 1].

    Examples
    --------
    >>> from podium.metrics import tpr_at_fpr
    >>> tpr_at_fpr([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], fpr=0.5)
    1.0
    """
    fpr = _input.check_number("fpr", fpr, 0, 1)
    return float(RocCurve.from_scores(y_true, y_score, sample_weight, pos_label).at(fpr))


def specificity_at_tpr(
    y_true: Any, y_score: Any, tpr: float, *, sample_weight: Any = None, pos_label: Any = None
) -> float:
    """Specificity where the true positive rate is ``tpr``; the curve is straight inside a tie group."""
    curve = RocCurve.from_scores(y_true, y_score, sample_weight, pos_label).turned()
    # Rounded: 1 − 0.8 is a little less than 0.2, where the curve may have a vertical step.
    return float(curve.at(round(1 - _input.check_number("tpr", tpr, 0, 1), 12)))


def log_auc(
    y_true: Any, y_score: Any, min_fpr: float, max_fpr: float, *, sample_weight: Any = None, pos_label: Any = None
) -> float:
    """Mean true positive rate between two false positive rates on a logarithmic axis (Mysinger and Shoichet 2010)."""
    return log_area(RocCurve.from_scores(y_true, y_score, sample_weight, pos_label), *check_log_range(min_fpr, max_fpr))


def check_log_range(min_fpr: float, max_fpr: float) -> tuple[float, float]:
    """As users give it, checked."""
    high = _input.check_number("max_fpr", max_fpr, 0, 1, open_low=True)
    return _input.check_number("min_fpr", min_fpr, 0, high, open_low=True, open_high=True), high


def log_area(curve: RocCurve, low: float, high: float) -> float:
    r"""∫ R d ln x over ln(b/a): along a segment R = c + s·x the integral is c·ln(x₁/x₀) + s·(x₁ − x₀)."""
    inside = (curve.fpr > low) & (curve.fpr < high)
    x = np.concatenate([[low], curve.fpr[inside], [high]])
    # Right limit at the start, left limit at the end: a vertical step there has no area.
    before = curve.tpr[np.searchsorted(curve.fpr, high, side="left") - 1 :][:2]
    ends = curve.fpr[np.searchsorted(curve.fpr, high, side="left") - 1 :][:2]
    last = before[0] + (before[1] - before[0]) * (high - ends[0]) / (ends[1] - ends[0])
    y = np.concatenate([curve.at([low]), curve.tpr[inside], [last]])
    run = np.diff(x)
    slope = np.divide(np.diff(y), run, out=np.zeros_like(run), where=run > 0)
    area = (y[:-1] - slope * x[:-1]) @ np.log(x[1:] / x[:-1]) + slope @ run
    return float(area / np.log(high / low))
