"""Comparisons of parts of two ROC curves: partial areas, and rates at an operating point."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._types import FloatArray, Sample
from podium.inference.comparisons.results import CurveComparison
from podium.inference.comparisons.two_lists import TwoLists, curve_comparison
from podium.inference.curves.areas import area_influence, turned
from podium.metrics.area import CurvePart
from podium.roc import RocCurve

# Two scorers compared on a part of the ROC curve, and the covariance of their AUCs.


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
    """Difference of the partial AUCs of two scorers, areas divided by their width, with its interval and test.

    The influence values of the rows (see `partial_auc_interval` for their variance) are subtracted, so that what both
    scorers share cancels: over all rates this is the test of DeLong, DeLong and Clarke-Pearson (1988). Unpaired, the
    variances add and the statistic is compared with Student's t of Satterthwaite's degrees of freedom.

    Parameters
    ----------
    y_true : array-like
        Labels; those of the rows of ``score_a`` if the lists differ.
    score_a, score_b : array-like
        Scores of the two scorers, which were fixed before these rows were seen.
    max_fpr, min_fpr : float
        The range of false positive rates; by default from 0 to 1.
    min_tpr, max_tpr : float, optional
        Instead, a range of true positive rates (sensitivities).
    y_true_b : array-like, optional
        Labels of the rows of ``score_b`` if these are other, independent rows; the comparison is then unpaired.
    method : {"influence", "bootstrap"}
        Closed form, or bootstrap variance resampling within the classes.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"`` tests whether a is better than b; the interval is then one-sided.
    confidence_level : float
        Nominal coverage of the interval.
    n_resamples : int
        Number of bootstrap samples.
    rng : int or numpy.random.Generator, optional
        Seed or generator of the bootstrap.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    CurveComparison
        The difference of the partial AUCs; times the width of the range, that of the bare areas.

    Notes
    -----
    Inside a tie group the curve is straight.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.inference import compare_partial_auc
    >>> y, s = np.arange(100) % 4 == 0, np.arange(100) % 17
    >>> compare_partial_auc(y, s + 9 * y, s + 5 * y, max_fpr=0.3)
    difference in partial AUC for FPR 0 to 0.3 (a − b) +0.240, 95 % interval ..., p < 0.001 (influence, paired, ...
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
        return area_influence(sample, part.low, part.high) / (part.high - part.low)

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
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

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


# Two scorers compared at a point of the ROC curve.


_FEW_BEYOND = 10  # rows beyond the threshold: with fewer the bootstrap does not vary as new rows would


def compare_tpr(
    y_true: npt.ArrayLike,
    score_a: npt.ArrayLike,
    score_b: npt.ArrayLike,
    *,
    fpr: float,
    y_true_b: npt.ArrayLike | None = None,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: Any = None,
    pos_label: Any = None,
) -> CurveComparison:
    """Difference of the true positive rates (sensitivities) of two scorers at one false positive rate, and its test.

    Each scorer has its own threshold, estimated from the negatives. The variance is that over bootstrap samples drawn
    within the classes, the same rows for both scorers if paired; limits and p-value are normal.

    Parameters
    ----------
    y_true : array-like
        Labels; those of the rows of ``score_a`` if the lists differ.
    score_a, score_b : array-like
        Scores of the two scorers, which were fixed before these rows were seen.
    fpr : float
        The false positive rate, in (0, 1): one minus the specificity.
    y_true_b : array-like, optional
        Labels of the rows of ``score_b`` if these are other, independent rows; the comparison is then unpaired.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"`` tests whether a is better than b; the interval is then one-sided.
    confidence_level : float
        Nominal coverage of the interval.
    n_resamples : int
        Number of bootstrap samples.
    rng : int or numpy.random.Generator, optional
        Seed or generator of the bootstrap.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    CurveComparison
        The difference of the true positive rates.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.inference import compare_tpr
    >>> y, s = np.arange(200) % 4 == 0, np.arange(200) % 17
    >>> compare_tpr(y, s + 9 * y, s + 5 * y, fpr=0.2, rng=0)
    difference in TPR at FPR 0.2 (a − b) +0.2..., 95 % interval ..., p < 0.001 (bootstrap, paired, two-sided)
    """
    rate = _input.check_fraction("fpr", fpr)
    lists = TwoLists.of(y_true, score_a, score_b, y_true_b, pos_label)
    return _at_rate(f"TPR at FPR {rate:g}", "negatives", lists, rate, alternative, confidence_level, n_resamples, rng)


def compare_specificity(
    y_true: npt.ArrayLike,
    score_a: npt.ArrayLike,
    score_b: npt.ArrayLike,
    *,
    tpr: float,
    y_true_b: npt.ArrayLike | None = None,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: Any = None,
    pos_label: Any = None,
) -> CurveComparison:
    """Difference of the specificities of two scorers at one true positive rate (sensitivity), and its test.

    As `compare_tpr`, with the classes exchanged: the thresholds are estimated from the positives.

    Parameters
    ----------
    y_true : array-like
        Labels; those of the rows of ``score_a`` if the lists differ.
    score_a, score_b : array-like
        Scores of the two scorers, which were fixed before these rows were seen.
    tpr : float
        The true positive rate (sensitivity), in (0, 1).
    y_true_b : array-like, optional
        Labels of the rows of ``score_b`` if these are other, independent rows; the comparison is then unpaired.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"`` tests whether a is better than b; the interval is then one-sided.
    confidence_level : float
        Nominal coverage of the interval.
    n_resamples : int
        Number of bootstrap samples.
    rng : int or numpy.random.Generator, optional
        Seed or generator of the bootstrap.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    CurveComparison
        The difference of the specificities.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.inference import compare_specificity
    >>> y, s = np.arange(200) % 4 == 0, np.arange(200) % 17
    >>> compare_specificity(y, s + 9 * y, s + 5 * y, tpr=0.8, rng=0)
    difference in specificity at sensitivity 0.8 (a − b) +0.2..., 95 % interval ..., p ... (bootstrap, paired, ...
    """
    rate = _input.check_fraction("tpr", tpr)
    lists = TwoLists.of(y_true, score_a, score_b, y_true_b, pos_label)
    exchanged = TwoLists(turned(lists.a), turned(lists.b), lists.paired)
    name = f"specificity at sensitivity {rate:g}"
    # Rounded: 1 − 0.8 is a little less than 0.2, where the curve may have a vertical step.
    return _at_rate(name, "positives", exchanged, round(1 - rate, 12), alternative, confidence_level, n_resamples, rng)


def _at_rate(
    name: str,
    rows: str,
    lists: TwoLists,
    rate: float,
    alternative: str,
    confidence_level: float,
    n_resamples: int,
    rng: Any,
) -> CurveComparison:
    draws = _input.check_integer("n_resamples", n_resamples, 2)

    def height(curve: RocCurve) -> float:
        return float(curve.at(rate))

    beyond = rate * min(int((~sample.is_positive).sum()) for sample in (lists.a, lists.b))
    return curve_comparison(
        name,
        (
            height(RocCurve.from_scores(lists.a.is_positive, lists.a.scores)),
            height(RocCurve.from_scores(lists.b.is_positive, lists.b.scores)),
        ),
        lists.resampled_variance(height, draws, np.random.default_rng(rng)),
        None,
        alternative=alternative,
        confidence_level=confidence_level,
        method="bootstrap",
        paired=lists.paired,
        note=f"only {beyond:.3g} {rows} beyond the threshold: the test may not hold its level"
        if beyond < _FEW_BEYOND
        else "",
    )
