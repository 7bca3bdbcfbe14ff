"""The logistic log-likelihood: what the plug-in rule maximizes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import expit

from podium._types import FloatArray, Sample
from podium.criteria.base import ChunkedCriterion
from podium.rounds.computation import Finished, Rounds

_FAR = 700.0  # where e^(−r) is next to nothing, and e^r does not overflow yet
_UNIT = 2.0**-300  # costs times weights add up in it without overflow, and to the same digits


@dataclass(frozen=True)
class LogLoss(ChunkedCriterion):
    r"""Mean logistic log-likelihood, scores being log-odds.

    .. math:: \frac1N \sum_l \log\sigma(\pm s_l), \qquad + \text{ for positives}, - \text{ for negatives}.

    Not a function of ranks: its maximizer estimates the log-odds of η(x) = P(positive | x), and η ranks optimally for
    every φ (CLV21, Remark 3). That is the plug-in rule.

    Examples
    --------
    >>> from podium.criteria import LogLoss
    >>> value, gradient = LogLoss().value_and_gradient([-1.0, 1.0, -0.5, 2.0], [False, True, False, True])
    >>> round(value, 3)
    -0.307
    """

    knows_intercept = True

    def rounds(self) -> Rounds:
        """One round: the cost of all rows, and how much they weigh."""
        cost, weight = yield _costs
        return Finished(-float(cost / weight / _UNIT), partial(_gradient, weight))

    def row_curvature(self, rows: Sample, gradient: FloatArray) -> FloatArray:
        """Exact: p(1 − p) times the share of the row, p = σ(score)."""
        return np.abs(gradient) * expit(np.where(rows.is_positive, rows.scores, -rows.scores))


def _costs(rows: Sample, kept: None) -> tuple[FloatArray, FloatArray]:
    margins = np.where(rows.is_positive, rows.scores, -rows.scores)
    # NumPy's exp is several times as fast as SciPy's expit, and exp(−|r|) never overflows.
    costs = np.log1p(np.exp(-np.abs(margins))) - np.minimum(margins, 0.0)
    costs *= _UNIT
    total = [costs.sum(), len(costs)] if rows.weight is None else [costs @ rows.weight, rows.weight.sum()]
    return np.array(total), margins


def _gradient(total: float, rows: Sample, margins: FloatArray) -> FloatArray:
    pull = 1.0 / (1.0 + np.exp(np.minimum(margins, _FAR)))  # the chance of the other class
    pull *= 1 / total if rows.weight is None else rows.weight / total
    return np.where(rows.is_positive, pull, -pull)
