"""Calibration of probabilities: intercept and slope, with limits by penalized profile likelihood."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy
from scipy.special import expit, logit

from podium import _input
from podium._results import wording
from podium._results.result import Result
from podium._shares import normal_quantile
from podium._types import FloatArray, Sample
from podium.exceptions import DegenerateSampleError, InputError
from podium.labels.chances import firth

_NEAREST = 1e-9  # to 0 and 1 that a probability may be: beyond, its logit says nothing of the others
_MOST_PLACES = 4096  # distinct logits that are kept apart
_WIDEST = 50.0  # intercepts and slopes beyond are not looked for


@dataclass(frozen=True, kw_only=True, repr=False)
class CalibrationSummary(Result):
    """Whether probabilities mean what they say: intercept and slope, each with limits.

    Attributes
    ----------
    intercept, intercept_low, intercept_high : float
        Calibration in the large: what has to be added to the log odds of all rows; 0 if as many positives were found as
        the probabilities sum to, above 0 if more.
    slope, slope_low, slope_high : float
        By what log odds have to be multiplied; 1 if probabilities are as spread as they should be, below 1 if they are
        too extreme (overfitting), above 1 if they are too timid.
    expected, observed : float
        The sum of the probabilities, and the number of positives.
    confidence_level : float
        The confidence level of each pair of limits.
    n_pos, n_neg : int
        The numbers of positives and of negatives.
    """

    intercept: float
    intercept_low: float
    intercept_high: float
    slope: float
    slope_low: float
    slope_high: float
    expected: float
    observed: float
    confidence_level: float
    n_pos: int
    n_neg: int

    def __repr__(self) -> str:
        level = self.confidence_level
        intercept = wording.estimate_and_interval(
            self.intercept, self.intercept_low, self.intercept_high, level, signed=True
        )
        slope = wording.estimate_and_interval(self.slope, self.slope_low, self.slope_high, level)
        return (
            f"calibration intercept {intercept}; slope {slope}; {self.observed:,.0f} positives for "
            f"{self.expected:,.1f} expected, {wording.rows(self.n_pos, self.n_neg)}"
        )


def calibration(
    y_true: npt.ArrayLike, y_prob: npt.ArrayLike, *, confidence_level: float = 0.95, pos_label: Any = None
) -> CalibrationSummary:
    r"""Intercept and slope of the calibration of probabilities (Cox 1958), with limits.

    With x the log odds that were predicted, the intercept is the α of

    .. math:: \operatorname{logit} P(y = 1) = \alpha + x

    and the slope the β of :math:`\operatorname{logit} P(y = 1) = \alpha + \beta x`: 0 and 1 if the probabilities are
    right. Both maximize the likelihood with Firth's penalty, ½ log of the determinant of the information, so that they
    are finite also where positives and negatives are separated. The limits are those of the penalized profile
    likelihood (Heinze and Schemper 2002): all values with

    .. math:: 2\,\{\ell(\hat\theta) - \ell(\theta)\} \le z^2.

    Rows must be independent, and must not have been used to make the probabilities. Probabilities of 0 and 1 are taken
    as :math:`10^{-9}` away from these.

    Parameters
    ----------
    y_true, y_prob : array-like
        Labels and probabilities of the positive class.
    confidence_level : float
        The confidence level of each pair of limits.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    CalibrationSummary
        Intercept and slope with limits, and the numbers of positives expected and found.

    References
    ----------
    Cox, D. R. (1958). Two further applications of a model for binary regression. *Biometrika* 45, 562–565.

    Heinze, G. and Schemper, M. (2002). A solution to the problem of separation in logistic regression. *Statistics in
    Medicine* 21, 2409–2419.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.inference import calibration
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(500)
    >>> calibration(rng.random(500) < p, p)
    calibration intercept ... 95 % interval ...; slope 1.0..., 95 % interval ...; 2... positives for 2... expected, ...
    """
    level = _input.check_fraction("confidence_level", confidence_level)
    return summary_of(check_probabilities(y_true, y_prob, pos_label), level)


def check_probabilities(y_true: npt.ArrayLike, y_prob: npt.ArrayLike, pos_label: Any) -> Sample:
    """Checked labels and probabilities."""
    sample = _input.check_sample(y_true, y_prob, pos_label=pos_label)
    if sample.scores.min() < 0 or sample.scores.max() > 1:
        raise InputError(
            f"y_prob must be probabilities in [0, 1]; got {sample.scores.min():g} to {sample.scores.max():g}.",
            "calibrate the scores first.",
        )
    return sample


def summary_of(sample: Sample, level: float, where: str = "") -> CalibrationSummary:
    """Intercept and slope of checked rows."""
    if sample.scores.min() == sample.scores.max():
        raise DegenerateSampleError(f"A slope needs probabilities that differ; all are the same{where}.")
    n_pos = int(sample.is_positive.sum())
    x, positives, known = _places(sample.scores.astype(np.float64), sample.is_positive)
    best_slope = float(firth(np.column_stack([np.ones_like(x), x]), positives, known)[0][1])

    def of_intercept(alpha: float) -> float:
        p = expit(alpha + x)
        return _likelihood(alpha + x, positives, known) + float(np.log(known @ (p * (1 - p)))) / 2

    centered = x - np.average(x, weights=known)  # else α would be far from where it is looked for if all x are alike

    def of_slope(beta: float) -> float:
        return -float(_largest(lambda alpha: _of_both(alpha, beta, centered, positives, known))[1])

    best_intercept, smallest = _largest(of_intercept)
    intercept = _profile_limits(of_intercept, best_intercept, -smallest, level)
    slope = _profile_limits(of_slope, best_slope, of_slope(best_slope), level)
    return CalibrationSummary(
        intercept=best_intercept,
        intercept_low=intercept[0],
        intercept_high=intercept[1],
        slope=best_slope,
        slope_low=slope[0],
        slope_high=slope[1],
        expected=float(sample.scores.sum()),
        observed=float(n_pos),
        confidence_level=level,
        n_pos=n_pos,
        n_neg=len(sample.scores) - n_pos,
    )


def _places(p: FloatArray, is_positive: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Log odds, positives and rows of every distinct probability; of very many, of stretches of equal length."""
    x = logit(np.clip(p, _NEAREST, 1 - _NEAREST))
    values, place = np.unique(x, return_inverse=True)
    if len(values) > _MOST_PLACES:
        place = np.unique(np.floor((x - x.min()) / np.ptp(x) * (_MOST_PLACES - 1)), return_inverse=True)[1]
    known = np.bincount(place).astype(np.float64)
    return np.bincount(place, x) / known, np.bincount(place, is_positive).astype(np.float64), known


