r"""The scale on which two values are compared: that of the AUC, or of the logits of any other statistic.

Near its ends a steep statistic varies the less the fewer losses were seen, so that a large difference comes with a
large standard error, and Student's t finds too little: at 100 positives and 100 negatives a test at 5 % of equal
scorers by ``smooth-top:0.95`` found a difference in 1 %. Their logits do not have this fault. The limits come back to
the scale of the difference with the mean μ of both logits held where it was seen,

.. math:: D(\delta) = \operatorname{expit}(\mu + \delta/2) - \operatorname{expit}(\mu - \delta/2),

which is the difference seen at the δ seen and zero at zero: an interval excludes zero where the test rejects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from podium._types import FloatArray
from podium.inference.top.estimate import MetricEstimate

_NO_LOSS = 1e-9


@dataclass(frozen=True)
class Scale:
    """From ``worst`` to ``best``, the values of the worst and of the best order; by logits or straight."""

    worst: float
    best: float
    by_logit: bool

    @classmethod
    def of(cls, estimates: Sequence[MetricEstimate]) -> Scale:
        """Straight for the AUC (DeLong's test), and where a list is perfect, or perfectly wrong, which has no logit."""
        worst, best = min(e.worst for e in estimates), max(e.best for e in estimates)
        shares = [(e.value - worst) / (best - worst) for e in estimates]
        inside = all(_NO_LOSS < share < 1 - _NO_LOSS for share in shares)
        return cls(worst, best, inside and not estimates[0].is_auc)

    @property
    def width(self) -> float:
        return self.best - self.worst

    def value(self, value: float) -> float:
        return float(logit((value - self.worst) / self.width)) if self.by_logit else value

    def slope(self, value: float) -> float:
        """How fast this scale rises there."""
        if not self.by_logit:
            return 1.0
        share = (value - self.worst) / self.width
        return 1 / (share * (1 - share) * self.width)

    def difference(self, delta: FloatArray, value_a: float, value_b: float) -> FloatArray:
        """The difference of two values that differ by ``delta`` on this scale, with the mean of the two seen."""
        if not self.by_logit:
            return np.clip(delta, -self.width, self.width)
        middle = (self.value(value_a) + self.value(value_b)) / 2
        return self.width * (expit(middle + delta / 2) - expit(middle - delta / 2))
