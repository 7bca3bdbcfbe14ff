"""How many rows an interval of a wanted width needs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from scipy.special import expit, logit

from podium import _input
from podium._normal import normal_quantile
from podium._results import wording
from podium._results.result import Result
from podium.exceptions import InputError
from podium.inference.planning.binormal import auc_covariance

LARGEST = 10**9  # rows of a class; what needs more is not planned but refused


@dataclass(frozen=True, kw_only=True, repr=False)
class SampleSize(Result):
    """Rows that a study needs, and what they buy.

    Attributes
    ----------
    n_pos, n_neg : int
        How many positives and negatives are needed.
    width : float
        The expected width of the interval.
    auc : float
        The assumed AUC.
    confidence_level : float
        The confidence level of the interval.
    """

    n_pos: int
    n_neg: int
    width: float
    auc: float
    confidence_level: float

    def __repr__(self) -> str:
        return (
            f"{self.n_pos:,} positives and {self.n_neg:,} negatives for a {wording.level(self.confidence_level)} "
            f"interval of width {self.width:.3g} at AUC {self.auc:g}"
        )


def sample_size_for_width(
    auc: float, width: float, *, negatives_per_positive: float = 1.0, confidence_level: float = 0.95
) -> SampleSize:
    r"""The fewest rows at which the interval for the AUC is expected to be at most ``width`` wide.

    The interval is the default one, symmetric in logit(AUC), with the variance that the binormal model with equal
    variances gives at the assumed AUC A:

    .. math:: \frac{A(1 - A) + (n + m - 2)(Q - A^2)}{n m}, \qquad
       Q = \Phi_2\bigl(\Phi^{-1}(A), \Phi^{-1}(A);\ \tfrac12\bigr),

    the form of Hanley and McNeil (1982) with Q for normal scores in place of their exponential ones.

    Parameters
    ----------
    auc : float
        The assumed AUC, in (0, 1).
    width : float
        The distance from the lower to the upper limit that is asked for.
    negatives_per_positive : float
        How many negatives the study has for every positive.
    confidence_level : float
        The confidence level of the interval.

    Returns
    -------
    SampleSize
        The rows that are needed, and the width that is then expected.

    Examples
    --------
    >>> from podium.inference import sample_size_for_width
    >>> sample_size_for_width(0.85, 0.1)
    111 positives and 111 negatives for a 95 % interval of width 0.0996 at AUC 0.85
    """
    auc = _input.check_number("auc", auc, 0, 1, open_low=True, open_high=True)
    width = _input.check_number("width", width, 0, 1, open_low=True, open_high=True)
    ratio = _input.check_number("negatives_per_positive", negatives_per_positive, 0, open_low=True)
    level = _input.check_number("confidence_level", confidence_level, 0, 1, open_low=True, open_high=True)
    z = normal_quantile(level)

    def expected(n_pos: int) -> float:
        error = math.sqrt(auc_covariance(auc, auc, 1.0, n_pos, negatives(n_pos, ratio)))
        reach = z * error / (auc * (1 - auc))
        return float(expit(logit(auc) + reach) - expit(logit(auc) - reach))

    n_pos = fewest_positives(lambda n: expected(n) <= width, f"width {width!r}")
    return SampleSize(
        n_pos=n_pos, n_neg=negatives(n_pos, ratio), width=expected(n_pos), auc=auc, confidence_level=level
    )


def fewest_positives(enough: Callable[[int], bool], wanted: str) -> int:
    """The least number of positives with which a study reaches what is wanted, which more rows do not undo."""
    if not enough(LARGEST):
        raise InputError(f"What is wanted must be within reach of {LARGEST:,} positives; got {wanted}.")
    too_few, sufficient = 0, LARGEST
    while sufficient - too_few > 1:
        middle = (too_few + sufficient) // 2
        too_few, sufficient = (too_few, middle) if enough(middle) else (middle, sufficient)
    return sufficient


def negatives(n_pos: int, per_positive: float) -> int:
    """The negatives of a study with so many positives."""
    return max(1, round(n_pos * per_positive))
