"""Comparisons: the list with the score in use today, and groups of rows with each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy
from scipy.special import stdtrit

from podium import _input
from podium._shares import counted, wilson
from podium._types import Array, BoolArray, FloatArray, Sample
from podium.columns.number import FEWEST_ROWS
from podium.exceptions import DegenerateSampleError, InputError
from podium.inference import CalibrationSummary, by_group, calibration_by_group, compare
from podium.inference.calibration import summary_of
from podium.inference.hits.per_period import PeriodLists
from podium.report.budgets import RankedList

_FEWEST = 2  # rows of each class in a group of which anything is said
_MOST = 20  # groups


class Baseline(NamedTuple):
    """Hits of another score at the budget, and how many more this list has, with limits."""

    name: str
    hits: float
    more: float
    low: float
    high: float
    pvalue: float

    def without_limits(self) -> Baseline:
        return self._replace(low=np.nan, high=np.nan, pvalue=np.nan)


class Slice(NamedTuple):
    """Rows with one value of a column: their AUC, the share selected at the budget, expected hits in the next list."""

    value: str
    n_rows: int
    n_pos: int
    positive_share: float
    auc: float
    auc_low: float
    auc_high: float
    chosen: float
    chosen_low: float
    chosen_high: float
    hits: float


class Slices(NamedTuple):
    """Results by the values of a column, none unless two have enough rows; intervals of one kind hold together."""

    name: str
    rows: list[Slice]
    pvalue: float
    left_out: int

    @property
    def too_few(self) -> str:
        """What to say if there are no rows."""
        return (
            f"{self.name}: groups need two values with {_FEWEST} rows (or units) of each class; none or one of its "
            f"{self.left_out:,} values has so many. Name a column with a few values, such as sex or region."
        )

    def without_limits(self) -> Slices:
        nothing: Any = dict.fromkeys(("auc_low", "auc_high", "chosen_low", "chosen_high"), np.nan)
        return self._replace(rows=[one._replace(**nothing) for one in self.rows], pvalue=np.nan)


def against(ranked: RankedList, budget: int, clusters: Array | None, name: str, scores: npt.ArrayLike) -> Baseline:
    """Compare hits at the budget with another score of the same rows (larger is more positive)."""
    other = _input.check_scores(scores, f"the baseline {name!r}")
    if len(other) != ranked.n_rows:
        raise InputError(f"A baseline needs one score for each of the {ranked.n_rows:,} rows; got {len(other):,}.")
    if ranked.lists is not None:
        return _by_list(ranked.lists, other, budget, ranked.level, name)
    sample = ranked.sample
    total = ranked.n_rows if sample.weight is None else float(sample.weight.sum())
    k = max(1, round(budget / ranked.population * total))  # in units of weight
    comparison: Any = compare(
        sample.is_positive,
        {"this": sample.scores, "that": other},
        metric=f"precision-at:{k}",
        confidence_level=ranked.level,
        sample_weight=sample.weight,
        groups=clusters,
    )
    return Baseline(
        name=name,
        hits=budget * comparison.estimate_b,
        more=budget * comparison.difference,
        low=budget * comparison.low,
        high=budget * comparison.high,
        pvalue=comparison.pvalue,
    )


def _by_list(lists: PeriodLists, other: FloatArray, budget: int, level: float, name: str) -> Baseline:
    """The same by the mean of the differences of all lists, with Student's t."""
    theirs = replace(lists, sample=replace(lists.sample, scores=other)).hits(budget)
    test = scipy.stats.ttest_rel(lists.hits(budget), theirs)
    low, high = test.confidence_interval(level)
    more = float((lists.hits(budget) - theirs).mean())
    if not np.isfinite(test.pvalue):  # the same difference in every list
        return Baseline(name, float(theirs.mean()), more, more, more, 0.0 if more else 1.0)
    return Baseline(name, float(theirs.mean()), more, float(low), float(high), float(test.pvalue))


def slices(
    ranked: RankedList, budget: int, clusters: Array | None, columns: Mapping[str, npt.ArrayLike]
) -> list[Slices]:
    """Results for each column, for values with enough rows of both classes."""
    return [_slices(ranked, budget, clusters, name, np.asarray(values)) for name, values in columns.items()]


