"""What intervals and comparisons need of a metric on a list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from podium._normal import normal_quantile
from podium._types import Array, FloatArray
from podium.inference.intervals import pseudo_event
from podium.inference.intervals.limits import Limits, student_level
from podium.inference.lists.covariance import covariance_of_rows
from podium.inference.lists.influence import typical_cluster_size
from podium.inference.lists.ranking import Ranking


@dataclass(frozen=True, eq=False)
class MetricEstimate:
    """A metric of a list: its value, and the influence values of its rows in input order.

    ``events`` gives the sizes of one more loss and of one more gain; ``worst`` and ``best`` are the values of the worst
    and of the best order.
    """

    name: str
    ranking: Ranking
    value: float
    influence: FloatArray
    events: Callable[[], tuple[float, float]]
    worst: float = 0.0
    best: float = 1.0

    def limits(self, confidence_level: float, clusters: Array | None = None) -> Limits:
        """Pseudo-event limits on both sides; rows of a cluster are lost together."""
        if len(self.ranking.ties.values) == 1:  # all scores tie: nothing is known
            return Limits(self.worst, self.best, 0.0)
        sample, width = self.ranking.sample, self.best - self.worst
        covariance = covariance_of_rows(self.influence[None], sample, clusters)
        together, level = 1.0, confidence_level
        if clusters is not None:
            together = typical_cluster_size(sample, clusters)
            level = student_level(confidence_level, covariance.degrees_of_freedom(np.ones((1, 1))))
        loss, gain = (min(together * event / width, 1.0) for event in self.events())
        share, variance = (self.value - self.worst) / width, float(covariance.total[0, 0])
        low, high, _ = pseudo_event.both_limits(share, variance / width**2, loss, gain, level)
        return Limits(
            min(self.worst + width * low, self.value),
            max(self.worst + width * high, self.value),
            float(np.sqrt(variance)),
        )

    def unseen_variance(self, confidence_level: float) -> float:
        """Squared distance from the value to its farther limit, in normal quantiles."""
        low, high, _ = self.limits(confidence_level)
        return (max(self.value - low, high - self.value) / normal_quantile(confidence_level)) ** 2
