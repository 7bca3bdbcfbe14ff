"""Whether the positives are stochastically larger than the negatives (CLV21, §2.1; CV08, §3.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt
from scipy.stats import ks_2samp

from podium import _input
from podium._results import wording
from podium._results.result import Result


@dataclass(frozen=True, kw_only=True)
class StochasticOrderTest(Result):
    """A test of stochastic order.

    Attributes
    ----------
    statistic : float
        How far the ROC curve of the sample falls below the diagonal, sup(α − ROC(α)).
    pvalue : float
        How likely at most a fall so deep is where positives are stochastically larger than negatives, or alike.
    n_pos, n_neg : int
        The numbers of positives and negatives.
    """

    statistic: float
    pvalue: float
    n_pos: int
    n_neg: int

    def __repr__(self) -> str:
        return (
            f"the curve falls {self.statistic:.4g} below the diagonal, {wording.pvalue(self.pvalue)} if positives are "
            f"stochastically larger, {self.n_pos:,} positives and {self.n_neg:,} negatives"
        )


def stochastic_order_test(
    y_true: npt.ArrayLike, y_score: npt.ArrayLike, *, pos_label: Any = None
) -> StochasticOrderTest:
    r"""Test whether positives score stochastically higher: whether the ROC curve is nowhere below the diagonal.

    The hypothesis is G(t) ≤ H(t) for every t, with G and H the distribution functions of the scores of the positives
    and of the negatives; a small p-value says that it is false, and the rule worse than chance somewhere. The statistic
    is Smirnov's one-sided one, sup(Ĝ − Ĥ), the p-value its null probability, exact up to some ten thousand rows. It is
    the largest where G = H, so that the test keeps its level for every pair in the order, and with ties it errs on the
    safe side.

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores, one of each per row; larger scores are more positive.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    StochasticOrderTest
        The statistic and its p-value.

    Examples
    --------
    >>> from podium.inference import stochastic_order_test
    >>> test = stochastic_order_test([0, 1, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6])
    >>> test.statistic, round(test.pvalue, 3)
    (0.0, 1.0)
    """
    sample = _input.check_sample(y_true, y_score, pos_label=pos_label)
    positives, negatives = sample.scores[sample.is_positive], sample.scores[~sample.is_positive]
    found = ks_2samp(positives, negatives, alternative="greater")
    return StochasticOrderTest(
        statistic=float(found.statistic), pvalue=float(found.pvalue), n_pos=len(positives), n_neg=len(negatives)
    )