def _slices(ranked: RankedList, budget: int, clusters: Array | None, name: str, values: Array) -> Slices:
    y, scores = ranked.sample.is_positive, ranked.sample.scores
    words = values.astype(str)
    weight = np.ones(len(y)) if ranked.sample.weight is None else ranked.sample.weight
    units = np.arange(len(y)) if clusters is None else clusters
    counted = {word: words == word for word in np.unique(words)}
    large = {
        word: int(own.sum())
        for word, own in counted.items()
        if own.sum() >= FEWEST_ROWS and all(_is_enough(own & of_class, weight, units) for of_class in (y, ~y))
    }
    kept = sorted(large, key=lambda word: -large[word])[:_MOST]
    if len(kept) < 2:
        return Slices(name, [], np.nan, len(counted))
    rows = np.isin(words, kept)
    groups = by_group(
        y[rows],
        scores[rows],
        words[rows],
        confidence_level=ranked.level,
        sample_weight=None if ranked.sample.weight is None else weight[rows],
        groups=None if clusters is None else clusters[rows],
    )
    chosen = _chosen(scores, weight, budget / ranked.population)
    level = 1 - (1 - ranked.level) / len(kept)  # Bonferroni: all shares hold together
    shown = []
    for word in kept:
        own = counted[word]
        share = share_limits(chosen[own], weight[own], units[own], level)
        hits = (
            float(weight[own & y] @ chosen[own & y]) * ranked.population / weight.sum()
        )  # in the unit of the headline
        positive = float(np.average(y[own], weights=weight[own]))
        auc = groups[word]
        limits = auc.estimate, auc.low, auc.high
        shown.append(Slice(word, int(own.sum()), int(y[own].sum()), positive, *limits, *share, hits))
    return Slices(name, shown, groups.within_pvalue, len(counted) - len(kept))


def calibrated(
    ranked: RankedList, chances: FloatArray, shown: Sequence[Slices], columns: Mapping[str, npt.ArrayLike]
) -> list[tuple[str, CalibrationSummary]]:
    """Calibration of all rows, and of the values shown of each column, whose limits hold together."""
    y, level = ranked.sample.is_positive, ranked.level
    found = [("All rows", summary_of(Sample(chances, y), level))]
    for one in shown:
        words = np.asarray(columns[one.name]).astype(str)
        rows = np.isin(words, [row.value for row in one.rows])
        with suppress(DegenerateSampleError, InputError):  # of values that all have one probability, say
            groups = calibration_by_group(y[rows], chances[rows], words[rows], confidence_level=level)
            found += [(f"{one.name} = {each.group}", each.summary) for each in groups]
    return found


def _is_enough(rows: BoolArray, weight: FloatArray, units: Array) -> bool:
    """Whether rows of a class in a group are worth two, and of two units."""
    return bool(weight[rows].sum() >= _FEWEST) and len(np.unique(units[rows])) >= _FEWEST


def _chosen(scores: FloatArray, weight: FloatArray, share: float) -> FloatArray:
    """Which part of each row is in the best share of the list: one above the cut, of rows that tie there a part."""
    order = np.argsort(-scores, kind="stable")
    wanted = share * weight.sum()
    cut = scores[order][min(int(np.searchsorted(np.cumsum(weight[order]), wanted)), len(order) - 1)]
    above, tied = scores > cut, scores == cut
    return np.clip(above + tied * ((wanted - weight[above].sum()) / weight[tied].sum()), 0.0, 1.0)


def share_limits(chosen: FloatArray, weight: FloatArray, units: Array, level: float) -> tuple[float, float, float]:
    """The weighted share of what is chosen, and Wilson's limits for as many independent rows as it is worth.

    That is, so many as would give a share the variance that it has by the sums of its units, at most (Σw)²/Σw².
    """
    share = float(np.average(chosen, weights=weight))
    worth = counted(weight, len(weight)).sum()
    code = np.unique(units, return_inverse=True)[1]
    sums = np.bincount(code, weight * (chosen - share)) / weight.sum()
    n_units = len(sums)
    variance = float(sums @ sums) * n_units / max(n_units - 1, 1)
    worth = min(worth, share * (1 - share) / variance if variance > 0 else n_units)  # none or all: units by the count
    t = float(stdtrit(max(n_units - 1, 1), (1 + level) / 2))
    low, high = wilson(share * worth, worth, t)
    return share, float(max(0.0, min(low, share))), float(min(1.0, max(high, share)))
