"""Where to cut the list: results at every budget of the slider, and goals with the guarantees that rows allow."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy
from scipy.special import betaincinv

from podium import _input, shortlist
from podium._progress import report_progress
from podium._types import Array, FloatArray, Sample
from podium.exceptions import DegenerateSampleError, InputError
from podium.inference.hits.lower_bound import FewestHits
from podium.inference.hits.new_draw import NewDraw
from podium.inference.hits.per_period import PeriodLists
from podium.report.wording import count
from podium.roc import RocCurve
from podium.shortlist import Shortlist

_LONG = 5000  # rows of a list whose number above a cutoff is not looked for one by one
_OF_OTHER_MODELS = 2  # what a row counts less where only other models have scored it: benchmarks/coverage_headline.py
ROUND = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)  # ten to a decade: close enough for a slider, easy to say


@dataclass(frozen=True)
class Row:
    """Expected results in the first ``budget`` rows of the next list, and the cutoff on the held-out rows.

    ``hits`` and ``recall`` are (expected, low, high), the latter two NaN where no range is given; ``guaranteed`` is a
    lower bound on the hits, or None. ``selected`` are limits for how many rows of the next list are at or above the
    cutoff; None if there are many lists.
    """

    budget: int
    hits: tuple[float, float, float]
    recall: tuple[float, float, float]
    guaranteed: int | None
    random_hits: float
    threshold: float
    fpr: float
    tpr: float
    share: float  # of the list
    stand_for: float  # judged rows that stand for these
    selected: tuple[int, int] | None = None

    @property
    def says_something(self) -> bool:
        """Whether the range of hits excludes any possible number: with a handful of rows it often does not."""
        _, low, high = self.hits
        return not (low <= 0 and high >= self.budget)

    @property
    def has_range(self) -> bool:
        return not np.isnan(self.hits[1])

    def without_range(self) -> Row:
        """Expected values alone, unless nothing is excluded: that remains true."""
        if not self.says_something:
            return self
        return replace(self, hits=(self.hits[0], np.nan, np.nan), recall=(self.recall[0], np.nan, np.nan))

    @property
    def precision(self) -> tuple[float, float, float]:
        hits, low, high = self.hits
        return hits / self.budget, low / self.budget, high / self.budget

    @property
    def lift(self) -> tuple[float, float, float]:
        """Hits relative to random order of the same list, whose recall is the share inspected."""
        recall, low, high = self.recall
        return recall / self.share, low / self.share, high / self.share


@dataclass(frozen=True)
class RankedList:
    """The held-out rows, and the length of the list from the same source they are used to predict.

    ``fixed`` are those that one model has scored which saw none of them, by its own scores, where the sample has scores
    of several models: guarantees hold for it alone.
    """

    sample: Sample
    curve: RocCurve
    population: int
    prevalence: float | None
    level: float
    clusters: Array | None = None
    is_certain: bool = True
    lists: PeriodLists | None = None
    each: str = ""
    fixed: Sample | None = None

    @classmethod
    def of(
        cls,
        sample: Sample,
        population: int | None,
        level: float,
        prevalence: float | None = None,
        clusters: Array | None = None,
        is_certain: bool = True,
        lists: tuple[str, Array] | None = None,
        fixed: Sample | None = None,
    ) -> RankedList:
        """The population is as long as the sample, with its share of positives, unless given.

        If there are several ``lists``, "a day" and the list of every row, it is as long as one of them, and a row's
        place in its own list takes the place of its score: in that order the first rows are those inspected.
        """
        if lists is not None:
            if population is not None or prevalence is not None:
                raise InputError("Several lists tell their length and prevalence; got population or prevalence.")
            each, list_of = lists
            several = PeriodLists.of(sample, list_of)
            own = replace(sample, scores=several.by_place(sample.scores))
            curve = RocCurve.of(own)
            return cls(own, curve, several.length, None, level, clusters, is_certain=False, lists=several, each=each)
        n_list = len(sample.scores) if population is None else _input.check_integer("population", population, 1)
        if prevalence is not None:
            _input.check_fraction("prevalence", prevalence)
        curve = RocCurve.of(sample)
        return cls(sample, curve, n_list, prevalence, level, clusters, is_certain, fixed=fixed)

    @property
    def n_rows(self) -> int:
        return len(self.sample.scores)

    @cached_property
    def n_pos(self) -> int:
        return int(self.sample.is_positive.sum())

    @property
    def positive_share(self) -> float:
        """Share of positives to expect in the list."""
        if self.prevalence is not None:
            return self.prevalence
        return float(np.average(self.sample.is_positive, weights=self.sample.weight))

    @cached_property
    def next_list(self) -> NewDraw:
        return NewDraw.of(self.sample, self.prevalence, self.clusters)

    @cached_property
    def guaranteed(self) -> FewestHits | None:
        """Simultaneous lower bounds on the hits at all budgets; None unless rows are independent draws from one source.

        They are not with another share of positives, dependent rows, weights, or a warning.
        """
        if self.prevalence is not None or not self.is_certain:
            return None
        return FewestHits.of_any_list(self.guarding, self.population, self.level)

    @property
    def is_cross_fitted(self) -> bool:
        """Whether several models have scored the rows."""
        return self.fixed is not None and len(self.fixed.scores) < self.n_rows

    @property
    def guarding(self) -> Sample:
        """The rows whose guarantees hold: all of one scorer."""
        return self.sample if self.fixed is None else self.fixed

    @property
    def least(self) -> int:
        """The smallest budget that corresponds to a held-out row; below it almost nothing is known."""
        return -(-self.population // self.n_rows)

    @cached_property
    def shares(self) -> FloatArray:
        """Share of the list above each threshold of the curve."""
        return self.positive_share * self.curve.tpr + (1 - self.positive_share) * self.curve.fpr

    def row(self, budget: int) -> Row:
        """What to expect among the first ``budget`` of the next list; `podium.inference.precision_at_interval`."""
        if self.lists is None:
            prediction = self.next_list.prediction(budget, self.population, self.level)
            recall = self.next_list.recall(budget, self.population, self.level)
        else:
            prediction, recall = self.lists.prediction(budget, self.level), self.lists.recall(budget, self.level)
        share = budget / self.population
        # Rows that tie at the cut are all above the threshold shown; the curve is cut where the budget ends.
        at = int(np.searchsorted(self.shares, share - 1e-12))
        cutoff = self.curve.thresholds[min(max(at, 1), len(self.shares) - 1)]
        return Row(
            budget=budget,
            hits=(prediction.estimate, prediction.low, prediction.high),
            recall=recall,
            guaranteed=None if self.guaranteed is None else int(self.guaranteed.at(budget)),
            random_hits=self.positive_share * budget if self.lists is None else self.lists.random_hits(budget),
            threshold=float(cutoff if self.lists is None else self.lists.cutoff(budget)),
            fpr=float(np.interp(share, self.shares, self.curve.fpr)),
            tpr=float(np.interp(share, self.shares, self.curve.tpr)),
            share=share,
            stand_for=share * self.n_rows,
            selected=None if self.lists is not None else self.selected(at),
        )

    def selected(self, at: int) -> tuple[int, int]:
        r"""Limits for the number of rows of the next list at or above a threshold of the curve.

        Of exchangeable rows without ties that number, of m, is beta-binomial: with r of n rows at or above it,
        :math:`\text{beta-binomial}(m, r, n + 1 - r)`. Clusters count as fewer rows, in both. Where the rows were scored
        by other models than the one that will be used, whose scale is then known through them alone, they count half.
        """
        m, share = self.population, float(self.shares[at])
        n = self.next_list.n_rows / (1 if self.fixed is None else _OF_OTHER_MODELS)
        inflation = self.next_list.inflation_of_share(share * self.next_list.n_rows)
        # As many rows as give the number the variance that it has: (m − 1)/(size + 1) = c (1 + (m − 1)/(n + 2)) − 1.
        size = n + 1 if inflation == 1 else max((m - 1) / (inflation * (1 + (m - 1) / (n + 2)) - 1) - 1, 1e-9)
        above = size * share * n / (n + 1)
        tails = np.array([1 - self.level, 1 + self.level]) / 2
        if m <= _LONG:
            low, high = scipy.stats.betabinom.ppf(tails, m, above, size - above)
        else:  # of a long list the beta law of the same variance, without a sum over all numbers
            worth = m * (size + 1) / (size + m) - 1
            low, high = np.round(m * betaincinv(worth * above / size, worth * (1 - above / size), tails))
        return int(low), int(high)

    def rows(self, budget: int) -> list[Row]:
        """One row per budget of the slider: round numbers up to the whole list, and the requested budget."""
        rounds = {int(d * 10**e) for e in range(len(str(self.population))) for d in ROUND if d * 10**e % 1 == 0}
        offered = {b for b in rounds if self.least <= b <= self.population} | {budget, self.population}
        rows = []
        for done, b in enumerate(sorted(offered)):
            report_progress(done / len(offered))
            rows.append(self.row(b))
        return rows


def budget_of(budget: int | None, population: int) -> int:
    """The budget as given, else a tenth of the list."""
    if budget is None:
        return max(1, round(population / 10))
    return _input.check_integer("budget", budget, 1, population, f"the list has {population:,} rows.")


@dataclass(frozen=True)
class Cut:
    """A goal, its guarantee, the approximate number of rows it takes in the next list, and the option for it."""

    question: str
    promise: str
    rows: str
    option: str


def cuts(ranked: RankedList) -> list[Cut]:
    """For independent rows; if the list has another share of positives, only what does not depend on it."""
    questions: list[tuple[str, str, Callable[..., Shortlist], float]] = [
        ("Miss hardly any positive", "recall", shortlist.by_recall, 0.95),
        ("Select few negatives", "fpr", shortlist.by_fpr, 0.05),
    ]
    if ranked.prevalence is None:
        questions.append(("Select mostly positives", "precision", shortlist.by_precision, 0.8))
    offered = [_cut(ranked, *one) for one in questions]
    if ranked.prevalence is None:
        promise = "The expected share of negatives among the selected rows is at most 10 %."
        offered.append(Cut("Have few negatives among the selected", promise, "depends on the list", "--fdr 0.1"))
    return offered


def _cut(ranked: RankedList, question: str, name: str, find: Callable[..., Shortlist], rate: float) -> Cut:
    sample = ranked.guarding
    option = f"--{name} {rate:g}"
    try:
        cut = find(sample.is_positive, sample.scores, confidence_level=ranked.level, **{name: rate})
    except DegenerateSampleError as error:
        return Cut(question, str(error).partition("\n")[0], "–", option)
    tpr, fpr = (np.mean(sample.scores[rows] >= cut.threshold) for rows in (sample.is_positive, ~sample.is_positive))
    share = ranked.positive_share * tpr + (1 - ranked.positive_share) * fpr
    rows = "none" if cut.threshold == np.inf else count(float(share * ranked.population))
    promise = cut.guarantee
    if ranked.fixed is not None:  # whose scores the final model does not give
        promise = re.sub(r"(the )?rows that score \S+ or more", "the selected rows", promise)
    return Cut(question, promise, rows, option)
