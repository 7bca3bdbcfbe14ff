"""Pairs of scorers: t, limits and p-values, for one pair or for all together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from podium._results import wording
from podium.inference.comparisons.result import Comparison, Comparisons
from podium.inference.comparisons.simultaneous import max_t_quantile, omnibus, pair_contrasts
from podium.inference.intervals.limits import limits_and_pvalue
from podium.inference.lists.covariance import Covariance
from podium.inference.testing.holm import holm
from podium.inference.top.estimate import MetricEstimate


@dataclass(frozen=True, eq=False)
class Question:
    """Scorers and the covariance of their estimates."""

    estimates: Sequence[MetricEstimate]
    covariance: Covariance
    alternative: str
    level: float
    paired: bool = True
    within_strata: bool = False

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

    def _pair(self, pair: tuple[int, int], names: tuple[str, str], joint: float = 0.0) -> Comparison:
        """One pair, with limits that reach ``joint`` standard errors at least."""
        one, other = (self.estimates[i] for i in pair)
        contrast, notes = pair_contrasts(len(self.estimates), [pair]), _notes(one, other, self.paired)
        variance = self.covariance.variance(contrast[0])
        freedom = self.covariance.degrees_of_freedom(contrast)
        if variance < 1e-24:
            variance = sum(estimate.unseen_variance(self.level) for estimate in (one, other))
            notes.append("no variation was seen: the standard error is that of pseudo-event limits")
        difference, error = one.value - other.value, float(np.sqrt(variance))
        low, high, pvalue = limits_and_pvalue(difference, error, self.alternative, self.level, freedom)
        # How far apart two values can be: 1 for ω.
        largest = max(one.best, other.best) - min(one.worst, other.worst)
        return Comparison(
            difference=difference,
            low=max(min(low, difference - joint * error), -largest),
            high=min(max(high, difference + joint * error), largest),
            standard_error=error,
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
    if one.name != "auc" and not paired and abs(a.n_pos * b.n_neg - b.n_pos * a.n_neg) > 1e-9 * a.n_pos * b.n_neg:
        notes.append(f"the lists differ in their share of positives, on which {wording.statistic(one.name)} depends")
    return notes
