"""Is one scorer better than another? Differences of ω_φ, paired or not, for two scorers or many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium import phi as phi_
from podium._normal import normal_quantile
from podium._types import Array, FloatArray
from podium.exceptions import InputError
from podium.inference.comparisons.result import Comparison, Comparisons
from podium.inference.comparisons.simultaneous import max_t_quantile, omnibus, pair_contrasts
from podium.inference.intervals import jackknife, pseudo_event
from podium.inference.intervals.limits import ALTERNATIVES, limits_and_pvalue
from podium.inference.lists.covariance import Covariance, covariance_of_rows
from podium.inference.lists.influence import clusters_of
from podium.inference.lists.ranking import Ranking
from podium.phi import Phi


def compare(
    y_true: npt.ArrayLike,
    score_a: npt.ArrayLike | Mapping[str, npt.ArrayLike],
    score_b: npt.ArrayLike | None = None,
    phi: Phi | str = "auc",
    *,
    paired: bool = True,
    y_true_b: npt.ArrayLike | None = None,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    sample_weight: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
    pos_label: Any = None,
) -> Comparison | Comparisons:
    r"""Difference of ω_φ between scorers, with its interval and test.

    Paired, two scorers rate the same rows: the difference of their jackknife influence values gives the variance,

    .. math:: t = \frac{\hat\omega_a - \hat\omega_b}{\sqrt{\widehat{\mathrm{var}}(\hat\omega_a - \hat\omega_b)}},

    at φ(u) = u exactly the statistic of DeLong, DeLong and Clarke-Pearson (1988), ties included. Unpaired, the two
    lists are independent and the variances add. t is referred to Student's law with Satterthwaite's degrees of freedom,
    since the normal law rejects too often with few positives (12 to 20 of them: 6 to 7 % at the 5 % level). The scorers
    must have been fixed before these rows were seen.

    Several scorers are compared in all pairs: p-values by Holm, limits that hold for all pairs together (max-t;
    Hothorn, Bretz and Westfall 2008), and an omnibus test of the hypothesis that all are equal.

    Parameters
    ----------
    y_true : array-like
        The labels of the rows; if unpaired, of those of ``score_a``.
    score_a, score_b : array-like
        The scores by the two scorers. Or ``score_a`` alone: a mapping of names to the scores of several scorers, all
        pairs of which are compared.
    phi : Phi or str
        The score-generating function φ, which says which part of the list matters; see `podium.phi`.
    paired : bool
        Whether both scorers rated the same rows.
    y_true_b : array-like, optional
        The labels of the rows of ``score_b``, if unpaired.
    alternative : {"two-sided", "greater", "less"}
        What the test is against: any difference, or that a is better (``"greater"``) or worse than b. The interval is
        one-sided in these two cases.
    confidence_level : float
        The nominal coverage of the interval for the difference.
    sample_weight : array-like, optional
        One weight per row, for paired comparisons; a weight of 3 is three equal rows.
    groups : array-like, optional
        The cluster of every row, for paired comparisons: rows of a cluster may depend on each other.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.

    Examples
    --------
    >>> y, a, b = [0, 0, 0, 1, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8], [2, 1, 5, 3, 4, 8, 6, 7]
    >>> compare(y, a, b)
    difference in AUC (a − b) +0.062, 95 % interval −0.154 to +0.279, p = 0.506 (paired, two-sided); note: ...
    >>> compare(y, {"old": b, "new": a, "length": [3, 1, 4, 1, 5, 9, 2, 6]})
    3 differences in AUC (p-values by Holm; all equal: p = 0.448): old − new −0.062, p = ...
    """
    _input.check_choice("alternative", alternative, ALTERNATIVES)
    level = _input.check_number("confidence_level", confidence_level, 0, 1, open_low=True, open_high=True)
    chosen = phi_.resolve(phi)
    if paired:
        if y_true_b is not None:
            raise InputError("A paired comparison has one vector of labels; got y_true_b.", "pass paired=False.")
        scores = _by_name(score_a, score_b)
        rankings = [Ranking(_input.check_sample(y_true, s, sample_weight, pos_label), chosen) for s in scores.values()]
        clusters = None if groups is None else clusters_of(groups, sample_weight, len(rankings[0].sample.scores))
        rows = np.array([jackknife.influence(ranking).rows(ranking.sample) for ranking in rankings])
        covariance = covariance_of_rows(rows, rankings[0].sample, clusters)
        return _all_pairs(list(scores), rankings, covariance, alternative, level)
    if score_b is None or y_true_b is None or sample_weight is not None or groups is not None:
        raise InputError(
            "An unpaired comparison takes y_true, score_a, score_b and y_true_b, without weights or groups; got "
            f"{'no score_b' if score_b is None else 'no y_true_b' if y_true_b is None else 'weights or groups'}.",
            "y_true_b holds the labels of the rows of score_b.",
        )
    a = Ranking(_input.check_sample(y_true, score_a, pos_label=pos_label), chosen)  # type: ignore[arg-type]
    b = Ranking(_input.check_sample(y_true_b, score_b, pos_label=pos_label), chosen)
    parts = [covariance_of_rows(jackknife.influence(r).rows(r.sample)[None], r.sample).parts for r in (a, b)]
    covariance = Covariance((*parts[0], *parts[1]))
    return _comparison((a, b), covariance, np.ones(1), alternative, level, False, ("a", "b"))


def _by_name(score_a: Any, score_b: Any) -> dict[str, Any]:
    if score_b is not None:
        return {"a": score_a, "b": score_b}
    if not isinstance(score_a, Mapping) or len(score_a) < 2:
        raise InputError(
            f"A comparison needs two scorers; got {'one' if not isinstance(score_a, Mapping) else len(score_a)}.",
            "pass score_b, or several scorers by name as a dictionary.",
        )
    return dict(score_a)


def _all_pairs(
    names: list[str], rankings: list[Ranking], covariance: Covariance, alternative: str, level: float
) -> Comparison | Comparisons:
    chosen = list(combinations(range(len(names)), 2))
    contrasts = pair_contrasts(len(names), chosen)
    pairs = [
        _comparison((rankings[i], rankings[j]), covariance, contrast, alternative, level, True, (names[i], names[j]))
        for (i, j), contrast in zip(chosen, contrasts, strict=True)
    ]
    if len(pairs) == 1:
        return pairs[0]
    freedom = min(pair.degrees_of_freedom for pair in pairs)
    quantile = max_t_quantile(covariance, contrasts, freedom, level, alternative)
    statistic, pvalue = omnibus(np.array([ranking.omega for ranking in rankings]), covariance)
    return Comparisons(
        pairs=_holm([_widened(pair, quantile) for pair in pairs]), omnibus_statistic=statistic, omnibus_pvalue=pvalue
    )


def _widened(pair: Comparison, quantile: float) -> Comparison:
    """The pair with the limits that hold for all pairs together."""
    reach = quantile * pair.standard_error
    low = -1.0 if pair.alternative == "less" else min(pair.low, max(pair.difference - reach, -1.0))
    high = 1.0 if pair.alternative == "greater" else max(pair.high, min(pair.difference + reach, 1.0))
    return replace(pair, low=low, high=high)


def _comparison(
    rankings: tuple[Ranking, Ranking],
    covariance: Covariance,
    contrast: FloatArray,
    alternative: str,
    level: float,
    paired: bool,
    names: tuple[str, str],
) -> Comparison:
    a, b = rankings
    notes = []
    fewest = min(a.n_pos, a.n_neg, b.n_pos, b.n_neg)
    if fewest < 10:
        notes.append(f"only {fewest:g} in a class: the test may not hold its level")
    if not a.is_auc and not paired and abs(a.n_pos * b.n_neg - b.n_pos * a.n_neg) > 1e-9 * a.n_pos * b.n_neg:
        notes.append("the lists differ in their share of positives, on which ω_φ depends")
    variance, freedom = covariance.variance(contrast), covariance.degrees_of_freedom(contrast[None])
    if variance < 1e-24:
        variance = sum(_unseen_variance(ranking, level) for ranking in rankings)
        notes.append("no variation was seen: the standard error is that of pseudo-event limits")
    difference, error = a.omega - b.omega, float(np.sqrt(variance))
    low, high, pvalue = limits_and_pvalue(difference, error, alternative, level, freedom)
    return Comparison(
        difference=difference,
        low=max(low, -1.0),
        high=min(high, 1.0),
        standard_error=error,
        statistic=difference / error,
        degrees_of_freedom=freedom,
        pvalue=pvalue,
        adjusted_pvalue=pvalue,
        alternative=alternative,
        confidence_level=level,
        estimate_a=a.omega,
        estimate_b=b.omega,
        phi=str(a.phi),
        paired=paired,
        names=names,
        note="; ".join(notes),
    )


def _unseen_variance(ranking: Ranking, level: float) -> float:
    """Squared distance from ω̂ to its farther pseudo-event limit, in normal quantiles."""
    event = pseudo_event.event_size(ranking)
    low, high, _ = pseudo_event.limits(ranking.omega, jackknife.influence(ranking).variance(), event, level)
    return (max(ranking.omega - low, high - ranking.omega) / normal_quantile(level)) ** 2


def _holm(pairs: list[Comparison]) -> tuple[Comparison, ...]:
    """p-values adjusted by Holm's method: the k-th smallest of K times K − k + 1, made nondecreasing."""
    raw: FloatArray = np.array([pair.pvalue for pair in pairs])
    order: Array = np.argsort(raw)
    adjusted = np.empty(len(raw))
    adjusted[order] = np.maximum.accumulate(raw[order] * np.arange(len(raw), 0, -1)).clip(max=1.0)
    return tuple(replace(pair, adjusted_pvalue=float(p)) for pair, p in zip(pairs, adjusted, strict=True))
