"""Pairs of scorers: t, limits and p-values, for one pair or for all together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from podium._results import wording
from podium.inference.comparisons.independent import Errors
from podium.inference.comparisons.result import Comparison, Comparisons
from podium.inference.comparisons.simultaneous import max_t_quantile, omnibus, pair_contrasts
from podium.inference.intervals.limits import limits_and_pvalue
from podium.inference.lists.covariance import Covariance
from podium.inference.testing.holm import holm
from podium.inference.top.estimate import MetricEstimate
from podium.phi import Dcg


@dataclass(frozen=True, eq=False)
class Question:
    """Scorers and the covariance of their estimates.

    ``errors`` of unpaired lists are their standard errors down and up, by the limits of each list.
    """

    estimates: Sequence[MetricEstimate]
    covariance: Covariance
    alternative: str
    level: float
    errors: Errors | None = None
    within_strata: bool = False

    @property
    def paired(self) -> bool:
        return self.errors is None

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

    def _sides(self) -> tuple[Covariance, Covariance]:
        """For the lower and for the upper limit of a difference: a down and b up, and the other way round."""
        if self.errors is None:
            return self.covariance, self.covariance
        (a_down, b_down), (a_up, b_up) = self.errors
        one, other = np.array([a_down, b_up]), np.array([a_up, b_down])
        return self.covariance.with_errors(one), self.covariance.with_errors(other)

    def _pair(self, pair: tuple[int, int], names: tuple[str, str], joint: float = 0.0) -> Comparison:
        """One pair, with limits that reach ``joint`` standard errors at least."""
        one, other = (self.estimates[i] for i in pair)
        contrast, notes = pair_contrasts(len(self.estimates), [pair]), _notes(one, other, self.paired)
        below, above = ((cov.variance(contrast[0]), cov.degrees_of_freedom(contrast)) for cov in self._sides())
        if below[0] < 1e-24:
            unseen = sum(estimate.unseen_variance(self.level) for estimate in (one, other))
            below = above = unseen, below[1]
            notes.append("no variation was seen: the standard error is that of pseudo-event limits")
        difference = one.value - other.value
        (low, _, p_below), (_, high, p_above) = (
            limits_and_pvalue(difference, float(np.sqrt(variance)), self.alternative, self.level, freedom)
            for variance, freedom in (below, above)
        )
        (variance, freedom), pvalue = (below, p_below) if difference > 0 else (above, p_above)  # on the side of zero
        error, seen = float(np.sqrt(variance)), self.covariance.variance(contrast[0])
        # How far apart two values can be: 1 for ω.
        largest = max(one.best, other.best) - min(one.worst, other.worst)
        return Comparison(
            difference=difference,
            low=max(min(low, difference - joint * error), -largest),
            high=min(max(high, difference + joint * error), largest),
            standard_error=error if seen < 1e-24 else float(np.sqrt(seen)),
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
            note="; ".join(notes),
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
