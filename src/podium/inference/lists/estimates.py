"""Metrics of the top of a list with influence values: precision, recall, lift and average precision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from podium import _input
from podium._shares import normal_quantile
from podium._types import Array, FloatArray, Sample
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
from podium.inference.lists.influence import Influence, covariance_of_rows, typical_cluster_size
from podium.inference.lists.ranking import Ranking
from podium.metrics.scorers import named
from podium.phi import Dcg, Mww, Phi, resolve
from podium.ranks.pooled import TieGroups

# What intervals and comparisons need of a metric on a list.


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

    def unseen_variance(self, confidence_level: float) -> float:
        """Squared distance from the value to its farther limit, in normal quantiles."""
        low, high, _ = self.limits(confidence_level)
        return (max(self.value - low, high - self.value) / normal_quantile(confidence_level)) ** 2


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


# Precision, recall and lift among the first k rows, by influence at the cut.


def first_rows(ranking: Ranking, name: str, k: int) -> MetricEstimate:
    r"""Recall, precision or lift at k of N rows: those of the first share k/N of the population.

    With T and F the shares of positives and of negatives above the cut and c the chance of a positive *at* the cut, the
    influence values of the recall are

    .. math:: \psi_i = (1 - c)(1\{X_i \text{ above}\} - T), \qquad
       \chi_j = -\frac{m}{n}\, c\,(1\{Y_j \text{ above}\} - F):

    a row more above the cut pushes another one out, which is a positive with probability c. Precision and lift are the
    recall times n/k and N/k. Leaving rows out would not do: where a single row decides on which side of the cut another
    one falls, the jackknife is not consistent. c is the share of positives among the rows around the cut; of a tie
    group at the cut a part is above it. One more loss is a hit, times the share that can be lost; a gain likewise;
    three quarters of each count.
    """
    ties = ranking.ties
    n, m, n_rows = ties.n_pos, ties.n_neg, ties.n_total
    k = _input.check_integer("k", k, 1, int(np.ceil(n_rows)), f"the list has {n_rows:g} rows.")
    if k >= n_rows:
        raise InputError(
            f"{name} needs fewer rows than the whole list; got k = {k} of {n_rows:g}.", "nothing varies there."
        )
    above = np.clip((ties.upto - (n_rows - k)) / ties.total, 0.0, 1.0)
    recall, fpr = float(ties.pos @ above) / n, float(ties.neg @ above) / m
    at_cut = NewDraw.of(ranking.sample).chance_at_cut(float(k))
    factor = {"recall-at": 1.0, "precision-at": n / k, "lift-at": n_rows / k}[name]
    row_above = above[np.searchsorted(ties.values, ranking.sample.scores)]
    influence = np.where(
        ranking.sample.is_positive, (1 - at_cut) * (row_above - recall), -m / n * at_cut * (row_above - fpr)
    )
    worst, best = factor * max(k - m, 0.0) / n, factor * min(k, n) / n
    part, good = PART[2] * factor / n, (factor * recall - worst) / (best - worst)
    return MetricEstimate(
        f"{name}:{k}",
        ranking,
        factor * recall,
        factor * influence,
        lambda: (good * part, (1 - good) * part),
        worst=worst,
        best=best,
    )


# Metrics by name, as intervals and comparisons take them.


_KNOWN = ("average-precision", "ndcg", "precision-at:100", "recall-at:100", "lift-at:100")
_ELSEWHERE = {
    "partial-auc": "partial_auc_interval and compare_partial_auc serve it.",
    "tpr-at-fpr": "tpr_interval and compare_tpr serve it.",
    "bedroc": "it is ω of phi='early-recognition:20'.",
    "ndcg": "NDCG of the whole list is 'ndcg'.",
}


def metric_estimate(sample: Sample, spec: Phi | str) -> MetricEstimate:
    """The metric of a name such as ``"recall-at:100"``, or ω_φ, on a checked list, with what inference needs of it."""
    name, arguments = named(spec)
    if name == "rank-statistic":
        return _rank_statistic(Ranking(sample, resolve(spec)))
    if name == "ndcg" and not arguments:
        return _ndcg(Ranking(sample, Dcg()))
    ranking = Ranking(sample, Mww())
    ranking.require_two_per_class()
    if name == "average-precision":
        return average_precision(ranking)
    if name in ("precision-at", "recall-at", "lift-at"):
        return first_rows(ranking, name, int(arguments["k"]))
    raise InputError(
        f"Intervals by metric= are for {', '.join(_KNOWN)}; got {spec!r}.",
        _ELSEWHERE.get(name, "choose the nearest of these, or a φ."),
    )


def _rank_statistic(ranking: Ranking) -> MetricEstimate:
    """ω_φ itself, by the jackknife."""
    influence = jackknife(ranking).rows(ranking.sample)
    events = partial(loss_and_gain, ranking)
    return MetricEstimate(str(ranking.phi), ranking, ranking.omega, influence, events)


def _ndcg(ranking: Ranking) -> MetricEstimate:
    """NDCG = W/W_max of φ = dcg, a straight line in ω: from W_min/W_max at ω = 0 to 1."""
    low, high = ranking.range
    omega, slope = _rank_statistic(ranking), 1 - low / high

    def events() -> tuple[float, float]:
        loss, gain = omega.events()
        return slope * loss, slope * gain

    return MetricEstimate(
        "ndcg", ranking, 1 - slope * (1 - omega.value), slope * omega.influence, events, worst=1 - slope
    )
