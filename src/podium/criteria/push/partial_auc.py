"""A bounded criterion for the top of the list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from podium import _input
from podium._types import FloatArray, Sample
from podium.criteria.base import ChunkedCriterion
from podium.criteria.push.criterion import PairPush
from podium.criteria.push.logistic import LogisticLoss
from podium.criteria.push.losses import PairLoss
from podium.criteria.push.prices import Price
from podium.sums.frame import Frame, extent
from podium.sums.spread import Spread


@dataclass(frozen=True, slots=True)
class ShortfallPrice(Price):
    """Σ_k w_k (1 − r_k/limit)₊ / Σ_k w_k: rows beyond the limit count nothing and feel nothing."""

    limit: float

    def summarize(self, log_sums: FloatArray, weight: FloatArray | None) -> FloatArray:
        gains = np.maximum(1 - np.exp(log_sums) / self.limit, 0.0)
        return np.array([gains.sum(), len(gains)] if weight is None else [gains @ weight, weight.sum()])

    def value(self, summary: FloatArray) -> float:
        return float(summary[0] / summary[1])

    def elasticity(self, summary: FloatArray, log_sums: FloatArray, weight: FloatArray | None) -> FloatArray:
        used = np.exp(log_sums) / self.limit
        shares = np.where(used < 1, used, 0.0) / summary[1]
        return shares if weight is None else shares * weight


@dataclass(frozen=True)
class _SigmoidShortfall(PairPush):
    """What :class:`SmoothPartialAuc` is for scores in units of its bandwidth."""

    limit: float
    tol: float
    judges_positives = True

    @property
    def _loss(self) -> PairLoss:
        return LogisticLoss(self.tol, bounded=True)

    @property
    def _price(self) -> Price:
        return ShortfallPrice(self.limit)


@dataclass(frozen=True)
class SmoothPartialAuc(ChunkedCriterion):
    r"""The partial area under the ROC curve up to a false positive rate, as a share of its largest value, smoothed.

    .. math:: \frac1n \sum_i \Bigl(1 - \frac{1}{\alpha m} \sum_k
       \sigma\Bigl(\frac{f(\tilde x_k) - f(x_i)}{h}\Bigr)\Bigr)_+, \qquad \sigma(t) = \frac{1}{1 + e^{-t}}

    over positives i and negatives k, α = ``max_fpr``: the inner mean is the false positive rate at positive i. As
    h → 0 it tends to ``partial_auc(max_fpr) / max_fpr``. It lies between 0 and 1 and one row can
    change it by no more than its weight, so outliers and wrong labels do little; pushes with the exponential loss have
    no such bound. It is not concave and positives beyond ``max_fpr`` feel nothing: start from a good direction. h is
    relative to the spread of the scores, so the value is invariant under increasing affine maps of them.

    Parameters
    ----------
    max_fpr : float
        The largest false positive rate α that counts, in (0, 1]. At 1 it is a smooth AUC.
    bandwidth : float
        How far the steps of the curve are smoothed: h over the standard deviation of the pooled scores.
    tol : float
        The relative error that is allowed in the sums of σ.
    """

    max_fpr: float = 0.1
    bandwidth: float = 0.1
    tol: float = 1e-6
    is_scale_free = True

    def __post_init__(self) -> None:
        _input.check_number("max_fpr", self.max_fpr, 0, 1, open_low=True)
        _input.check_number("bandwidth", self.bandwidth, 0, open_low=True)
        _input.check_number("tol", self.tol, 1e-12, 1e-2)

    def relative_bandwidth(self, rows: Sample) -> float:
        """The bandwidth in units of the standard deviation of the scores."""
        return self.bandwidth

    def row_curvature(self, rows: Sample, gradient: FloatArray) -> FloatArray:
        """The gradient over h: σ has a second derivative of at most its first."""
        return np.abs(gradient) * (1 / (self.bandwidth * (Spread.of(rows).standard_deviation or 1.0)))

    def over_chunks(self, chunks: Sequence[Sample]) -> tuple[float, list[FloatArray]]:
        """The value, and the gradient for each chunk of rows; scores are of type float64."""
        frame = Frame.scale_free(*extent(chunks))
        chunks = frame.place_rows(chunks)
        spread = reduce(add, [Spread.of(rows) for rows in chunks])
        h = self.bandwidth * spread.standard_deviation or 1.0  # where all scores are equal every h gives one half
        scaled = [Sample((rows.scores - spread.mean) / h, rows.is_positive, rows.weight) for rows in chunks]
        # Not as a difference: positives may weigh so much that nothing would be left of it.
        limit = self.max_fpr * sum(_negative_weight(rows) for rows in chunks)
        value, gradients = _SigmoidShortfall(limit, self.tol).over_chunks(scaled)
        if spread.standard_deviation == 0:
            return value, [np.zeros_like(gradient) for gradient in gradients]
        # h moves with the scores: the part of the gradient along them goes
        along = sum(float(rows.scores @ gradient) for rows, gradient in zip(scaled, gradients, strict=True))
        per_square = along * (self.bandwidth**2 / spread.weight)
        weighted = [rows.scores if rows.weight is None else rows.weight * rows.scores for rows in scaled]
        return value, [
            frame.gradient((gradient - per_square * scores) / h, h)
            for gradient, scores in zip(gradients, weighted, strict=True)
        ]


def _negative_weight(rows: Sample) -> float:
    is_negative = ~rows.is_positive
    return float(is_negative.sum() if rows.weight is None else rows.weight @ is_negative)
