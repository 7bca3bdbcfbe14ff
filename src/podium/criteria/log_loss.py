"""The logistic log-likelihood: what the plug-in rule maximises."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from podium._types import FloatArray, Sample
from podium.criteria.base import Criterion

_FAR = 700.0  # where e^(−r) is next to nothing, and e^r does not overflow yet


@dataclass(frozen=True)
class LogLoss(Criterion):
    r"""Mean logistic log-likelihood, scores being log-odds.

    .. math:: \frac1N \sum_l \log\sigma(\pm s_l), \qquad + \text{ for positives}, - \text{ for negatives}.

    Not a function of ranks: its maximiser estimates the log-odds of η(x) = P(positive | x), and η ranks optimally for
    every φ (CLV21, Remark 3). That is the plug-in rule.
    """

    knows_intercept = True

    def evaluate(self, rows: Sample) -> tuple[float, FloatArray]:
        """The value, and its derivative with respect to every score."""
        margins = np.where(rows.is_positive, rows.scores, -rows.scores)
        weight = 1.0 if rows.weight is None else rows.weight
        total = len(margins) if rows.weight is None else rows.weight.sum()
        # NumPy's exp is several times as fast as SciPy's expit, and exp(−|r|) never overflows.
        costs = np.log1p(np.exp(-np.abs(margins))) - np.minimum(margins, 0.0)
        pull = 1.0 / (1.0 + np.exp(np.minimum(margins, _FAR)))  # the chance of the other class
        pull *= weight / total
        return -float(np.sum(costs * (weight / total))), np.where(rows.is_positive, pull, -pull)

    def row_curvature(self, rows: Sample, gradient: FloatArray) -> FloatArray:
        """Exact: p(1 − p) times the share of the row, p = σ(score)."""
        return np.abs(gradient) * expit(np.where(rows.is_positive, rows.scores, -rows.scores))
