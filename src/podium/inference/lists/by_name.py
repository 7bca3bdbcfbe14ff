"""From the name of a metric to its estimate on a list."""

from __future__ import annotations

from collections.abc import Callable

from podium._types import Sample
from podium.exceptions import InputError
from podium.inference.curves.areas import LogAreaEstimate, PartEstimate, turned
from podium.inference.curves.cuts import CutEstimate, InformationEstimate, KsEstimate
from podium.inference.curves.rates import RateEstimate
from podium.inference.lists.estimates import MetricEstimate, OmegaEstimate, ReadEstimate, average_precision, first_rows
from podium.inference.lists.ranking import Ranking
from podium.metrics.area import CurvePart
from podium.metrics.cuts import RATES
from podium.metrics.named import named
from podium.phi import Mww, Phi

_NONE = {
    "average-reciprocal-rank": "average-precision or ndcg, which also look at the top, have one.",
    "push-risk": "podium.inference.push_risk_certificate bounds it.",
}


def metric_estimate(sample: Sample, spec: Phi | str) -> MetricEstimate:
    """The metric of a name such as ``"recall@100"``, or ω_φ, on a checked list, with what inference needs of it."""
    found, ranking = named(spec), Ranking(sample, Mww())
    reading = found.reading(ranking.n_pos, ranking.n_neg)
    if reading is not None:
        return ReadEstimate.of(str(found), metric_estimate(sample, reading.of), reading)
    if found.phi is not None:
        return OmegaEstimate.of(Ranking(sample, found.phi))
    if found.name not in _OF_LIST:
        raise InputError(f"There are no limits of {spec!r}.", _NONE.get(found.name, ""))
    ranking.require_two_per_class()
    return _OF_LIST[found.name](ranking, str(found), *found.numbers)


def _rate(ranking: Ranking, name: str, fpr: float) -> MetricEstimate:
    return RateEstimate.of(ranking, ranking.sample, fpr, name)


def _specificity(ranking: Ranking, name: str, tpr: float) -> MetricEstimate:
    return RateEstimate.of(ranking, turned(ranking.sample), round(1 - tpr, 12), name)


_OF_LIST: dict[str, Callable[..., MetricEstimate]] = {
    "average-precision": lambda ranking, name: average_precision(ranking),
    "recall-at": lambda ranking, name, k: first_rows(ranking, k),
    "partial-auc": lambda ranking, name, rate: PartEstimate.of(ranking.sample, CurvePart(0.0, rate, False), name),
    "log-auc": LogAreaEstimate.of,
    "tpr-at-fpr": _rate,
    "specificity-at-tpr": _specificity,
    "ks": KsEstimate.of,
    "iv": InformationEstimate.of,
    **dict.fromkeys(RATES, CutEstimate.of),
}
