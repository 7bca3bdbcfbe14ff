"""The logistic log-likelihood: what the plug-in rule maximises."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from podium._types import FloatArray, Sample
from podium.criteria.base import Criterion


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
        sign = np.where(rows.is_positive, 1.0, -1.0)
        share = sign / len(sign) if rows.weight is None else sign * (rows.weight / rows.weight.sum())
        margins = sign * rows.scores
        small = np.exp(-np.abs(margins))  # never overflows; log σ(r) = min(r, 0) − log(1 + e^(−|r|))
        log_likelihood = np.minimum(margins, 0.0) - np.log1p(small)
        chance_of_other = np.where(margins > 0, small, 1.0) / (1.0 + small)
        return float((share * sign) @ log_likelihood), share * chance_of_other

    def row_curvature(self, rows: Sample, gradient: FloatArray) -> FloatArray:
        """Exact: p(1 − p) times the share of the row, p = σ(score)."""
        return np.abs(gradient) * expit(np.where(rows.is_positive, rows.scores, -rows.scores))
