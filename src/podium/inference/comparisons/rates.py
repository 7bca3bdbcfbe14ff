"""Two scorers compared at a point of the ROC curve."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium.inference.comparisons.curve_result import CurveComparison
from podium.inference.comparisons.two_lists import TwoLists, curve_comparison
from podium.inference.curves.partial_area import turned
from podium.roc import RocCurve

_FEW = 10  # rows beyond the threshold: with fewer the bootstrap does not vary as new rows would


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
        Scores by the two scorers, fixed before these rows were seen.
    fpr : float
        The false positive rate, in (0, 1): one less the specificity.
    y_true_b : array-like, optional
        Labels of the rows of ``score_b`` where these are other, independent rows: the comparison is unpaired then.
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
        The difference of the true positive rates.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.inference import compare_tpr
    >>> y, s = np.arange(200) % 4 == 0, np.arange(200) % 17
    >>> compare_tpr(y, s + 9 * y, s + 5 * y, fpr=0.2, rng=0)
    difference in TPR at FPR 0.2 (a − b) +0.2..., 95 % interval ..., p < 0.001 (bootstrap, paired, two-sided)
    """
    rate = _input.check_number("fpr", fpr, 0, 1, open_low=True, open_high=True)
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
        Scores by the two scorers, fixed before these rows were seen.
    tpr : float
        The true positive rate (sensitivity), in (0, 1).
    y_true_b : array-like, optional
        Labels of the rows of ``score_b`` where these are other, independent rows: the comparison is unpaired then.
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
        The difference of the specificities.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.inference import compare_specificity
    >>> y, s = np.arange(200) % 4 == 0, np.arange(200) % 17
    >>> compare_specificity(y, s + 9 * y, s + 5 * y, tpr=0.8, rng=0)
    difference in specificity at sensitivity 0.8 (a − b) +0.2..., 95 % interval ..., p ... (bootstrap, paired, ...
    """
    rate = _input.check_number("tpr", tpr, 0, 1, open_low=True, open_high=True)
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
        note=f"only {beyond:.3g} {rows} beyond the threshold: the test may not hold its level" if beyond < _FEW else "",
    )
