"""Power of studies of one AUC and of two, and the rows that a wanted power needs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import logit, ndtr

from podium import _input
from podium._results import wording
from podium._results.result import Result
from podium._shares import normal_quantile
from podium.inference.planning.width import (
    auc_covariance,
    fewest_positives,
    negatives,
    partial_auc,
    partial_auc_covariance,
)


@dataclass(frozen=True, kw_only=True, repr=False)
class PowerPlan(Result):
    """Rows that a study needs to find what is there.

    Attributes
    ----------
    n_pos, n_neg : int
        How many positives and negatives are needed.
    power : float
        The power with so many.
    question : str
        What the study is to decide.
    confidence_level : float
        One minus the size of the two-sided test.
    """

    n_pos: int
    n_neg: int
    power: float
    question: str
    confidence_level: float

    def __repr__(self) -> str:
        return (
            f"{self.n_pos:,} positives and {self.n_neg:,} negatives: power {self.power:.3f} for {self.question}, "
            f"confidence {wording.level(self.confidence_level)}"
        )


def power_one_auc(
    auc: float,
    n_pos: int,
    n_neg: int,
    *,
    null_auc: float = 0.5,
    max_fpr: float = 1.0,
    confidence_level: float = 0.95,
) -> float:
    r"""Probability that the interval for an AUC excludes a constant.

    .. math:: \Phi\Bigl(\frac{|\operatorname{logit} A - \operatorname{logit} A_0|\, A(1 - A)}{\sigma} - z\Bigr)

    with σ² the variance of the sample AUC in the binormal model with equal variances at the assumed AUC A, A₀ the
    constant and z the normal quantile of the test: the power of an interval symmetric in logit(AUC), from which the
    default one differs little. Intervals that exclude the constant on its far side are not counted; at a confidence
    level of .95 these are fewer than one in a thousand where the power is .2 or more.

    Parameters
    ----------
    auc : float
        The assumed AUC, in (0, 1).
    n_pos, n_neg : int
        The numbers of positives and of negatives.
    null_auc : float
        The constant: 0.5 is a useless scorer.
    max_fpr : float
        If below 1, the areas up to this false positive rate are compared, those of the binormal curves with the AUCs.
    confidence_level : float
        One minus the size of the two-sided test.

    Returns
    -------
    float
        The power, in (0, 1).

    Examples
    --------
    >>> from podium.inference import power_one_auc
    >>> round(power_one_auc(0.8, 17, 17), 2), round(power_one_auc(0.8, 60, 60, null_auc=0.7), 2)
    (0.83, 0.58)
    """
    auc, null = (_input.check_fraction(name, value) for name, value in (("auc", auc), ("null_auc", null_auc)))
    n_pos, n_neg = _input.check_integer("n_pos", n_pos, 1), _input.check_integer("n_neg", n_neg, 1)
    rate = _input.check_number("max_fpr", max_fpr, 0, 1, open_low=True)
    level = _input.check_fraction("confidence_level", confidence_level)
    share, null_share = (_area(value, rate) for value in (auc, null))
    error = math.sqrt(_covariance(auc, auc, rate, 1.0, n_pos, n_neg))
    shift = abs(logit(share) - logit(null_share)) * share * (1 - share) / error
    return float(ndtr(shift - normal_quantile(level)))


def power_two_aucs(
    auc_a: float,
    auc_b: float,
    n_pos: int,
    n_neg: int,
    *,
    correlation: float = 0.0,
    margin: float | None = None,
    max_fpr: float = 1.0,
    confidence_level: float = 0.95,
) -> float:
    r"""Probability that a comparison of two AUCs finds the difference, or shows that a is not worse by a margin.

    .. math:: \Phi\Bigl(\frac{|A - B|}{\sigma} - z\Bigr) + \Phi\Bigl(-\frac{|A - B|}{\sigma} - z\Bigr), \qquad
       \sigma^2 = \mathrm{var}_A + \mathrm{var}_B - 2\,\mathrm{cov}

    with variances and covariance of the binormal model with equal variances; z is the normal quantile of the test. With
    a margin M the study succeeds if the lower limit of the two-sided interval for A − B lies above −M (non-inferiority
    at half the size): Φ((A − B + M)/σ − z).

    Parameters
    ----------
    auc_a, auc_b : float
        The assumed AUCs, in (0, 1).
    n_pos, n_neg : int
        The numbers of rows of each class; of each of the two samples where the scorers are compared on different ones.
    correlation : float
        The correlation of the two scores within a class, in [−1, 1]: 0 for different samples, and often .5 to .9 on the
        same rows.
    margin : float, optional
        The margin of non-inferiority: how far the AUC of a (or its partial AUC) may be below that of b.
    max_fpr : float
        If below 1, the areas up to this false positive rate are compared, those of the binormal curves with the AUCs.
    confidence_level : float
        One minus the size of the two-sided test.

    Returns
    -------
    float
        The power, in (0, 1).

    Examples
    --------
    >>> from podium.inference import power_two_aucs
    >>> round(power_two_aucs(0.80, 0.85, 150, 150), 2), round(power_two_aucs(0.80, 0.85, 150, 150, correlation=0.7), 2)
    (0.32, 0.71)
    >>> round(power_two_aucs(0.85, 0.85, 150, 150, correlation=0.7, margin=0.05), 2)
    0.78
    """
    auc_a, auc_b = (_input.check_fraction(name, value) for name, value in (("auc_a", auc_a), ("auc_b", auc_b)))
    n_pos, n_neg = _input.check_integer("n_pos", n_pos, 1), _input.check_integer("n_neg", n_neg, 1)
    correlation = _input.check_number("correlation", correlation, -1, 1)
    rate = _input.check_number("max_fpr", max_fpr, 0, 1, open_low=True)
    level = _input.check_fraction("confidence_level", confidence_level)
    variances = sum(_covariance(auc, auc, rate, 1.0, n_pos, n_neg) for auc in (auc_a, auc_b))
    variance = variances - 2 * _covariance(auc_a, auc_b, rate, correlation, n_pos, n_neg)
    difference, z = _area(auc_a, rate) - _area(auc_b, rate), normal_quantile(level)
    if margin is not None:
        difference += _input.check_number("margin", margin, 0, 1, open_low=True)
        return float(ndtr(difference / math.sqrt(variance) - z)) if variance > 0 else float(difference > 0)
    if auc_a == auc_b:
        return 1 - level
    shift = abs(difference) / math.sqrt(variance) if variance > 0 else np.inf
    return float(ndtr(shift - z) + ndtr(-shift - z))


def sample_size_one_auc(
    auc: float,
    power: float = 0.8,
    *,
    null_auc: float = 0.5,
    max_fpr: float = 1.0,
    negatives_per_positive: float = 1.0,
    confidence_level: float = 0.95,
) -> PowerPlan:
    """The smallest sample in which the interval for an AUC excludes a constant with the desired power.

    Parameters
    ----------
    auc : float
        The assumed AUC, in (0, 1).
    power : float
        The desired power.
    null_auc, max_fpr : float
        The AUC to exclude, and the false positive rate up to which areas are compared; see `power_one_auc`.
    negatives_per_positive : float
        The number of negatives per positive.
    confidence_level : float
        One minus the size of the two-sided test.

    Returns
    -------
    PowerPlan
        The numbers of rows, and their power.

    Examples
    --------
    >>> from podium.inference import sample_size_one_auc
    >>> sample_size_one_auc(0.8, 0.9, null_auc=0.7)
    134 positives and 134 negatives: power 0.900 for AUC 0.8 against 0.7, confidence 95 %
    """

    def reached(n_pos: int) -> float:
        n_neg = negatives(n_pos, negatives_per_positive)
        return power_one_auc(auc, n_pos, n_neg, null_auc=null_auc, max_fpr=max_fpr, confidence_level=confidence_level)

    return _plan(reached, power, negatives_per_positive, f"AUC {auc:g} against {null_auc:g}", confidence_level)


def sample_size_two_aucs(
    auc_a: float,
    auc_b: float,
    power: float = 0.8,
    *,
    correlation: float = 0.0,
    margin: float | None = None,
    max_fpr: float = 1.0,
    negatives_per_positive: float = 1.0,
    confidence_level: float = 0.95,
) -> PowerPlan:
    """The smallest sample in which a comparison of two AUCs succeeds with the desired power.

    Parameters
    ----------
    auc_a, auc_b : float
        The assumed AUCs, in (0, 1).
    power : float
        The desired power.
    correlation, margin, max_fpr : float
        The correlation of the two scores within a class, the margin of non-inferiority, and the false positive rate up
        to which areas are compared; see `power_two_aucs`.
    negatives_per_positive : float
        The number of negatives per positive.
    confidence_level : float
        One minus the size of the two-sided test.

    Returns
    -------
    PowerPlan
        The numbers of rows, and their power.

    Examples
    --------
    >>> from podium.inference import sample_size_two_aucs
    >>> sample_size_two_aucs(0.80, 0.85, 0.8, correlation=0.7)
    187 positives and 187 negatives: power 0.80... for AUC 0.8 against AUC 0.85, confidence 95 %
    """

    def reached(n_pos: int) -> float:
        n_neg = negatives(n_pos, negatives_per_positive)
        return power_two_aucs(
            auc_a,
            auc_b,
            n_pos,
            n_neg,
            correlation=correlation,
            margin=margin,
            max_fpr=max_fpr,
            confidence_level=confidence_level,
        )

    allowed = "" if margin is None else f", not worse by {margin:g}"
    question = f"AUC {auc_a:g} against AUC {auc_b:g}{allowed}"
    return _plan(reached, power, negatives_per_positive, question, confidence_level)


def _plan(
    reached: Callable[[int], float], power: float, ratio: float, question: str, confidence_level: float
) -> PowerPlan:
    wanted = _input.check_fraction("power", power)
    ratio = _input.check_number("negatives_per_positive", ratio, 0, open_low=True)
    n_pos = fewest_positives(lambda n: reached(n) >= wanted, f"power {wanted:g}")
    return PowerPlan(
        n_pos=n_pos,
        n_neg=negatives(n_pos, ratio),
        power=reached(n_pos),
        question=question,
        confidence_level=confidence_level,
    )


def _area(auc: float, max_fpr: float) -> float:
    return auc if max_fpr == 1 else partial_auc(auc, max_fpr)


def _covariance(auc_a: float, auc_b: float, max_fpr: float, correlation: float, n_pos: int, n_neg: int) -> float:
    if max_fpr == 1:
        return auc_covariance(auc_a, auc_b, correlation, n_pos, n_neg)
    return partial_auc_covariance(auc_a, auc_b, max_fpr, correlation, n_pos, n_neg)
