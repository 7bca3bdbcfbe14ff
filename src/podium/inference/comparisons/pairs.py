"""Pairs of scorers on a common scale: t, limits and p-values, for one pair or for all together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from podium._results import wording
from podium._types import Array, FloatArray
from podium.inference.comparisons.result import Comparison, Comparisons
from podium.inference.comparisons.scale import Scale
from podium.inference.comparisons.simultaneous import max_t_quantile, omnibus, pair_contrasts
from podium.inference.intervals.limits import limits_and_pvalue, student_quantile
from podium.inference.lists.covariance import Covariance
from podium.inference.top.estimate import MetricEstimate


@dataclass(frozen=True, eq=False)
class Question:
    """Scorers and the covariance of their estimates."""

    estimates: Sequence[MetricEstimate]
    plain: Covariance
    alternative: str
    level: float
    paired: bool = True
    within_strata: bool = False

    @cached_property
    def scale(self) -> Scale:
        return Scale.of(self.estimates)

    @cached_property
    def covariance(self) -> Covariance:
        """On the scale of the comparison."""
        return self.plain.scaled(np.array([self.scale.slope(estimate.value) for estimate in self.estimates]))

    def all_pairs(self, names: Sequence[str]) -> Comparison | Comparisons:
        chosen = list(combinations(range(len(names)), 2))
        contrasts = pair_contrasts(len(names), chosen)
        if len(chosen) == 1:
            return self._pair((0, 1), contrasts[0], (names[0], names[1]))
        freedom = min(self.covariance.degrees_of_freedom(contrast[None]) for contrast in contrasts)
        joint = max_t_quantile(self.covariance, contrasts, freedom, self.level, self.alternative)
        pairs = [
            self._pair(pair, contrast, (names[pair[0]], names[pair[1]]), joint)
            for pair, contrast in zip(chosen, contrasts, strict=True)
        ]
        statistic, pvalue = omnibus(np.array([self.scale.value(e.value) for e in self.estimates]), self.covariance)
        return Comparisons(pairs=_holm(pairs), omnibus_statistic=statistic, omnibus_pvalue=pvalue)

    def _pair(
        self, pair: tuple[int, int], contrast: FloatArray, names: tuple[str, str], joint: float = 0.0
    ) -> Comparison:
        """One pair, with limits that reach ``joint`` standard errors at least."""
        one, other = (self.estimates[i] for i in pair)
        scale, notes = self.scale, _notes(one, other, self.paired)
        plain, variance = self.plain.variance(contrast), self.covariance.variance(contrast)
        freedom = self.covariance.degrees_of_freedom(contrast[None])
        if plain < 1e-24:
            plain = variance = sum(estimate.unseen_variance(self.level) for estimate in (one, other))
            scale = replace(scale, by_logit=False)
            notes.append("no variation was seen: the standard error is that of pseudo-event limits")
        delta, error = scale.value(one.value) - scale.value(other.value), float(np.sqrt(variance))
        low, high, pvalue = limits_and_pvalue(delta, error, self.alternative, self.level, freedom)
        side = self.level if self.alternative == "two-sided" else 2 * self.level - 1
        wider = max(joint / student_quantile(side, freedom), 1.0) if side > 0 else 1.0
        ends = delta + wider * (np.array([low, high]) - delta)
        low, high = (float(end) for end in scale.difference(ends, one.value, other.value))
        return Comparison(
            difference=one.value - other.value,
            low=low,
            high=high,
            standard_error=float(np.sqrt(plain)),
            statistic=delta / error,
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


def _holm(pairs: list[Comparison]) -> tuple[Comparison, ...]:
    """p-values adjusted by Holm's method: the k-th smallest of K times K − k + 1, made nondecreasing."""
    raw: FloatArray = np.array([pair.pvalue for pair in pairs])
    order: Array = np.argsort(raw)
    adjusted = np.empty(len(raw))
    adjusted[order] = np.maximum.accumulate(raw[order] * np.arange(len(raw), 0, -1)).clip(max=1.0)
    return tuple(replace(pair, adjusted_pvalue=float(p)) for pair, p in zip(pairs, adjusted, strict=True))
