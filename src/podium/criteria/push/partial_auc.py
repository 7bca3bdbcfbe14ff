"""A bounded criterion for the top of the list."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from podium import _input
from podium._types import FloatArray, Sample
from podium.criteria.base import ChunkedCriterion
from podium.criteria.push.criterion import PairPush
from podium.criteria.push.logistic import LogisticLoss
from podium.criteria.push.losses import PairLoss
from podium.criteria.push.prices import Price
from podium.rounds.computation import Finished, Kept, Rounds, Step, Summary
from podium.sums.frame import PLAIN, Frame, Spread

_NARROWEST = 1e-290  # a slope over less may overflow


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
    h → 0 it tends to ``partial_auc(max_fpr)``. It lies between 0 and 1, and one row changes it by at most its
    weight, so outliers and wrong labels have little influence; pushes with the exponential loss have no such bound. It
    is not concave, and positives beyond ``max_fpr`` have no gradient: start from a good direction. If h is relative to
    the spread of the scores, the value is invariant under increasing affine maps of them.

    Parameters
    ----------
    max_fpr : float
        The largest false positive rate α that counts, in (0, 1]; with 1 the criterion is a smoothed AUC.
    bandwidth : float
        The bandwidth h, in units of the standard deviation of the pooled scores if ``relative``.
    relative : bool
        Whether h is proportional to the spread of the scores.
    tol : float
        Relative error allowed in the sums of σ.

    Examples
    --------
    >>> from podium.criteria import SmoothPartialAuc
    >>> criterion = SmoothPartialAuc(max_fpr=0.5, bandwidth=0.01)
    >>> value, gradient = criterion.value_and_gradient([0.5, 1.0, 1.5, 2.0], [False, True, False, True])
    >>> round(value, 3)  # as partial_auc(..., max_fpr=0.5)
    0.5
    """

    max_fpr: float = 0.1
    bandwidth: float = 0.1
    relative: bool = True
    tol: float = 1e-6
    is_local = True

    def __post_init__(self) -> None:
        _input.check_number("max_fpr", self.max_fpr, 0, 1, open_low=True)
        _input.check_number("bandwidth", self.bandwidth, 0, open_low=True)
        _input.check_choice("relative", self.relative, (True, False))
        _input.check_number("tol", self.tol, 1e-12, 1e-2)

    @property
    def is_scale_free(self) -> bool:  # type: ignore[override]  # by its bandwidth
        """Whether the bandwidth moves with the spread of the scores."""
        return self.relative

    def relative_bandwidth(self, rows: Sample) -> float:
        """The bandwidth in units of the standard deviation of the scores."""
        return self.bandwidth / (1.0 if self.relative else Spread.of(rows).standard_deviation or 1.0)

    def row_curvature(self, rows: Sample, gradient: FloatArray) -> FloatArray:
        """The gradient over h: σ has a second derivative of at most its first."""
        unit = (Spread.of(rows).standard_deviation or 1.0) if self.relative else 1.0
        return np.abs(gradient) * (1 / (self.bandwidth * unit))

    def rounds(self) -> Rounds:
        """The spread; the rounds of the criterion in units of the bandwidth; and what moves with the bandwidth."""
        spread, on_negatives = yield _spread
        frame = Frame.scale_free(spread.low, spread.high)
        if not frame.is_plain:
            spread, on_negatives = yield partial(_spread, frame=frame)
        if self.relative:
            h = self.bandwidth * spread.standard_deviation or 1.0  # where all scores are equal every h gives one half
        else:
            h = min(max(self.bandwidth / frame.unit, _NARROWEST), 1 / _NARROWEST)
        scaling = _Scaling(frame, spread.mean, h)
        inner = _SigmoidShortfall(self.max_fpr * on_negatives, self.tol).rounds()
        total = None
        while True:
            try:
                step = inner.send(total)
            except StopIteration as end:
                finished: Finished = end.value
                break
            total = yield partial(scaling.step, step)
        along = yield partial(scaling.try_gradient, finished.gradient)
        if self.relative and spread.standard_deviation == 0:
            return Finished(finished.value, _zeros)
        # Where h moves with the scores, the part of the gradient along them goes.
        per_square = along * (self.bandwidth**2 / spread.weight) if self.relative else 0.0
        return Finished(finished.value, partial(scaling.gradient, per_square))


class _Pair(tuple[Any, ...]):
    """Two summaries; ``a + b`` adds each."""

    def __add__(self, other: tuple[Any, ...]) -> _Pair:
        return _Pair(mine + its for mine, its in zip(self, other, strict=True))


def _spread(rows: Sample, kept: Any, frame: Frame = PLAIN) -> tuple[_Pair, None]:
    """The spread, and the weight of the negatives: as a difference, nothing may be left of it beside the positives."""
    is_negative = ~rows.is_positive
    on_negatives = float(is_negative.sum() if rows.weight is None else rows.weight @ is_negative)
    return _Pair((Spread.of(frame.place_rows(rows)), on_negatives)), None


def _zeros(rows: Sample, kept: Any) -> FloatArray:
    return np.zeros(len(rows.scores))


@dataclass(frozen=True)
class _Scaling:
    """Steps of a criterion on scores in units of a bandwidth; these scores are kept with what the criterion keeps."""

    frame: Frame
    mean: float
    bandwidth: float

    def step(self, step: Step, rows: Sample, kept: Kept) -> tuple[Summary, Kept]:
        scaled, own = kept or (self._scaled(rows), None)
        summary, own = step(scaled, own)
        return summary, (scaled, own)

    def try_gradient(self, gradient: Any, rows: Sample, kept: Kept) -> tuple[float, Kept]:
        """How far the gradient points along the scores."""
        scaled, own = kept
        by_score = gradient(scaled, own)
        return float(scaled.scores @ by_score), (scaled, by_score)

    def gradient(self, per_square: float, rows: Sample, kept: Kept) -> FloatArray:
        scaled, gradient = kept
        weighted = scaled.scores if rows.weight is None else rows.weight * scaled.scores
        return self.frame.gradient((gradient - per_square * weighted) / self.bandwidth, self.bandwidth)

    def _scaled(self, rows: Sample) -> Sample:
        return replace(rows, scores=(self.frame.place(rows.scores) - self.mean) / self.bandwidth)
