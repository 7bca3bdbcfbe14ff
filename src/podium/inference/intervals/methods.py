"""Methods of `interval`, each from a ranking to limits, in one table; and what is noted beside them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import scipy

from podium import bounds
from podium._shares import normal_quantile, wilson
from podium._types import Array
from podium.exceptions import InputError
from podium.inference.intervals import bootstrap
from podium.inference.intervals.influence import auc_influence, auc_variance, jackknife, projection
from podium.inference.intervals.limits import (
    PART,
    Limits,
    loss_and_gain,
    on_logit_scale,
    pseudo_event_limits,
    student_level,
    wald,
)
from podium.inference.lists.influence import Covariance, Influence, covariance_of_rows, typical_cluster_size
from podium.inference.lists.ranking import Ranking, is_untied

# Where an interval is known to miss its level: said to the user beside the number.


_MAY_TIE = 15  # of a class; more of them hardly ever tie all together
_FEWEST_VALUES = 4  # of so few positives, that show how they spread


def note_on(ranking: Ranking, method: str, clusters: Array | None) -> str:
    """One sentence per known weakness of this method on this list; empty where none is known."""
    notes = []
    n_pos, n_neg, steep = ranking.n_pos, ranking.n_neg, not ranking.is_auc
    if min(n_pos, n_neg) < (5 if method == "pseudo-event" else 10):
        notes.append(f"only {min(n_pos, n_neg):g} in a class: coverage may fall short")
    if ranking.sample.scores.min() == ranking.sample.scores.max():
        notes.append("all scores tie: the sample says nothing")
    else:
        for of_class, count, name in (("pos", n_pos, "positives"), ("neg", n_neg, "negatives")):
            n_values = int((getattr(ranking.ties, of_class) > 0).sum())
            if count < _MAY_TIE and n_values < (_FEWEST_VALUES if steep else 2):
                tie = f"all {count:g} {name} tie" if n_values == 1 else f"{count:g} {name} have {n_values} scores"
                notes.append(f"{tie}: their spread was not seen, and coverage may fall short")
    if clusters is not None:
        is_positive = ranking.sample.is_positive
        fewest = min(len(np.unique(clusters[rows])) for rows in (is_positive, ~is_positive))
        if fewest < 10:
            notes.append(f"only {fewest} clusters hold a class: coverage may fall short")
    if METHODS[method].needs_losses and not 0.05 < ranking.omega < 0.95:
        notes.append(f"near the end of the scale {method} undercovers: 'pseudo-event' holds")
    if method == "mcdiarmid" and not ranking.is_auc and not is_untied(ranking.ties):
        notes.append("the guarantee is for a list without ties")
    phi = ranking.phi.bind(n_pos + n_neg)
    if phi != ranking.phi.bind(n_pos + n_neg + 1):
        notes.append("φ depends on the length of the list: ω is that of lists this long")
    if phi.discontinuous:
        # The jackknife variance is not consistent at a jump; in simulation it came out too large rather than too small.
        notes.append("φ jumps: the interval is rough, often too wide")
    if not np.isfinite(phi.sup_norm):
        notes.append("φ is unbounded: a few items at the ends of the list decide, and coverage may fall short")
    return "; ".join(notes)


# Intervals for the AUC alone: φ(u) = u.


_NEAR = 1e-9  # to an estimate of 0 or 1: a limit that is nearer is the estimate


def hanley_mcneil(auc: float, n_pos: float, n_neg: float, confidence_level: float) -> Limits:
    """Estimate ± z·SE with the variance of exponential scores (Hanley and McNeil 1982), cut to [0, 1]."""
    return wald(auc, _exponential_variance(auc, n_pos, n_neg, n_pos, n_neg), confidence_level)


def newcombe(auc: float, n_pos: float, n_neg: float, confidence_level: float) -> Limits:
    r"""All A with |Â − A| ≤ z·SE(A) (Newcombe 2006, method 5).

    SE is Hanley and McNeil's at A instead of Â, with both class sizes in it replaced by their mean.
    """
    mean_size = (n_pos + n_neg) / 2
    z = normal_quantile(confidence_level)

    def excess(a: float) -> float:
        return abs(auc - a) - z * float(np.sqrt(_exponential_variance(a, n_pos, n_neg, mean_size, mean_size)))

    # SE vanishes at 0 and 1, which makes an estimate there a root of its own: look for the other one.
    start = auc if 0 < auc < 1 else abs(auc - _NEAR)
    low, high = (
        scipy.optimize.brentq(excess, start, end) if excess(start) < 0 < excess(end) else auc for end in (0.0, 1.0)
    )
    return Limits(low, high, float(np.sqrt(_exponential_variance(auc, n_pos, n_neg, mean_size, mean_size))))


def hybrid_score(case: IntervalRequest) -> Limits:
    r"""Limits of the AUC of a score of two values, A = ½ + (T − F)/2, from Wilson's limits of both rates.

    With T the true and F the false positive rate of the larger value, and limits l, u of each (Newcombe 1998,
    method 10):

    .. math:: A - \tfrac12 \sqrt{(T - l_T)^2 + (u_F - F)^2}, \qquad A + \tfrac12 \sqrt{(u_T - T)^2 + (F - l_F)^2}
    """
    ties, z = case.ranking.ties, normal_quantile(case.level)
    (tpr, *of_tpr), (fpr, *of_fpr) = (
        (mass[1] / mass.sum(), *wilson(mass[1], mass.sum(), z)) for mass in (ties.pos, ties.neg)
    )
    below = np.hypot(tpr - of_tpr[0], of_fpr[1] - fpr) / 2
    above = np.hypot(of_tpr[1] - tpr, fpr - of_fpr[0]) / 2
    return Limits(float(case.omega - below), float(case.omega + above), float(np.sqrt(_delong(case))))


def _exponential_variance(auc: float, n_pos: float, n_neg: float, pos_size: float, neg_size: float) -> float:
    """Variance if both classes are exponential: P(a positive beats two negatives) = 2A²/(1 + A), and so on."""
    # 2A²/(1 + A) − A² = A(1 − A)·A/(1 + A): as products nothing cancels, and no sum is below zero.
    two_positives, two_negatives = (1 - auc) / (2 - auc), auc / (1 + auc)
    return auc * (1 - auc) * (1 + (pos_size - 1) * two_positives + (neg_size - 1) * two_negatives) / (n_pos * n_neg)


# Intervals that hold for every distribution of independent scores: from the bounds, wide.


def kl(ranking: Ranking, confidence_level: float) -> Limits:
    """All AUCs that Chernoff's inequality does not exclude (`podium.bounds.kl_interval`)."""
    n_pos, n_neg = _counts(ranking)
    low, high = bounds.kl_interval(ranking.omega, n_pos, n_neg, confidence_level=confidence_level)
    return Limits(low, high, None)


