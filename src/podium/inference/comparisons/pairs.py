"""Pairs of scorers: the difference of two estimates, its limits and its p-value, one pair or all at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy.special import fdtrc

from podium._results import wording
from podium._shares import normal_quantile
from podium._types import FloatArray
from podium.inference.comparisons.results import Comparison, Comparisons
from podium.inference.intervals.limits import Limits, limits_and_pvalue
from podium.inference.lists.estimates import MetricEstimate
from podium.inference.lists.influence import Covariance
from podium.inference.rank_tests import holm
from podium.phi import Dcg

# Several scorers at once: limits that hold for all pairs together, and a test of whether all are equal.


_DRAWS, _BLOCK = 100_000, 10_000
_NONE_SEEN = 1e-24  # a variance that is rounding


def pair_contrasts(n_scorers: int, pairs: Sequence[tuple[int, int]]) -> FloatArray:
    """One row for each pair (a, b): + 1 at a, − 1 at b."""
    contrasts = np.zeros((len(pairs), n_scorers))
    for row, (a, b) in zip(contrasts, pairs, strict=True):
        row[a], row[b] = 1.0, -1.0
    return contrasts


def max_t_quantile(
    covariance: Covariance, contrasts: FloatArray, freedom: float, confidence_level: float, alternative: str
) -> float:
    r"""The q with P(max over all pairs of |t| ≤ q) = ``confidence_level``; of t itself if one-sided.

    The t of all pairs are jointly Student's with the correlations of the differences (Hothorn, Bretz and Westfall
    2008). The quantile is that of 100,000 draws with a fixed seed: its standard error is about .005. Pairs without any
    variation have no t.
    """
    variances = np.einsum("ij,jk,ik->i", contrasts, covariance.total, contrasts)
    varying = variances > _NONE_SEEN
    if not varying.any():
        return 0.0
    values, vectors = np.linalg.eigh(covariance.total)
    root = vectors * np.sqrt(values.clip(min=0.0))
    directions = (contrasts[varying] / np.sqrt(variances[varying])[:, None]) @ root
    rng = np.random.default_rng(0)
    largest = []
    for _ in range(_DRAWS // _BLOCK):
        draws = rng.standard_normal((_BLOCK, len(values))) @ directions.T
        scale = np.sqrt(rng.chisquare(freedom, _BLOCK) / freedom) if np.isfinite(freedom) else 1.0
        largest.append((np.abs(draws) if alternative == "two-sided" else draws).max(axis=1) / scale)
    return float(np.quantile(np.concatenate(largest), confidence_level))


def omnibus(omegas: FloatArray, covariance: Covariance) -> tuple[float, float]:
    r"""Statistic and p-value of the hypothesis that all ω_φ are equal.

    With d the differences from the first scorer and S their covariance, Q = dᵀS⁻d; Q(ν − q + 1)/(νq) is referred to F
    with q and ν − q + 1 degrees of freedom, q the rank of S and ν by Krishnamoorthy and Yu (2004). For two scorers Q
    is the square of t.
    """
    contrasts = pair_contrasts(len(omegas), [(k, 0) for k in range(1, len(omegas))])
    differences = contrasts @ omegas
    spread = contrasts @ covariance.total @ contrasts.T
    if np.trace(spread) < _NONE_SEEN:
        return 0.0, 1.0
    statistic = float(differences @ np.linalg.pinv(spread, hermitian=True) @ differences)
    rank = int(np.linalg.matrix_rank(spread, hermitian=True))
    freedom = covariance.degrees_of_freedom(contrasts)
    rest = max(freedom - rank + 1, 1.0)
    factor = rest / (freedom * rank) if np.isfinite(freedom) else 1 / rank
    return statistic, float(fdtrc(rank, rest, statistic * factor))


# Independent lists: standard errors from the limits of each, on the side of the value they may have in common.
#
# The sampling law of ω̂ of a short list leans, the more the nearer ω is to 1, and a variance does not know it: with it,
# equal scorers of 15/45 and 100/300 rows (an AUC of .96) were told apart at the 5 % level in 13 % of lists, of 10/90
# and 300/2,700 in 16 %. The limits of each list's own interval do know it (Zou and Donner 2008).


Errors = tuple[FloatArray, FloatArray]


def one_sided_errors(values: FloatArray, limits: Sequence[Limits], levels: Sequence[float]) -> Errors:
    """Distances from estimates down to their lower and up to their upper limits, in normal quantiles of the levels."""
    quantiles = np.array([normal_quantile(level) for level in levels])
    down, up = values - np.array([each.low for each in limits]), np.array([each.high for each in limits]) - values
    return np.maximum(down, 1e-12) / quantiles, np.maximum(up, 1e-12) / quantiles


_PART = 0.45  # of a pseudo-event, in the errors of paired estimates: chosen by the sizes of the test
_USUAL = 0.95


def paired_errors(estimates: Sequence[MetricEstimate], covariance: Covariance) -> Errors | None:
    """Distances to limits that allow for a part of one more loss or gain.

    None for AUCs, compared by DeLong's test, and for dcg, of which one loss can weigh more than all that were seen.
    """
    if any(estimate.ranking.is_auc or isinstance(estimate.ranking.phi, Dcg) for estimate in estimates):
        return None
    limits = [
        estimate.limits_from(float(variance), _USUAL, _PART)
        if len(estimate.ranking.ties.values) > 1
        else Limits(estimate.value, estimate.value, 0.0)  # all scores tie: whatever the rows, it says the same
        for estimate, variance in zip(estimates, np.diag(covariance.total), strict=True)
    ]
    return one_sided_errors(np.array([estimate.value for estimate in estimates]), limits, [_USUAL] * len(limits))


def around_common_value(values: FloatArray, covariance: Covariance, errors: Errors) -> Covariance:
    """The covariance of estimates if all have one value in common: each with its error on the side of that value."""
    below, above = errors
    chosen = np.maximum(below, above)
    for _ in range(3):  # the mean moves by ever less
        weight = 1 / chosen**2
        chosen = np.where(values > weight @ values / weight.sum(), below, above)
    return covariance.with_errors(chosen)


# Pairs of scorers: t, limits and p-values, for one pair or for all together.


@dataclass(frozen=True, eq=False)
class Question:
    """Scorers and the covariance of their estimates.

    ``errors`` are the standard errors of the estimates down and up, by the limits of each.
    """

    estimates: Sequence[MetricEstimate]
    covariance: Covariance
    alternative: str
    level: float
    errors: Errors | None = None
    paired: bool = True
    within_strata: bool = False
    margin: float | None = None

    def all_pairs(self, names: Sequence[str]) -> Comparison | Comparisons:
        chosen = list(combinations(range(len(names)), 2))
        pairs = [self._pair(pair, (names[pair[0]], names[pair[1]])) for pair in chosen]
        if len(pairs) == 1:
            return pairs[0]
        freedom = min(pair.degrees_of_freedom for pair in pairs)
        contrasts = pair_contrasts(len(names), chosen)
        joint = max_t_quantile(self.covariance, contrasts, freedom, self.level, self.alternative)
        widened = [self._pair(which, pair.names, joint) for which, pair in zip(chosen, pairs, strict=True)]
        statistic, pvalue = omnibus(np.array([estimate.value for estimate in self.estimates]), self.covariance)
        adjusted = holm(np.array([pair.pvalue for pair in widened]))
        corrected = tuple(replace(pair, adjusted_pvalue=float(p)) for pair, p in zip(widened, adjusted, strict=True))
        return Comparisons(pairs=corrected, omnibus_statistic=statistic, omnibus_pvalue=pvalue)

    def _sides(self, pair: tuple[int, int]) -> list[tuple[float, float]]:
        """Variance of the difference and its degrees of freedom: for its lower limit, and for its upper one.

        For the lower limit a errs down and b up. Paired, either these errors have the correlation of the estimates
        (Zou and Donner), or the variance of the difference grows as the sum of theirs does. Both agree where errors are
        even; where they are not, either can be far too large, and the smaller one is taken.
        """
        contrast = pair_contrasts(len(self.estimates), [pair])
        seen = self.covariance.variance(contrast[0])
        if self.errors is None or (self.paired and seen < _NONE_SEEN):
            return [(seen, self.covariance.degrees_of_freedom(contrast))] * 2
        sides, down_and_up = [], np.array(self.errors)
        for of_a in (0, 1):
            errors = down_and_up[of_a].copy()
            errors[pair[1]] = down_and_up[1 - of_a, pair[1]]
            leaning = self.covariance.with_errors(errors)
            variance = leaning.variance(contrast[0])
            if self.paired:
                both = list(pair)
                grown = (errors[both] @ errors[both]) / np.diag(self.covariance.total)[both].sum()
                variance = min(variance, seen * float(grown))
            sides.append((variance, leaning.degrees_of_freedom(contrast)))
        return sides

    def _pair(self, pair: tuple[int, int], names: tuple[str, str], joint: float = 0.0) -> Comparison:
        """One pair, with limits that reach ``joint`` standard errors at least."""
        one, other = (self.estimates[i] for i in pair)
        notes = _notes(one, other, self.paired)
        below, above = self._sides(pair)
        if below[0] < _NONE_SEEN:
            unseen = sum(estimate.unseen_variance(self.level) for estimate in (one, other))
            below = above = unseen, below[1]
            notes.append("no variation was seen: the standard error is that of pseudo-event limits")
        difference = one.value - other.value
        (low, _, p_below), (_, high, p_above) = (
            limits_and_pvalue(difference, float(np.sqrt(variance)), self.alternative, self.level, freedom)
            for variance, freedom in (below, above)
        )
        (variance, freedom), pvalue = (below, p_below) if difference > 0 else (above, p_above)  # on the side of zero
        error = float(np.sqrt(variance))
        seen = self.covariance.variance(pair_contrasts(len(self.estimates), [pair])[0])
        if self.margin is not None:
            pvalue = self._beyond_margin(difference, below, above)
        # How far apart two values can be: 1 for ω.
        largest = max(one.best, other.best) - min(one.worst, other.worst)
        return Comparison(
            difference=difference,
            low=max(min(low, difference - joint * error), -largest),
            high=min(max(high, difference + joint * error), largest),
            standard_error=error if seen < _NONE_SEEN else float(np.sqrt(seen)),
            statistic=difference / error,
            degrees_of_freedom=freedom,
            pvalue=pvalue,
            adjusted_pvalue=pvalue,
            alternative=self.alternative,
            confidence_level=self.level,
            estimate_a=one.value,
            estimate_b=other.value,
            phi=one.name,
            paired=self.paired,
            within_strata=self.within_strata,
            names=names,
            margin=self.margin,
            note="; ".join(notes),
        )

    def _beyond_margin(self, difference: float, below: tuple[float, float], above: tuple[float, float]) -> float:
        """The p-value of a difference of the margin or more, on the side of the alternative or on either."""
        assert self.margin is not None
        sides = {"greater": (self.margin, *below), "less": (-self.margin, *above)}
        if self.alternative != "two-sided":
            sides = {self.alternative: sides[self.alternative]}
        return max(
            limits_and_pvalue(difference + shift, float(np.sqrt(variance)), side, self.level, freedom)[2]
            for side, (shift, variance, freedom) in sides.items()
        )


def _notes(one: MetricEstimate, other: MetricEstimate, paired: bool) -> list[str]:
    a, b = one.ranking, other.ranking
    notes = []
    fewest = min(a.n_pos, a.n_neg, b.n_pos, b.n_neg)
    if fewest < 10:
        notes.append(f"only {fewest:g} in a class: the test may not hold its level")
    if paired and isinstance(a.phi, Dcg):
        notes.append("dcg: a scorer whose rare losses were not seen looks better, and is found to be so too often")
    if one.name != "auc" and not paired and abs(a.n_pos * b.n_neg - b.n_pos * a.n_neg) > 1e-9 * a.n_pos * b.n_neg:
        notes.append(f"the lists differ in their share of positives, on which {wording.statistic(one.name)} depends")
    return notes
