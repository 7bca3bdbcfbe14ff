"""The logistic log-likelihood: what the plug-in rule maximises."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit, log_expit

from podium import _input
from podium._types import FloatArray
from podium.criteria.base import Criterion


@dataclass(frozen=True)
class LogLoss(Criterion):
    r"""Mean logistic log-likelihood, scores being log-odds.

    .. math:: \frac1N \sum_l \log\sigma(\pm s_l), \qquad + \text{ for positives}, - \text{ for negatives}.

    Not a function of ranks: its maximiser estimates the log-odds of η(x) = P(positive | x), and η ranks optimally for
    every φ (CLV21, Remark 3). That is the plug-in rule.
    """

    def value_and_gradient(
        self, scores: npt.ArrayLike, is_positive: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
    ) -> tuple[float, FloatArray]:
        s = _input.check_scores(scores).astype(np.float64, copy=False)
        sign = np.where(_input.check_labels(is_positive), 1.0, -1.0)
        weight = np.ones(len(s)) if sample_weight is None else _input.check_weights(sample_weight, len(s))
        share = weight / weight.sum()
        return float(share @ log_expit(sign * s)), share * sign * expit(-sign * s)
