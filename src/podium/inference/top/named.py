"""Metrics by name, as intervals and comparisons take them."""

from __future__ import annotations

from functools import partial

from podium import phi as phi_
from podium._types import Sample
from podium.exceptions import InputError
from podium.inference.intervals import jackknife, pseudo_event
from podium.inference.lists.ranking import Ranking
from podium.inference.top.average_precision import average_precision
from podium.inference.top.estimate import MetricEstimate
from podium.inference.top.first_rows import first_rows
from podium.metrics.scorers import named
from podium.phi import Phi

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
        return _rank_statistic(Ranking(sample, phi_.resolve(spec)))
    if name == "ndcg" and not arguments:
        return _ndcg(Ranking(sample, phi_.Dcg()))
    ranking = Ranking(sample, phi_.Mww())
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
    influence = jackknife.influence(ranking).rows(ranking.sample)
    events = partial(pseudo_event.loss_and_gain, ranking)
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
