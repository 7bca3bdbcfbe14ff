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
from podium.inference.intervals import jackknife, pseudo_event
from podium.inference.intervals.limits import ALTERNATIVES, limits_and_pvalue
from podium.inference.lists.influence import clusters_of, variance_of_rows
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

    .. math:: z = \frac{\hat\omega_a - \hat\omega_b}{\sqrt{\widehat{\mathrm{var}}(\hat\omega_a - \hat\omega_b)}},

    at φ(u) = u exactly the test of DeLong, DeLong and Clarke-Pearson (1988), ties included. Unpaired, the two lists are
    independent and the variances add. Normal approximation; scorers fixed before these rows were seen.

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
    difference in AUC (a − b) +0.062, 95 % interval −0.111 to +0.236, p = 0.480 (paired, two-sided); note: ...
    >>> compare(y, {"old": b, "new": a, "length": [3, 1, 4, 1, 5, 9, 2, 6]})
    3 differences in AUC (p-values by Holm): old − new −0.062, p = ...; old − length +...
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
        rows = [jackknife.influence(ranking).rows(ranking.sample) for ranking in rankings]
        pairs = []
        for (name_a, i), (name_b, j) in combinations(zip(scores, range(len(scores)), strict=True), 2):
            variance = variance_of_rows(rows[i] - rows[j], rankings[i].sample, clusters)
            pairs.append(_comparison((rankings[i], rankings[j]), variance, alternative, level, True, (name_a, name_b)))
        return pairs[0] if len(pairs) == 1 else Comparisons(pairs=_holm(pairs))
    if score_b is None or y_true_b is None or sample_weight is not None or groups is not None:
        raise InputError(
            "An unpaired comparison takes y_true, score_a, score_b and y_true_b, without weights or groups; got "
            f"{'no score_b' if score_b is None else 'no y_true_b' if y_true_b is None else 'weights or groups'}.",
            "y_true_b holds the labels of the rows of score_b.",
        )
    a = Ranking(_input.check_sample(y_true, score_a, pos_label=pos_label), chosen)  # type: ignore[arg-type]
    b = Ranking(_input.check_sample(y_true_b, score_b, pos_label=pos_label), chosen)
    variance = jackknife.influence(a).variance() + jackknife.influence(b).variance()
    return _comparison((a, b), variance, alternative, level, False, ("a", "b"))


def _by_name(score_a: Any, score_b: Any) -> dict[str, Any]:
    if score_b is not None:
        return {"a": score_a, "b": score_b}
    if not isinstance(score_a, Mapping) or len(score_a) < 2:
        raise InputError(
            f"A comparison needs two scorers; got {'one' if not isinstance(score_a, Mapping) else len(score_a)}.",
            "pass score_b, or several scorers by name as a dictionary.",
        )
    return dict(score_a)


def _comparison(
    rankings: tuple[Ranking, Ranking],
    variance: float,
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
    if variance < 1e-24:
        variance = sum(_unseen_variance(ranking, level) for ranking in rankings)
        notes.append("no variation was seen: the standard error is that of pseudo-event limits")
    difference, error = a.omega - b.omega, float(np.sqrt(variance))
    low, high, pvalue = limits_and_pvalue(difference, error, alternative, level)
    return Comparison(
        difference=difference,
        low=max(low, -1.0),
        high=min(high, 1.0),
        standard_error=error,
        statistic=difference / error,
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
