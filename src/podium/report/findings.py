"""Everything the report says, computed once: scores and labels in, results of `podium.inference` out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._progress import subtask
from podium._results.doubts import Doubt, removed
from podium._types import Array, BoolArray, FloatArray, Sample
from podium.exceptions import DegenerateSampleError, InputError
from podium.inference import Certificate, Comparison, Interval, RocBand, compare, interval
from podium.inference.certificates import Seen, certificate_of
from podium.inference.curves.bands import band_of_groups
from podium.inference.hits.new_draw import Prediction
from podium.inference.intervals.interval import interval_of
from podium.inference.intervals.methods import IntervalRequest
from podium.inference.lists.ranking import Ranking
from podium.phi import EarlyRecognition, Mww, Phi, Power, for_budget, resolve
from podium.plots import ScoreDisplay
from podium.rankers.calibration.curves import Reliability, reliability
from podium.report.budgets import RankedList, Row, budget_of
from podium.report.periods import Period, blocks_of, changes, periods

_FEWEST = 20  # rows of a class that chances can be told from


@dataclass(frozen=True)
class Candidate:
    """One of several scorers, its quality, and its comparison with the best one (None: it is the best)."""

    name: str
    quality: Interval
    best_less_this: Comparison | None
    shown_here: bool


@dataclass(frozen=True)
class Findings:
    """Results for the page."""

    ranked: RankedList
    budget: Row
    rows: list[Row]
    band: RocBand | None
    statistics: list[tuple[Phi, Interval]]
    certificates: list[Certificate]
    candidates: list[Candidate]
    scores: ScoreDisplay
    periods: list[Period]
    doubts: list[Doubt]
    removed: frozenset[str]  # statements that doubts, or ties between rows, leave out
    reliability: Reliability | None
    is_independent: bool  # whether rows are, and have no weights
    distinct: Prediction | None  # units found in a list

    def holds(self, statement: str) -> bool:
        """Whether the page makes a statement, one of `podium._results.doubts.STATEMENTS`."""
        return statement not in self.removed

    @property
    def phi(self) -> Phi:
        """The φ of the user, which comes first."""
        return self.statistics[0][0]


@dataclass(frozen=True, kw_only=True)
class Judged:
    """Held-out rows: checked labels and scores, and the dependence between rows.

    Where scores are of several models, ``of_fixed`` says which rows one of them judges, and ``fixed`` has its scores.
    ``clusters`` are the units of dependent rows, ``time`` their timestamps, ``lists`` how often a list is made and that
    of each row, ``doubts`` what speaks against that they are independent draws from the population of future rows.
    """

    sample: Sample
    clusters: Array | None = None
    fixed: Sample | None = None
    of_fixed: BoolArray | None = None
    time: Array | None = None
    lists: tuple[str, Array] | None = None
    doubts: Sequence[Doubt] = ()

    @property
    def options(self) -> list[str]:
        """By what rows are tied together or weighted, in the words of `podium._results.doubts.OPTIONS`."""
        ties = {"time": self.time, "group": self.clusters, "weight": self.sample.weight, "every": self.lists}
        return [name for name, tie in ties.items() if tie is not None]


def findings(
    judged: Judged,
    phi: Phi | str,
    budget: int | None,
    population: int | None,
    prevalence: float | None,
    candidates: Mapping[str, npt.ArrayLike],
    level: float,
) -> Findings:
    """Compute them; the rows are checked already."""
    clusters, is_positive, scores = judged.clusters, judged.sample.is_positive, judged.sample.scores
    chosen = resolve(phi)
    n_pos, n_neg = int(is_positive.sum()), int((~is_positive).sum())
    if min(n_pos, n_neg) < 2:
        raise DegenerateSampleError(
            f"A report needs at least two positives and two negatives; got {n_pos} positive and {n_neg} negative.",
            "hold out more rows: with one of a class nothing can be said on chance.",
        )
    if judged.time is not None:
        clusters = blocks_of(judged.time, is_positive)  # what changes from one to the next is not known better
    elif judged.lists is not None:
        clusters = judged.lists[1]
    gone = removed(judged.doubts, judged.options)
    is_certain = "at least" not in gone
    ranked = RankedList.of(
        judged.sample, population, level, prevalence, clusters, is_certain, judged.lists, judged.fixed
    )
    sample = ranked.sample  # by place, where there are several lists
    k = budget_of(budget, ranked.population)
    with subtask(0, 3):
        rows = [row.without_range() if "range" in gone else row for row in ranked.rows(k)]
    ranking = Ranking(sample, chosen)
    with subtask(1, 3):
        band = band_of_groups(ranking.ties, confidence_level=level) if "band" not in gone else None
    # The same φ is listed once: some coincide where the budget is the whole list.
    several = dict.fromkeys(
        [chosen, Mww(), Power(3), EarlyRecognition(20), for_budget(max(k, ranked.least), ranked.population)]
    )
    certified = dict.fromkeys([chosen, Mww()] if "certificate" not in gone else [])
    distinct = None
    if ranked.lists is not None and judged.clusters is not None:
        distinct = ranked.lists.units_found(k, judged.clusters, level)
    in_time, changed = _over_time(judged, clusters, ranked, k)
    doubts = [*judged.doubts, *changed]
    gone |= removed(changed)
    says_chances = min(n_pos, n_neg) >= _FEWEST and prevalence is None and "probability" not in gone
    statistics = [(one, interval_of(IntervalRequest(ranking.with_phi(one), level, clusters))) for one in several]
    return Findings(
        ranked=ranked,
        budget=next(row for row in rows if row.budget == k),
        rows=rows,
        band=band,
        statistics=[(phi, _limited(one, gone)) for phi, one in statistics],
        certificates=[certificate_of(Seen.of(ranked.guarding, one), one, level) for one in certified],
        candidates=[
            _candidate_limited(one, gone) for one in _ranked(ranked, judged.of_fixed, candidates, chosen, level)
        ],
        scores=ScoreDisplay.from_scores(is_positive, _without_far_tails(scores), n_bins=50),
        periods=in_time,
        doubts=doubts,
        removed=gone,
        reliability=reliability(is_positive, scores) if says_chances else None,
        is_independent=not judged.options,
        distinct=distinct,
    )


def _limited(one: Interval, gone: frozenset[str]) -> Interval:
    """Without its limits, if intervals do not stand."""
    return replace(one, low=np.nan, high=np.nan, standard_error=None) if "interval" in gone else one


def _candidate_limited(one: Candidate, gone: frozenset[str]) -> Candidate:
    """Without limits of its quality, and of its distance to the best."""
    gap = one.best_less_this
    if gap is not None and "comparison" in gone:
        nothing: Any = dict.fromkeys(
            ("low", "high", "standard_error", "statistic", "pvalue", "adjusted_pvalue"), np.nan
        )
        gap = replace(gap, **nothing)
    return replace(one, quality=_limited(one.quality, gone), best_less_this=gap)


def _over_time(judged: Judged, blocks: Array | None, ranked: RankedList, k: int) -> tuple[list[Period], list[Doubt]]:
    """The periods, and a doubt if they differ significantly."""
    if judged.time is None or blocks is None:
        return [], []
    share = k / ranked.population
    by_period = periods(ranked.sample, judged.time, blocks, share, ranked.level)
    contributions = ranked.next_list.contributions(share * ranked.next_list.n_rows)
    return by_period, changes(ranked.sample, judged.time, by_period, contributions)


def _ranked(
    ranked: RankedList,
    of_fixed: BoolArray | None,
    candidates: Mapping[str, npt.ArrayLike],
    phi: Phi,
    level: float,
) -> list[Candidate]:
    """Best first; p-values are adjusted by Holm over all pairs, so they remain valid after choosing the best."""
    sample, clusters = (ranked.sample if ranked.lists is not None else ranked.guarding), ranked.clusters
    if clusters is not None and of_fixed is not None:
        clusters = clusters[of_fixed]
    y = sample.is_positive
    checked = {
        str(name): _input.check_scores(scores, f"candidate {str(name)!r}") for name, scores in candidates.items()
    }
    for name, scores in checked.items():
        if len(scores) != len(y):
            raise InputError(
                f"A candidate needs one score for each of the {len(y):,} rows; candidate {name!r} has {len(scores):,}."
            )
    if ranked.lists is not None:
        checked = {name: ranked.lists.by_place(scores) for name, scores in checked.items()}
    settings: Any = {"confidence_level": level, "sample_weight": sample.weight, "groups": clusters}
    quality = {name: interval(y, scores, phi, **settings) for name, scores in checked.items()}
    order = sorted(checked, key=lambda name: -quality[name].estimate)
    against: dict[str, Comparison] = {}
    if len(order) > 1:
        compared: Any = compare(y, {name: checked[name] for name in order}, phi=phi, **settings)
        pairs = getattr(compared, "pairs", (compared,))
        against = {pair.names[1]: pair for pair in pairs if pair.names[0] == order[0]}
    return [
        Candidate(name, quality[name], against.get(name), np.array_equal(checked[name], sample.scores))
        for name in order
    ]


def _without_far_tails(scores: Array) -> FloatArray:
    """Scores with a few far outliers pulled in: otherwise the histogram is one bar."""
    values = np.clip(scores.astype(np.float64), -1e300, 1e300)  # their range must be a number, too,
    values[np.abs(values) < 1e-290] = 0.0  # and one over the width of a bar
    low, high = np.quantile(values, [0.001, 0.999])
    return np.clip(values, low, high) if np.ptp(values) > 3 * (high - low) > 0 else values
