"""Is one scorer better than another? Differences of ω_φ, paired or not, for two scorers or many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._results import wording
from podium._types import Array, FloatArray
from podium.exceptions import InputError
from podium.inference.comparisons.result import Comparison, Comparisons
from podium.inference.comparisons.simultaneous import max_t_quantile, omnibus, pair_contrasts
from podium.inference.intervals.limits import ALTERNATIVES, limits_and_pvalue
from podium.inference.lists.covariance import Covariance, covariance_of_rows
from podium.inference.lists.influence import clusters_of
from podium.inference.top.estimate import MetricEstimate
from podium.inference.top.named import metric_estimate
from podium.phi import Phi


def compare(
    y_true: npt.ArrayLike,
    score_a: npt.ArrayLike | Mapping[str, npt.ArrayLike],
    score_b: npt.ArrayLike | None = None,
    phi: Phi | str = "auc",
    *,
    metric: str | None = None,
    paired: bool = True,
    y_true_b: npt.ArrayLike | None = None,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    sample_weight: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
    pos_label: Any = None,
) -> Comparison | Comparisons:
    r"""Difference of ω_φ, or of another metric, between scorers, with its interval and test.

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
    metric : str, optional
        A metric in place of ω_φ: ``"average-precision"``, ``"ndcg"``, ``"precision-at:100"``, ``"recall-at:100"`` or
        ``"lift-at:100"``, each as in `podium.metrics`; what it is in the population as in `interval`.
        Simulated with equal scorers (100/100, 30/270, 20/500 rows; 300 lists each), average precision, NDCG and recall
        at 20 were told apart at the 5 % level in .020 to .043, .023 to .033 and .003 to .037: rather too seldom.
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
    if metric is not None and phi != "auc":
        raise InputError("Scorers are compared by a φ or by a metric; got both.", "leave out one of them.")
    spec = phi if metric is None else metric
    if paired:
        if y_true_b is not None:
            raise InputError("A paired comparison has one vector of labels; got y_true_b.", "pass paired=False.")
        scores = _by_name(score_a, score_b)
        samples = [_input.check_sample(y_true, s, sample_weight, pos_label) for s in scores.values()]
        clusters = None if groups is None else clusters_of(groups, sample_weight, len(samples[0].scores))
        estimates = [metric_estimate(sample, spec) for sample in samples]
        covariance = covariance_of_rows(np.array([e.influence for e in estimates]), samples[0], clusters)
        return _all_pairs(list(scores), estimates, covariance, alternative, level)
    if score_b is None or y_true_b is None or sample_weight is not None or groups is not None:
        raise InputError(
            "An unpaired comparison takes y_true, score_a, score_b and y_true_b, without weights or groups; got "
            f"{'no score_b' if score_b is None else 'no y_true_b' if y_true_b is None else 'weights or groups'}.",
            "y_true_b holds the labels of the rows of score_b.",
        )
    a = metric_estimate(_input.check_sample(y_true, score_a, pos_label=pos_label), spec)  # type: ignore[arg-type]
    b = metric_estimate(_input.check_sample(y_true_b, score_b, pos_label=pos_label), spec)
    parts = [covariance_of_rows(each.influence[None], each.ranking.sample).parts for each in (a, b)]
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
    names: list[str], estimates: list[MetricEstimate], covariance: Covariance, alternative: str, level: float
) -> Comparison | Comparisons:
    chosen = list(combinations(range(len(names)), 2))
    contrasts = pair_contrasts(len(names), chosen)
    pairs = [
        _comparison((estimates[i], estimates[j]), covariance, contrast, alternative, level, True, (names[i], names[j]))
        for (i, j), contrast in zip(chosen, contrasts, strict=True)
    ]
    if len(pairs) == 1:
        return pairs[0]
    freedom = min(pair.degrees_of_freedom for pair in pairs)
    quantile = max_t_quantile(covariance, contrasts, freedom, level, alternative)
    widened = [_widened(pair, quantile, _largest(*estimates)) for pair in pairs]
    statistic, pvalue = omnibus(np.array([estimate.value for estimate in estimates]), covariance)
    return Comparisons(
        pairs=_holm(widened),
        omnibus_statistic=statistic,
        omnibus_pvalue=pvalue,
    )


def _largest(*estimates: MetricEstimate) -> float:
    """How far apart two values can be: 1 for ω."""
    return max(e.best for e in estimates) - min(e.worst for e in estimates)


def _widened(pair: Comparison, quantile: float, largest: float) -> Comparison:
    """The pair with the limits that hold for all pairs together."""
    reach = quantile * pair.standard_error
    low = -largest if pair.alternative == "less" else min(pair.low, max(pair.difference - reach, -largest))
    high = largest if pair.alternative == "greater" else max(pair.high, min(pair.difference + reach, largest))
    return replace(pair, low=low, high=high)


def _comparison(
    estimates: tuple[MetricEstimate, MetricEstimate],
    covariance: Covariance,
    contrast: FloatArray,
    alternative: str,
    level: float,
    paired: bool,
    names: tuple[str, str],
) -> Comparison:
    one, other = estimates
    variance, freedom = covariance.variance(contrast), covariance.degrees_of_freedom(contrast[None])
    notes = _notes(one, other, paired)
    if variance < 1e-24:
        variance = sum(estimate.unseen_variance(level) for estimate in estimates)
        notes.append("no variation was seen: the standard error is that of pseudo-event limits")
    difference, error = one.value - other.value, float(np.sqrt(variance))
    low, high, pvalue = limits_and_pvalue(difference, error, alternative, level, freedom)
    largest = _largest(one, other)
    return Comparison(
        difference=difference,
        low=max(low, -largest),
        high=min(high, largest),
        standard_error=error,
        statistic=difference / error,
        degrees_of_freedom=freedom,
        pvalue=pvalue,
        adjusted_pvalue=pvalue,
        alternative=alternative,
        confidence_level=level,
        estimate_a=one.value,
        estimate_b=other.value,
        phi=one.name,
        paired=paired,
        names=names,
        note="; ".join(notes),
    )


def _notes(one: MetricEstimate, other: MetricEstimate, paired: bool) -> list[str]:
    a, b = one.ranking, other.ranking
    notes = []
    fewest = min(a.n_pos, a.n_neg, b.n_pos, b.n_neg)
    if fewest < 10:
        notes.append(f"only {fewest:g} in a class: the test may not hold its level")
    if one.name != "auc" and not paired and abs(a.n_pos * b.n_neg - b.n_pos * a.n_neg) > 1e-9 * a.n_pos * b.n_neg:
        notes.append(f"the lists differ in their share of positives, on which {wording.statistic(one.name)} depends")
    return notes


def _holm(pairs: list[Comparison]) -> tuple[Comparison, ...]:
    """p-values adjusted by Holm's method: the k-th smallest of K times K − k + 1, made nondecreasing."""
    raw: FloatArray = np.array([pair.pvalue for pair in pairs])
    order: Array = np.argsort(raw)
    adjusted = np.empty(len(raw))
    adjusted[order] = np.maximum.accumulate(raw[order] * np.arange(len(raw), 0, -1)).clip(max=1.0)
    return tuple(replace(pair, adjusted_pvalue=float(p)) for pair, p in zip(pairs, adjusted, strict=True))