def _likelihood(eta: FloatArray, positives: FloatArray, known: FloatArray) -> float:
    return float(positives @ eta - known @ np.logaddexp(0.0, eta))


def _of_both(alpha: float, beta: float, x: FloatArray, positives: FloatArray, known: FloatArray) -> float:
    eta = alpha + beta * x
    p = expit(eta)
    w = known * p * (1 - p)
    total = w.sum()
    mean = w @ x / total
    return _likelihood(eta, positives, known) + float(np.log(total * (w @ (x - mean) ** 2))) / 2


def _largest(value: Callable[[float], float]) -> tuple[float, float]:
    """Where a value is largest, and its negative there."""
    found = scipy.optimize.minimize_scalar(lambda at: -value(at), bracket=(-1.0, 1.0), options={"xtol": 1e-10})
    return float(found.x), float(found.fun)


def _profile_limits(value: Callable[[float], float], best: float, largest: float, level: float) -> tuple[float, float]:
    """The values on either side at which the likelihood has fallen by z²/2; infinite if it does not."""
    allowed = largest - normal_quantile(level) ** 2 / 2

    def limit(side: float) -> float:
        inner, outer = 0.0, 0.1
        while value(best + side * outer) > allowed:
            inner, outer = outer, 2 * outer
            if outer > _WIDEST:
                return side * np.inf
        return best + side * float(
            scipy.optimize.brentq(lambda reach: value(best + side * reach) - allowed, inner, outer)
        )

    return limit(-1.0), limit(1.0)
