"""Confidence intervals for any rank statistic: the front, and the table of methods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium import phi as phi_
from podium._input import Array
from podium.exceptions import InputError
from podium.inference import auc_methods, bootstrap, jackknife, projection, pseudo_event
from podium.inference.influence import Influence, clusters_of, variance_of_rows
from podium.inference.limits import Limits, on_logit_scale, wald
from podium.inference.notes import note_on
from podium.inference.ranking import Ranking
from podium.inference.result import Result
from podium.phi import Phi


@dataclass(frozen=True, repr=False)
class Interval(Result):
    """A confidence interval, with the share of positives it is for and a warning where coverage is known to be poor."""

    estimate: float
    low: float
    high: float
    standard_error: float
    confidence_level: float
    method: str
    phi: str
    scale: str
    n_pos: float
    n_neg: float
    note: str = ""

    def __repr__(self) -> str:
        name = "AUC" if (self.phi, self.scale) == ("mww", "omega") else f"{self.scale}[{self.phi}]"
        share = self.n_pos / (self.n_pos + self.n_neg)
        return (
            f"{name} = {self.estimate:.4f}, {self.confidence_level:.0%} interval [{self.low:.4f}, {self.high:.4f}] "
            f"({self.method}; {self.n_pos:g} positive, {self.n_neg:g} negative, p = {share:.3g})"
            + (f"; note: {self.note}" if self.note else "")
        )


@dataclass(frozen=True)
class _Case:
    """One call of `interval`, for the methods of the table."""

    ranking: Ranking
    level: float
    clusters: Array | None
    n_resamples: int
    rng: np.random.Generator

    @property
    def omega(self) -> float:
        return self.ranking.omega

    def variance(self, influence: Influence) -> float:
        if self.clusters is None:
            return influence.variance()
        sample = self.ranking.sample
        return variance_of_rows(influence.rows(sample), sample, self.clusters)

    @cached_property
    def jackknife_variance(self) -> float:
        return self.variance(jackknife.influence(self.ranking))

    @cached_property
    def resampled(self) -> Array:
        self.ranking.require_two_per_class()
        return bootstrap.resampled_omegas(self.ranking, self.n_resamples, self.rng)


def _logit(case: _Case, influence: Callable[[Ranking], Influence]) -> Limits:
    return on_logit_scale(case.omega, case.variance(influence(case.ranking)), case.level)


def _pseudo_event(case: _Case) -> Limits:
    variance = case.jackknife_variance
    return pseudo_event.limits(case.omega, variance, pseudo_event.event_size(case.ranking), case.level)


_ANY_PHI: dict[str, Callable[[_Case], Limits]] = {
    "jackknife": lambda c: on_logit_scale(c.omega, c.jackknife_variance, c.level),
    "pseudo-event": _pseudo_event,
    "projection": lambda c: _logit(c, projection.influence),
    "bca": lambda c: bootstrap.bca(c.ranking, c.resampled, c.level),
    "percentile": lambda c: bootstrap.percentile(c.resampled, c.level),
}
_AUC_ONLY: dict[str, Callable[[_Case], Limits]] = {
    "delong": lambda c: wald(c.omega, c.variance(projection.auc_influence(c.ranking)), c.level),
    "delong-logit": lambda c: _logit(c, projection.auc_influence),
    "hanley-mcneil": lambda c: auc_methods.hanley_mcneil(c.omega, c.ranking.n_pos, c.ranking.n_neg, c.level),
    "newcombe": lambda c: auc_methods.newcombe(c.omega, c.ranking.n_pos, c.ranking.n_neg, c.level),
}
FOR_ANY_PHI = ("auto", *_ANY_PHI)
METHODS = (*FOR_ANY_PHI, *_AUC_ONLY)
_CLUSTERED = ("jackknife", "pseudo-event", "projection", "delong", "delong-logit")
# Limits that do not collapse where no variation was seen.
_WITHOUT_VARIATION = ("pseudo-event", "newcombe")


def interval(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    phi: Phi | str = "mww",
    *,
    confidence_level: float = 0.95,
    method: str = "auto",
    scale: str = "omega",
    n_resamples: int = 2000,
    rng: Any = None,
    sample_weight: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
    pos_label: Any = None,
) -> Interval:
    r"""Confidence interval for a rank statistic of a fixed scoring rule.

    What is covered is the population value of CLV21 (3.4), W_φ = E φ(F(s(X))) with X a positive and F the law of the
    scores in a mixture with the sample's share p of positives, on the scale of ω_φ from 0 (worst) to 1 (best). At
    φ(u) = u that is the AUC, which does not depend on p. Ties take mid-ranks.

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores; larger scores are more positive. The scores must come from data that trained nothing.
    phi : Phi or str
        Which part of the list matters; see `podium.phi`.
    confidence_level : float
        Two-sided.
    method : str
        For any φ: ``"jackknife"`` (two-sample, on the logit scale), ``"pseudo-event"`` (holds where few losses were
        seen), ``"projection"`` (Hájek, logit), ``"bca"`` and ``"percentile"`` (bootstrap). For the AUC:
        ``"delong"``, ``"delong-logit"``, ``"hanley-mcneil"``, ``"newcombe"``. ``"auto"``: the logit jackknife for an
        AUC between .05 and .95 with at least 30 of each class, else pseudo-event. Where no variation was seen
        (perfect separation), pseudo-event limits stand in for methods that would return a point.
    scale : {"omega", "mean", "sum"}
        ω_φ, W_φ/n or W_φ.
    n_resamples, rng
        Number of bootstrap samples; seed or `numpy.random.Generator`.
    sample_weight : array-like, optional
        A weight of 3 is three equal rows, so the weights of a class sum to its size. Weights known only up to a
        factor must be scaled to the number of rows they are worth.
    groups : array-like, optional
        The cluster of every row (several rows per patient): rows of a cluster may depend on each other, clusters not.
        For the jackknife, pseudo-event, projection and DeLong methods.
    pos_label
        The positive label, where labels are not 0/1, −1/1 or booleans.

    Examples
    --------
    >>> y, s = [0, 0, 0, 1, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8]
    >>> interval(y, s, method="delong")
    AUC = 0.9375, 95% interval [0.7643, 1.0000] (delong; 4 positive, 4 negative, p = 0.5); note: ...
    """
    _input.choice("method", method, METHODS)
    _input.choice("scale", scale, ("omega", "mean", "sum"))
    level = _input.number("confidence_level", confidence_level, 0, 1, open_low=True, open_high=True)
    sample = _input.sample(y_true, y_score, sample_weight, pos_label)
    ranking = Ranking(sample, phi_.resolve(phi))
    clusters = None if groups is None else clusters_of(groups, sample_weight, len(sample.scores))
    case = _Case(ranking, level, clusters, _input.integer("n_resamples", n_resamples, 2), np.random.default_rng(rng))
    if method == "auto":
        method = _choose(case)
    _refuse_mismatch(case, method)
    limits, used, note = _limits(case, method)
    low, high = ranking.range
    result = Interval(
        ranking.omega,
        min(limits.low, ranking.omega),  # with heavy ties and a steep φ, mid-ranks can put ω̂ outside [0, 1]
        max(limits.high, ranking.omega),
        limits.standard_error,
        level,
        used,
        str(ranking.phi),
        "omega",
        ranking.n_pos,
        ranking.n_neg,
        note,
    )
    return result if scale == "omega" else _rescaled(result, scale, low, high)


def _choose(case: _Case) -> str:
    """The default: what held its level in simulation at the least width."""
    many_losses = 0.05 < case.omega < 0.95 and min(case.ranking.n_pos, case.ranking.n_neg) >= 30
    return "jackknife" if case.ranking.is_auc and many_losses else "pseudo-event"


def _limits(case: _Case, method: str) -> tuple[Limits, str, str]:
    """Limits, the method used and a note."""
    if 0 < case.omega < 1 or method in _WITHOUT_VARIATION:
        limits = {**_ANY_PHI, **_AUC_ONLY}[method](case)
        if limits.standard_error > 1e-12 or method in _WITHOUT_VARIATION:
            return limits, method, note_on(case.ranking, method, case.clusters)
    return _pseudo_event(case), "pseudo-event", f"no variation was seen: {method} would return a point"


def _refuse_mismatch(case: _Case, method: str) -> None:
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


def _rescaled(result: Interval, scale: str, low: float, high: float) -> Interval:
    """From ω to W_φ = W_min + ω(W_max − W_min), or to W_φ/n."""
    count = result.n_pos if scale == "mean" else 1.0
    start, stretch = low / count, (high - low) / count
    return replace(
        result,
        estimate=start + stretch * result.estimate,
        low=start + stretch * result.low,
        high=start + stretch * result.high,
        standard_error=stretch * result.standard_error,
        scale=scale,
    )
