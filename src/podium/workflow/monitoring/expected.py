"""The AUC that is expected of rows whose labels have not come yet, from their calibrated chances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from podium import inference
from podium._fast.order import groups_of_rows
from podium._results import wording
from podium._results.result import Result
from podium._types import FloatArray
from podium.inference.intervals.limits import on_logit_scale
from podium.tables import TableModel

ASSUMPTION = "if rows of one score are positive as often as among the rows held out"


@dataclass(frozen=True, kw_only=True, repr=False)
class ExpectedPerformance(Result):
    r"""What performance to expect of a batch before its labels come.

    With the chance :math:`p_i` of every row to be positive, the AUC is about

    .. math:: \frac{\sum_{i \ne j} p_i (1 - p_j) \bigl(1\{s_i > s_j\} + \frac12 1\{s_i = s_j\}\bigr)}
        {\sum_{i \ne j} p_i (1 - p_j)} .

    It says what the mix of scores makes of the model if chances still hold. It cannot see that they do not: a model
    that no longer ranks well looks as good as ever.

    Attributes
    ----------
    auc : float
        The expected AUC.
    low, high : float
        Limits for the AUC that the labels will have: labels vary given their chances, and the chances were learned
        from as many rows as the reference has.
    confidence_level : float
        How often the limits hold if the assumption does.
    positives : float
        The expected number of positives.
    assumption : str
        What must hold, in words.
    """

    auc: float
    low: float
    high: float
    confidence_level: float
    positives: float
    assumption: str

    def __repr__(self) -> str:
        line = wording.estimate_and_interval(self.auc, self.low, self.high, self.confidence_level)
        return f"expected AUC {line}, {self.assumption}"


def expected_performance(model: TableModel, scores: FloatArray, confidence_level: float) -> ExpectedPerformance | None:
    """Of rows with these scores; None where the model keeps no chances, or they leave no doubt."""
    chances = model.chances()
    if chances is None or model.calibration is None:
        return None
    p = np.clip(chances(scores), 0.0, 1.0)
    auc, slopes = expected_auc(p, scores)
    reference = inference.interval(*model.calibration).standard_error
    variance = float(slopes**2 @ (p * (1 - p))) + (reference or 0.0) ** 2
    if not 0 < auc < 1 or not np.isfinite(variance):
        return None
    low, high, _ = on_logit_scale(auc, variance, confidence_level)
    return ExpectedPerformance(
        auc=auc,
        low=low,
        high=high,
        confidence_level=confidence_level,
        positives=float(p.sum()),
        assumption=ASSUMPTION,
    )


def expected_auc(p: FloatArray, scores: FloatArray) -> tuple[float, FloatArray]:
    """The ratio of the expected concordant pairs to the expected pairs, and its slope in the label of every row."""
    _, group = groups_of_rows(scores)
    pos, neg = np.bincount(group, p), np.bincount(group, 1 - p)
    neg_below = (np.cumsum(neg) - neg / 2)[group] - (1 - p) / 2
    pos_above = (p.sum() - np.cumsum(pos) + pos / 2)[group] - p / 2
    others_neg, others_pos = (1 - p).sum() - (1 - p), p.sum() - p
    pairs = float(p @ others_neg)
    if pairs <= 0:
        return float("nan"), np.zeros(len(p))
    auc = float(p @ neg_below) / pairs
    return auc, (neg_below - pos_above - auc * (others_neg - others_pos)) / pairs
