"""Where some rows were censored before the horizon: estimates from rows that stand for them, and how they vary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from podium._shares import counted
from podium._types import Array, FloatArray, Sample
from podium.exceptions import DegenerateSampleError
from podium.inference.intervals.limits import Limits, student_level
from podium.inference.intervals.methods import note_on
from podium.inference.lists.by_name import metric_estimate
from podium.inference.lists.estimates import MetricEstimate
from podium.inference.lists.influence import Covariance
from podium.labels import Observed
from podium.metrics.named import metric
from podium.phi import Phi

_STEP = 1e-4  # of the weight of a class
_FEW = 10  # rows of a class, by what their weights are worth


@dataclass(frozen=True, eq=False, kw_only=True)
class HorizonEstimate(MetricEstimate):
    """A measure at a horizon; rows are independent, censored or not.

    ``changes`` holds what each of them contributes, censored ones included, and ``known`` the weighted rows with a
    label.
    """

    observed: Observed
    known: Sample
    changes: FloatArray

    @classmethod
    def of(cls, observed: Observed, y_score: Any, spec: Phi | str, pos_label: Any = None) -> HorizonEstimate:
        r"""The measure of the weighted rows.

        With ψ the influence values of the rows of either class, among n positives and m negatives by weight, and
        :math:`\dot\theta` how much the measure rises when the positives become more by a factor and the negatives
        fewer, their sum staying the same,

        .. math:: a_i = \frac{w_i}{n} (\psi_i + \kappa), \qquad a_j = \frac{w_j}{m} (\psi_j - \kappa), \qquad
           \kappa = \frac{m}{n + m} \dot\theta,

        since the share of positives is estimated, too.
        """
        horizon = observed.horizon
        assert horizon is not None
        known = horizon.sample(y_score, None, pos_label)
        if min(n_pos := int(known.is_positive.sum()), len(known.scores) - n_pos) < 2:
            raise DegenerateSampleError(
                f"A variance needs at least two events and two rows without by the horizon; got {observed!r}.",
                "choose a later horizon if events are few, an earlier one if rows without are.",
            )
        plain, positive, weight = metric_estimate(known, spec), known.is_positive, horizon.weight[~horizon.is_censored]
        n, m = float(weight[positive].sum()), float(weight[~positive].sum())
        more, fewer = (
            metric(spec)(positive, known.scores, sample_weight=weight * np.where(positive, 1 + step, 1 - step * n / m))
            for step in (_STEP, -_STEP)
        )
        shift = m / (n + m) * (more - fewer) / (2 * _STEP)
        influence = np.zeros(len(observed))
        influence[~horizon.is_censored] = weight * np.where(
            positive, (plain.influence + shift) / n, (plain.influence - shift) / m
        )
        return cls(
            **{part.name: getattr(plain, part.name) for part in fields(MetricEstimate)} | {"influence": influence},
            observed=observed,
            known=known,
            changes=horizon.with_estimated_weights(influence),
        )

    def limits(self, confidence_level: float, clusters: Array | None = None) -> Limits:
        """Pseudo-event limits; a row that is lost or gained stands for as many as a typical one does.

        Student's, as the weights of few rows tell little of how much these vary.
        """
        if len(self.ranking.ties.values) == 1:  # all scores tie: nothing is known
            return Limits(self.worst, self.best, 0.0)
        together = max(float(weight.sum()) / worth for weight, worth in self._classes)
        joint = _covariance([self])
        return self.limits_from(float(joint.total[0, 0]), student_level(confidence_level, joint.parts[0][1]), together)

    @property
    def _classes(self) -> list[tuple[FloatArray, float]]:
        """Weights of the rows of each class, and how many of equal weight they are worth."""
        weight, positive = self.known.weight, self.known.is_positive
        assert weight is not None
        return [(own, float(counted(own, len(own)).sum())) for own in (weight[positive], weight[~positive])]

    @property
    def freedom(self) -> float:
        """Of the class that is worth fewer rows, one less."""
        return min(worth for _, worth in self._classes) - 1

    @property
    def note(self) -> str:
        """How many rows are known, and what may go wrong."""
        horizon = self.observed.horizon
        assert horizon is not None
        n_pos, n_censored = int(horizon.is_positive.sum()), int(horizon.is_censored.sum())
        few = (
            "" if self.freedom + 1 >= _FEW else f"a class is worth {self.freedom + 1:.2g} rows: coverage may fall short"
        )
        known = (
            f"{n_pos:,} events by {horizon.time:g}; {n_censored:,} of {len(self.observed):,} rows censored before, "
            "assumed independent of event and score"
        )
        return "; ".join(filter(None, [known, few, note_on(self.ranking, "pseudo-event", None)]))


def _covariance(estimates: Sequence[HorizonEstimate]) -> Covariance:
    """Of estimates from the same rows, which are independent: n/(n − 1) times the sum of squares."""
    changes = np.array([estimate.changes for estimate in estimates])
    n_rows = changes.shape[1]
    changes = changes - changes.mean(axis=1, keepdims=True)
    return Covariance(((changes @ changes.T * (n_rows / (n_rows - 1)), min(each.freedom for each in estimates)),))


def compared_at_horizon(
    observed: Observed, scores: Mapping[str, npt.ArrayLike], spec: Phi | str, pos_label: Any
) -> tuple[list[HorizonEstimate], Covariance]:
    """Estimates of several scorers from the same rows, and how they vary together."""
    estimates = [HorizonEstimate.of(observed, each, spec, pos_label) for each in scores.values()]
    return estimates, _covariance(estimates)
