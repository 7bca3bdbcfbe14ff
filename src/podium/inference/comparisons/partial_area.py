"""Two scorers compared on a part of the ROC curve, and the covariance of their AUCs."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._types import FloatArray, Sample
from podium.inference.comparisons.curve_result import CurveComparison
from podium.inference.comparisons.two_lists import TwoLists, curve_comparison
from podium.inference.curves.area_influence import area_influence
from podium.inference.curves.partial_area import turned
from podium.metrics.area import CurvePart
from podium.roc import RocCurve

_FEW = 10  # rows of a class in the range: with fewer the tests are conservative or worse


def compare_partial_auc(
    y_true: npt.ArrayLike,
    score_a: npt.ArrayLike,
    score_b: npt.ArrayLike,
    *,
    max_fpr: float | None = None,
    min_fpr: float = 0.0,
    min_tpr: float | None = None,
    max_tpr: float | None = None,
    y_true_b: npt.ArrayLike | None = None,
    method: str = "influence",
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: Any = None,
    pos_label: Any = None,
) -> CurveComparison:
    """Difference of the areas of two scorers under a part of the ROC curve, with its interval and test.

    The influence values of the rows (see `partial_auc_interval` for their variance) are subtracted, so that what both
    scorers share cancels: over all rates this is the test of DeLong, DeLong and Clarke-Pearson (1988). Unpaired, the
    variances add and the statistic is compared with Student's t of Satterthwaite's degrees of freedom.

    Parameters
    ----------
    y_true : array-like
        Labels; those of the rows of ``score_a`` if the lists differ.
    score_a, score_b : array-like
        Scores by the two scorers, fixed before these rows were seen.
    max_fpr, min_fpr : float
        The range of false positive rates, from 0 to 1 unless given.
    min_tpr, max_tpr : float, optional
        Instead, a range of true positive rates (sensitivities).
    y_true_b : array-like, optional
        Labels of the rows of ``score_b`` where these are other, independent rows: the comparison is unpaired then.
    method : {"influence", "bootstrap"}
        Closed form; or the variance over samples drawn with replacement within the classes.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: a is better than b. The interval is one-sided then.
    confidence_level : float
        Nominal coverage of the interval.
    n_resamples : int
        Number of bootstrap samples.
    rng : int or numpy.random.Generator, optional
        Seed or generator of the bootstrap.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.

    Returns
    -------
    CurveComparison
        The difference of the areas, not divided by the width of the range.

    Notes
    -----
    Inside a tie group the curve is straight.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.inference import compare_partial_auc
    >>> y, s = np.arange(100) % 4 == 0, np.arange(100) % 17
    >>> compare_partial_auc(y, s + 9 * y, s + 5 * y, max_fpr=0.3)
    difference in partial AUC for FPR 0 to 0.3 (a − b) +0.072, 95 % interval ..., p < 0.001 (influence, paired, ...
    """
    part = CurvePart.of(min_fpr, max_fpr, min_tpr, max_tpr)
    _input.check_choice("method", method, ("influence", "bootstrap"))
    draws = _input.check_integer("n_resamples", n_resamples, 2)
    lists = TwoLists.of(y_true, score_a, score_b, y_true_b, pos_label)
    if part.of_sensitivity:
        lists = TwoLists(turned(lists.a), turned(lists.b), lists.paired)

    def area(curve: RocCurve) -> float:
        return curve.partial_auc(part.high, part.low)

    def influence(sample: Sample) -> FloatArray:
        return area_influence(sample, part.low, part.high)

    variance, freedom = lists.variances(influence)
    if method == "bootstrap":
        variance, freedom = lists.resampled_variance(area, draws, np.random.default_rng(rng)), None
    in_range = (part.high - part.low) * min(int((~sample.is_positive).sum()) for sample in (lists.a, lists.b))
    rows = "positives" if part.of_sensitivity else "negatives"
    return curve_comparison(
        "AUC" if part.is_whole else f"partial AUC for {part}",
        (_area_of(lists.a, part), _area_of(lists.b, part)),
        variance,
        freedom,
        alternative=alternative,
        confidence_level=confidence_level,
        method=method,
        paired=lists.paired,
        note=f"only {in_range:.3g} {rows} in the range: the test may not hold its level" if in_range < _FEW else "",
    )


def auc_covariance(
    y_true: npt.ArrayLike, score_a: npt.ArrayLike, score_b: npt.ArrayLike, *, pos_label: Any = None
) -> float:
    """Covariance of the AUCs of two scorers on the same rows (DeLong, DeLong and Clarke-Pearson 1988), ties included.

    Parameters
    ----------
    y_true : array-like
        Labels of the rows.
    score_a, score_b : array-like
        Scores by the two scorers; the covariance of a scorer with itself is the variance of its AUC.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.

    Returns
    -------
    float
        The covariance of the two sample AUCs.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.inference import auc_covariance
    >>> y, s = np.arange(100) % 4 == 0, np.arange(100) % 17
    >>> auc_covariance(y, s + 9 * y, s + 5 * y)
    0.0017...
    """
    lists = TwoLists.of(y_true, score_a, score_b, None, pos_label)
    a, b = (area_influence(sample, 0.0, 1.0) for sample in (lists.a, lists.b))
    return float(
        sum(np.cov(a[rows], b[rows])[0, 1] / rows.sum() for rows in (lists.a.is_positive, ~lists.a.is_positive))
    )


def _area_of(sample: Sample, part: CurvePart) -> float:
    return RocCurve.from_scores(sample.is_positive, sample.scores).partial_auc(part.high, part.low)
