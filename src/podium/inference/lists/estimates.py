"""What intervals and comparisons need of a metric: average precision, recall at a cut, readings of others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from podium import _input
from podium._shares import least_share, normal_quantile
from podium._types import Array, FloatArray
from podium.exceptions import InputError
from podium.inference.hits.new_draw import NewDraw
from podium.inference.intervals.influence import jackknife
from podium.inference.intervals.limits import (
    PART,
    Limits,
    loss_and_gain,
    mean_events,
    pseudo_event_limits,
    student_level,
)
from podium.inference.intervals.methods import IntervalRequest, limits_of, note_on
from podium.inference.lists.influence import Influence, covariance_of_rows, typical_cluster_size
from podium.inference.lists.ranking import Ranking
from podium.metrics.named import Reading
from podium.phi import Mww
from podium.ranks.pooled import TieGroups

# What intervals and comparisons need of a metric on a list.


class Described(NamedTuple):
    """Limits, the method behind them, and a caveat."""

    limits: Limits
    method: str
    note: str


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
        sample = self.ranking.sample
        covariance = covariance_of_rows(self.influence[None], sample, clusters)
        together, level = 1.0, confidence_level
        if clusters is not None:
            together = typical_cluster_size(sample, clusters)
            level = student_level(confidence_level, covariance.degrees_of_freedom(np.ones((1, 1))))
        return self.limits_from(float(covariance.total[0, 0]), level, together)

    def limits_from(self, variance: float, confidence_level: float, part: float = 1.0) -> Limits:
        """Pseudo-event limits from a variance, with this part, or multiple, of the events."""
        width = self.best - self.worst
        loss, gain = (min(part * event / width, 1.0) for event in self.events())
        share = (self.value - self.worst) / width
        low, high, _ = pseudo_event_limits(share, variance / width**2, loss, gain, confidence_level)
        return Limits(
            min(self.worst + width * low, self.value),
            max(self.worst + width * high, self.value),
            float(np.sqrt(variance)),
        )

    def described(self, confidence_level: float, clusters: Array | None = None) -> Described:
        """The limits, how they were found, and a caveat."""
        note = note_on(self.ranking.with_phi(Mww()), "pseudo-event", clusters)
        return Described(self.limits(confidence_level, clusters), "pseudo-event", note)

    def unseen_variance(self, confidence_level: float) -> float:
        """Squared distance from the value to its farther limit, in normal quantiles."""
        low, high, _ = self.limits(confidence_level)
        return (max(self.value - low, high - self.value) / normal_quantile(confidence_level)) ** 2


@dataclass(frozen=True, eq=False)
class OmegaEstimate(MetricEstimate):
    """ω_φ itself, by the jackknife, with the limits that `interval` gives it."""

    @classmethod
    def of(cls, ranking: Ranking) -> OmegaEstimate:
        influence = jackknife(ranking).rows(ranking.sample)
        return cls(str(ranking.phi), ranking, ranking.omega, influence, partial(loss_and_gain, ranking))

    def limits(self, confidence_level: float, clusters: Array | None = None) -> Limits:
        return self.described(confidence_level, clusters).limits

    def described(self, confidence_level: float, clusters: Array | None = None) -> Described:
        return Described(*limits_of(IntervalRequest(self.ranking, confidence_level, clusters), "auto"))


def _no_events() -> tuple[float, float]:
    return 0.0, 0.0


@dataclass(frozen=True, eq=False, kw_only=True)
class CurveEstimate(MetricEstimate):
    """A metric whose limits come from the curve of independent rows, without weights."""

    events: Callable[[], tuple[float, float]] = _no_events

    def __post_init__(self) -> None:
        if self.ranking.sample.weight is not None:
            raise InputError(
                f"Intervals of {self.name} are for rows without weights; got sample_weight.", "repeat the rows."
            )

    def of_curve(self, confidence_level: float) -> Described:
        raise NotImplementedError

    def limits(self, confidence_level: float, clusters: Array | None = None) -> Limits:
        return self.described(confidence_level, clusters).limits

    def described(self, confidence_level: float, clusters: Array | None = None) -> Described:
        if clusters is not None:
            raise InputError(
                f"Intervals of {self.name} are for independent rows; got groups.", "metric='auc' takes groups, for one."
            )
        return self.of_curve(confidence_level)


@dataclass(frozen=True, eq=False, kw_only=True)
class ReadEstimate(MetricEstimate):
    """A metric that is another one on another scale: its value, slopes and limits follow from those of the other."""

    source: MetricEstimate
    reading: Reading

    @classmethod
    def of(cls, name: str, source: MetricEstimate, reading: Reading) -> ReadEstimate:
        worst, best = reading.limits(source.worst, source.best)
        slope = reading.slope(source.value)
        return cls(
            name=name,
            ranking=source.ranking,
            value=reading.to(source.value),
            influence=slope * source.influence if np.isfinite(slope) else np.zeros(len(source.influence)),
            events=source.events,
            worst=worst,
            best=best,
            source=source,
            reading=reading,
        )

    def limits(self, confidence_level: float, clusters: Array | None = None) -> Limits:
        return self._read(self.source.limits(confidence_level, clusters))

    def limits_from(self, variance: float, confidence_level: float, part: float = 1.0) -> Limits:
        slope = abs(self.reading.slope(self.source.value))
        if not 0 < slope < np.inf:
            return Limits(self.value, self.value, 0.0)
        return self._read(self.source.limits_from(variance / slope**2, confidence_level, part))

    def described(self, confidence_level: float, clusters: Array | None = None) -> Described:
        limits, method, note = self.source.described(confidence_level, clusters)
        return Described(self._read(limits), method, "; ".join(filter(None, [self.reading.note, note])))

    def _read(self, limits: Limits) -> Limits:
        error = limits.standard_error
        scale = abs(self.reading.slope(self.source.value))
        return Limits(*self.reading.limits(limits.low, limits.high), None if error is None else scale * error)


# Average precision: exact leave-one-out values, and what one more loss or gain would change.


def average_precision(ranking: Ranking) -> MetricEstimate:
    r"""Average precision with its jackknife influence values ψ_i = (n − 1)(ā₊ − a_{−i}), χ_j = (m − 1)(ā₋ − a_{−j}).

    a_{−i} is the average precision without positive i, ā₊ the mean of these, likewise for negatives. As everywhere,
    weights count rows; where a row weighs less than one, a unit of that weight is left out instead. Losses and gains
    are the pseudo-events of `mean_events` with k = 2.
    """
    ties, weight = ranking.ties, ranking.sample.weight
    unit = 1.0 if weight is None else min(1.0, float(weight.min()))
    n, m = ties.n_pos, ties.n_neg
    value = float(changed(ties, 0.0, 0.0)[0])
    influence = Influence(
        ties, changed(ties, -unit, 0.0), changed(ties, 0.0, -unit), (unit - n) / unit, (unit - m) / unit
    )

    def events() -> tuple[float, float]:
        with_one = changed(ties, 0.0, 1.0), changed(ties, 1.0, 0.0)
        return mean_events(with_one, ties, value, 2)

    return MetricEstimate("average-precision", ranking, value, influence.rows(ranking.sample), events)


def changed(ties: TieGroups, positives: float, negatives: float) -> FloatArray:
    r"""Average precision when so many items join (or leave, below zero) the tie group g, for every g, ascending.

    With P_h positives among the T_h items of the best h groups and p_h positives in group h, the average precision is
    Σ p_h P_h/T_h over n. An item that joins group g changes the terms of g and of all groups below it, so sums from the
    top and from the bottom give all values.
    """
    pos = ties.pos[::-1].astype(np.float64)
    hits, rows = (counts[1:] for counts in ties.from_top())
    after = rows + positives + negatives
    # Where rounding or the last item leaves no rows, there is no precision and no positive to count it.
    precision = np.divide(hits + positives, after, out=np.zeros_like(after), where=after > 1e-9)
    terms, terms_after = pos * hits / rows, pos * precision
    above = np.cumsum(terms) - terms
    below = np.cumsum(terms_after[::-1])[::-1]
    return ((above + below + positives * precision) / (ties.n_pos + positives))[::-1]


# Recall among the first k rows, by influence at the cut; what else there is of them is a reading of it.


_FEW_MISSES = 5


@dataclass(frozen=True, eq=False, kw_only=True)
class RecallEstimate(MetricEstimate):
    """Recall among the first k rows."""

    k: int

    def limits(self, confidence_level: float, clusters: Array | None = None) -> Limits:
        """With few misses among the first rows, not below Clopper and Pearson's upper limit of their hits.

        Where the first rows are nearly all positive, one miss in ten says little of the share, and influence less.
        """
        low, high, error = super().limits(confidence_level, clusters)
        misses = max(self.k - self.value * self.ranking.n_pos, 0.0)
        if misses < _FEW_MISSES:
            most = 1 - float(least_share(misses, self.k, (1 - confidence_level) / 2))
            high = max(high, min(most * self.k / self.ranking.n_pos, self.best))
        return Limits(low, high, error)


def first_rows(ranking: Ranking, k: int) -> MetricEstimate:
    r"""Recall at k of N rows: that of the first share k/N of the population.

    With T and F the shares of positives and of negatives above the cut and c the chance of a positive *at* the cut, the
    influence values of the recall are

    .. math:: \psi_i = (1 - c)(1\{X_i \text{ above}\} - T), \qquad
       \chi_j = -\frac{m}{n}\, c\,(1\{Y_j \text{ above}\} - F):

    a row more above the cut pushes another one out, which is a positive with probability c. Leaving rows out would not
    do: where a single row decides on which side of the cut another one falls, the jackknife is not consistent. c is the
    share of positives among the rows around the cut; of a tie group at the cut a part is above it. One more loss is a
    hit, times the share that can be lost; a gain likewise; three quarters of each count.
    """
    ties = ranking.ties
    n, m, n_rows = ties.n_pos, ties.n_neg, ties.n_total
    k = _input.check_integer("k", k, 1, int(np.ceil(n_rows)), f"the list has {n_rows:g} rows.")
    if k >= n_rows:
        raise InputError(
            f"What is among the first rows needs fewer rows than the whole list; got k = {k} of {n_rows:g}.",
            "nothing varies there.",
        )
    above = np.clip((ties.upto - (n_rows - k)) / ties.total, 0.0, 1.0)
    recall, fpr = float(ties.pos @ above) / n, float(ties.neg @ above) / m
    at_cut = NewDraw.of(ranking.sample).chance_at_cut(float(k))
    row_above = above[np.searchsorted(ties.values, ranking.sample.scores)]
    influence = np.where(
        ranking.sample.is_positive, (1 - at_cut) * (row_above - recall), -m / n * at_cut * (row_above - fpr)
    )
    worst, best = max(k - m, 0.0) / n, min(k, n) / n
    part, good = PART[2] / n, (recall - worst) / (best - worst)
    return RecallEstimate(
        f"recall-at:{k}",
        ranking,
        recall,
        influence,
        lambda: (good * part, (1 - good) * part),
        worst=worst,
        best=best,
        k=k,
    )
