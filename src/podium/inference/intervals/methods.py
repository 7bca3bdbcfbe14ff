"""The methods of `podium.inference.interval`: one table, one line each, and which of them serves when."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from podium._types import Array
from podium.exceptions import InputError
from podium.inference.intervals import auc_only, bootstrap, guaranteed, jackknife, projection, pseudo_event
from podium.inference.intervals.limits import Limits, on_logit_scale, student_level, wald
from podium.inference.intervals.notes import note_on
from podium.inference.lists.covariance import Covariance, covariance_of_rows
from podium.inference.lists.influence import Influence, typical_cluster_size
from podium.inference.lists.ranking import Ranking

_FEW = 15  # items of a class up to which the near limit of the pseudo-event interval needs gains that were not seen


@dataclass(frozen=True)
class IntervalRequest:
    """One call of `interval`, for the methods of the table."""

    ranking: Ranking
    confidence_level: float
    clusters: Array | None = None
    n_resamples: int = 2000
    rng: np.random.Generator = field(default_factory=np.random.default_rng)

    @property
    def omega(self) -> float:
        return self.ranking.omega

    def variance(self, influence: Influence) -> float:
        return influence.variance() if self.clusters is None else float(self._clustered(influence).total[0, 0])

    @cached_property
    def level(self) -> float:
        """The level of normal limits: with clusters a larger one, at which they reach as far as Student's."""
        if self.clusters is None:
            return self.confidence_level
        freedom = self._clustered(jackknife.influence(self.ranking)).degrees_of_freedom(np.ones((1, 1)))
        return student_level(self.confidence_level, freedom)

    def _clustered(self, influence: Influence) -> Covariance:
        sample = self.ranking.sample
        return covariance_of_rows(influence.rows(sample)[None], sample, self.clusters)

    @cached_property
    def jackknife_variance(self) -> float:
        return self.variance(jackknife.influence(self.ranking))

    @cached_property
    def resampled(self) -> Array:
        self.ranking.require_two_per_class()
        return bootstrap.resampled_omegas(self.ranking, self.n_resamples, self.rng)


def _delong(case: IntervalRequest) -> float:
    if case.clusters is None:
        return projection.auc_variance(case.ranking)
    return case.variance(projection.auc_influence(case.ranking))


def _pseudo_event(case: IntervalRequest) -> Limits:
    ranking = case.ranking
    clustered = case.clusters is not None
    together = typical_cluster_size(ranking.sample, case.clusters) if case.clusters is not None else 1.0
    event = min(together * pseudo_event.event_size(ranking, clustered=clustered), 1.0)  # rows are lost together
    near_event = None
    if min(ranking.n_pos, ranking.n_neg) < _FEW:
        near_event = min(together * pseudo_event.event_size(ranking, near=True, clustered=clustered), 1.0)
    return pseudo_event.limits(case.omega, case.jackknife_variance, event, case.level, near_event)


_ANY_PHI: dict[str, Callable[[IntervalRequest], Limits]] = {
    "jackknife": lambda c: on_logit_scale(c.omega, c.jackknife_variance, c.level),
    "pseudo-event": _pseudo_event,
    "projection": lambda c: on_logit_scale(c.omega, c.variance(projection.influence(c.ranking)), c.level),
    "bca": lambda c: bootstrap.bca(c.ranking, c.resampled, c.level),
    "percentile": lambda c: bootstrap.percentile(c.resampled, c.level),
    "mcdiarmid": lambda c: guaranteed.mcdiarmid(c.ranking, c.level),
}
_AUC_ONLY: dict[str, Callable[[IntervalRequest], Limits]] = {
    "delong": lambda c: wald(c.omega, _delong(c), c.level),
    "delong-logit": lambda c: on_logit_scale(c.omega, _delong(c), c.level),
    "hanley-mcneil": lambda c: auc_only.hanley_mcneil(c.omega, c.ranking.n_pos, c.ranking.n_neg, c.level),
    "kl": lambda c: guaranteed.kl(c.ranking, c.level),
    "newcombe": lambda c: auc_only.newcombe(c.omega, c.ranking.n_pos, c.ranking.n_neg, c.level),
}
FOR_ANY_PHI = ("auto", *_ANY_PHI)
METHODS = (*FOR_ANY_PHI, *_AUC_ONLY)
_CLUSTERED = ("jackknife", "pseudo-event", "projection", "delong", "delong-logit")
# Limits that do not collapse where no variation was seen.
_WITHOUT_VARIATION = ("pseudo-event", "newcombe", "kl", "mcdiarmid")


def limits_of(case: IntervalRequest, method: str) -> tuple[Limits, str, str]:
    """Limits of ω, the method used and a note."""
    if method == "auto":
        method = _choose(case)
    _refuse_mismatch(case, method)
    if 0 < case.omega < 1 or method in _WITHOUT_VARIATION:
        limits = {**_ANY_PHI, **_AUC_ONLY}[method](case)
        if method in _WITHOUT_VARIATION or limits.high - limits.low > 1e-9:
            return limits, method, note_on(case.ranking, method, case.clusters)
    notes = [f"no variation was seen: {method} would return a point"]
    notes += filter(None, [note_on(case.ranking, "pseudo-event", case.clusters)])
    return _pseudo_event(case), "pseudo-event", "; ".join(notes)


def _choose(case: IntervalRequest) -> str:
    """The default: what held its level in simulation at the least width."""
    few = few_losses(case.omega, case.ranking.n_pos, case.ranking.n_neg)
    return "pseudo-event" if few or not case.ranking.is_auc else "jackknife"


def few_losses(omega: float, n_pos: float, n_neg: float) -> bool:
    """Whether the list is too near perfection, or too short, for the logit jackknife of the AUC."""
    return not 0.05 < omega < 0.95 or min(n_pos, n_neg) < 30


def _refuse_mismatch(case: IntervalRequest, method: str) -> None:
    if method in _AUC_ONLY and not case.ranking.is_auc:
        raise InputError(
            f"method={method!r} is for the AUC, φ(u) = u; got {case.ranking.phi}.",
            f"for any φ there are {', '.join(_ANY_PHI)}.",
        )
    if case.clusters is not None and method not in _CLUSTERED:
        raise InputError(
            f"method={method!r} takes rows as independent; got groups.",
            f"for clustered rows there are {', '.join(_CLUSTERED)}.",
        )