def mcdiarmid(ranking: Ranking, confidence_level: float) -> Limits:
    """W_φ/n ± (deviation + bias), for a φ with bounded derivative (`podium.bounds.rank_statistic_deviation`).

    The AUC has no bias. Otherwise ω of the population has its own range, ℓ = (1/p)∫₀^p φ and h = (1/p)∫_{1−p}^1 φ, a
    little off that of a sample; the limits hold by either.
    """
    n_pos, n_neg = _counts(ranking)
    phi = ranking.phi.bind(n_pos + n_neg)
    low, high = (end / n_pos for end in ranking.range)
    mean = low + ranking.omega * (high - low)
    reach = bounds.rank_statistic_deviation(n_pos, n_neg, phi, confidence_level=confidence_level)
    ranges = [(low, high)]
    if not ranking.is_auc:
        reach += bounds.rank_statistic_bias(n_pos, n_neg, phi)
        share = n_pos / (n_pos + n_neg)
        upto_share, upto_rest, whole = phi.integral(np.array([share, 1 - share, 1.0]))
        ranges.append((float(upto_share) / share, float(whole - upto_rest) / share))
    return Limits(
        max(min((mean - reach - start) / (end - start) for start, end in ranges), 0.0),
        min(max((mean + reach - start) / (end - start) for start, end in ranges), 1.0),
        None,
    )


def _counts(ranking: Ranking) -> tuple[int, int]:
    if ranking.sample.weight is not None:
        raise InputError("A guaranteed interval needs unweighted rows; got sample_weight.", "repeat the rows.")
    return int(ranking.n_pos), int(ranking.n_neg)


# The methods of `podium.inference.interval`: one table, one line each, and which of them serves when.


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
        freedom = self._clustered(jackknife(self.ranking)).degrees_of_freedom(np.ones((1, 1)))
        return student_level(self.confidence_level, freedom)

    def _clustered(self, influence: Influence) -> Covariance:
        sample = self.ranking.sample
        return covariance_of_rows(influence.rows(sample)[None], sample, self.clusters)

    @cached_property
    def jackknife_variance(self) -> float:
        return self.variance(jackknife(self.ranking))

    @cached_property
    def resampled(self) -> Array:
        self.ranking.require_two_per_class()
        return bootstrap.resampled_omegas(self.ranking, self.n_resamples, self.rng)


def _delong(case: IntervalRequest) -> float:
    if case.clusters is None:
        return auc_variance(case.ranking)
    return case.variance(auc_influence(case.ranking))


