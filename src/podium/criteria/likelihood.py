"""Criteria of scores as log-odds: the logistic likelihood, and the density ratio."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import expit

from podium._types import FloatArray, Sample
from podium.criteria.base import ChunkedCriterion, CurvatureTerms, Scatter
from podium.rounds.computation import Finished, Rounds
from podium.sums.frame import Extent, Frame
from podium.sums.log_sum import LogSum

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
        return Finished(-float(cost / weight / _UNIT), partial(_log_loss_gradient, weight))

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


def _log_loss_gradient(total: float, rows: Sample, margins: FloatArray) -> FloatArray:
    pull = 1.0 / (1.0 + np.exp(np.minimum(margins, _FAR)))  # the chance of the other class
    pull *= 1 / total if rows.weight is None else rows.weight / total
    return np.where(rows.is_positive, pull, -pull)


@dataclass(frozen=True)
class DensityRatio(ChunkedCriterion):
    r"""The likelihood of the positives, if scores are log-ratios of densities up to a constant.

    .. math:: \frac1n \sum_i s(X_i) - \log \frac1m \sum_k e^{s(Y_k)}

    Not a function of ranks: its maximizer over all functions is log dG/dH, G the distribution of the positives and H
    that of the negatives, which ranks optimally for every φ (CLV21, §2.2 and Remark 3), and its largest value is the
    Kullback–Leibler divergence of G from H. Unlike :class:`LogLoss`, it does not ask how frequent the positives are.
    It is also the limit to which p times the maximizer of the unregularized P-Norm Push tends as p grows.

    References
    ----------
    Sugiyama, M., Suzuki, T., Nakajima, S., Kashima, H., von Bünau, P. and Kawanabe, M. (2008). Direct importance
    estimation for covariate shift adaptation. *Annals of the Institute of Statistical Mathematics* 60.

    Tsuboi, Y., Kashima, H., Hido, S., Bickel, S. and Sugiyama, M. (2009). Direct density ratio estimation for
    large-scale covariate shift adaptation. *Journal of Information Processing* 17.

    Examples
    --------
    >>> from podium.criteria import DensityRatio
    >>> value, gradient = DensityRatio().value_and_gradient([0.5, 1.0, 1.5, 2.0], [False, True, False, True])
    >>> round(value, 3)
    0.38
    """

    rises_with_scale = True
    has_curvature = True

    def rounds(self) -> Rounds:
        """The extent of the scores; then sums over both classes."""
        extent = yield Extent.of
        frame = Frame.in_units_of_one(extent.low, extent.high)
        sums = yield partial(_sums, frame)
        value = sums.scores / sums.n_pos - (sums.negatives.log - float(np.log(sums.n_neg)))
        return Finished(value, partial(_density_gradient, sums))

    def curvature_terms(self, gradient: FloatArray, features: FloatArray) -> CurvatureTerms:
        """The scatter of the features under the shares of the negatives."""
        return CurvatureTerms(((1.0, Scatter.of(-gradient, features)),))


@dataclass(frozen=True, slots=True)
class _Sums:
    """Scores and mass of the positives, exponentials and mass of the negatives. ``a + b`` is that of both."""

    scores: float
    n_pos: float
    negatives: LogSum
    n_neg: float

    def __add__(self, other: _Sums) -> _Sums:
        return _Sums(
            self.scores + other.scores,
            self.n_pos + other.n_pos,
            self.negatives + other.negatives,
            self.n_neg + other.n_neg,
        )


def _sums(frame: Frame, rows: Sample, kept: None) -> tuple[_Sums, FloatArray]:
    scores, up = frame.place(rows.scores), rows.is_positive
    weight = np.ones(len(scores)) if rows.weight is None else rows.weight
    negatives = LogSum.of(scores[~up], weight[~up])
    return _Sums(float(scores[up] @ weight[up]), float(weight[up].sum()), negatives, float(weight[~up].sum())), scores


def _density_gradient(sums: _Sums, rows: Sample, scores: FloatArray) -> FloatArray:
    gradient = np.full(len(scores), 1 / sums.n_pos)
    if rows.weight is not None:
        gradient *= rows.weight
    down = ~rows.is_positive
    gradient[down] = -sums.negatives.shares(scores[down], None if rows.weight is None else rows.weight[down])
    return gradient