_HARDLY = 0.01  # of a standard error: an event that is smaller is taken as large as it could be


def _pseudo_event(case: IntervalRequest) -> Limits:
    ranking, clustered = case.ranking, case.clusters is not None
    if ranking.is_auc and not clustered and len(ranking.ties.values) == 2:
        return hybrid_score(case)
    variance = _delong(case) if ranking.is_auc else case.jackknife_variance
    most = PART[1] / (min(ranking.n_pos, ranking.n_neg) + 1)  # one row more changes the AUC by no more
    if ranking.is_auc and not clustered and most < _HARDLY * np.sqrt(variance):
        return pseudo_event_limits(case.omega, variance, most, most, case.level)
    together = typical_cluster_size(ranking.sample, case.clusters) if case.clusters is not None else 1.0
    # Rows of a cluster are lost together.
    loss, gain = (min(together * event, 1.0) for event in loss_and_gain(ranking, clustered=clustered))
    return pseudo_event_limits(case.omega, variance, loss, gain, case.level)


@dataclass(frozen=True)
class IntervalMethod:
    """One way from a list to limits.

    ``name``: as statisticians call it. With ``needs_losses`` the limits rest on the losses seen: they undercover where
    few were, and collapse to a point where there were none. ``clustered``: rows need not be independent.
    """

    name: str
    limits: Callable[[IntervalRequest], Limits]
    auc_only: bool = False
    clustered: bool = False
    needs_losses: bool = True


METHODS = {
    "jackknife": IntervalMethod(
        "logit jackknife", lambda c: on_logit_scale(c.omega, c.jackknife_variance, c.level), clustered=True
    ),
    "pseudo-event": IntervalMethod("pseudo-event", _pseudo_event, clustered=True, needs_losses=False),
    "projection": IntervalMethod(
        "logit projection",
        lambda c: on_logit_scale(c.omega, c.variance(projection(c.ranking)), c.level),
        clustered=True,
    ),
    "bca": IntervalMethod("BCa bootstrap", lambda c: bootstrap.bca(c.ranking, c.resampled, c.level)),
    "percentile": IntervalMethod("percentile bootstrap", lambda c: bootstrap.percentile(c.resampled, c.level)),
    "mcdiarmid": IntervalMethod("McDiarmid, guaranteed", lambda c: mcdiarmid(c.ranking, c.level), needs_losses=False),
    "delong": IntervalMethod("DeLong", lambda c: wald(c.omega, _delong(c), c.level), auc_only=True, clustered=True),
    "delong-logit": IntervalMethod(
        "logit DeLong", lambda c: on_logit_scale(c.omega, _delong(c), c.level), auc_only=True, clustered=True
    ),
    "hanley-mcneil": IntervalMethod(
        "Hanley–McNeil", lambda c: hanley_mcneil(c.omega, c.ranking.n_pos, c.ranking.n_neg, c.level), auc_only=True
    ),
    "kl": IntervalMethod("Chernoff, guaranteed", lambda c: kl(c.ranking, c.level), auc_only=True, needs_losses=False),
    "newcombe": IntervalMethod(
        "Newcombe",
        lambda c: newcombe(c.omega, c.ranking.n_pos, c.ranking.n_neg, c.level),
        auc_only=True,
        needs_losses=False,
    ),
}


def limits_of(case: IntervalRequest, method: str) -> tuple[Limits, str, str]:
    """Limits of ω, the method used and a note."""
    if method == "auto":
        method = "pseudo-event"  # what held its level in simulation at the least width
    _refuse_mismatch(case, method)
    collapses = METHODS[method].needs_losses
    if 0 < case.omega < 1 or not collapses:
        limits = METHODS[method].limits(case)
        if not collapses or limits.high - limits.low > 1e-9:
            return limits, method, note_on(case.ranking, method, case.clusters)
    notes = [f"no variation was seen: {method} would return a point"]
    notes += filter(None, [note_on(case.ranking, "pseudo-event", case.clusters)])
    return _pseudo_event(case), "pseudo-event", "; ".join(notes)


def _refuse_mismatch(case: IntervalRequest, method: str) -> None:
    if METHODS[method].auc_only and not case.ranking.is_auc:
        for_any = ", ".join(name for name, each in METHODS.items() if not each.auc_only)
        raise InputError(
            f"method={method!r} is for the AUC, φ(u) = u; got {case.ranking.phi}.", f"for any φ there are {for_any}."
        )
    if case.clusters is not None and not METHODS[method].clustered:
        clustered = ", ".join(name for name, each in METHODS.items() if each.clustered)
        raise InputError(
            f"method={method!r} takes rows as independent; got groups.", f"for clustered rows there are {clustered}."
        )
