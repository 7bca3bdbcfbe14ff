"""What to expect at every budget that the slider offers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._progress import report_progress
from podium._types import FloatArray, Sample
from podium.inference.curves.hits import TopOfList
from podium.roc import RocCurve

# Round numbers, ten to a decade: close enough for a slider, easy to say.
_ROUND = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)


@dataclass(frozen=True)
class Row:
    """Hits among the first ``budget`` of a list as long as the population, and where that cuts the hold-out rows."""

    budget: int
    hits: float
    low: int
    high: int
    random_hits: float
    positives: float
    threshold: float
    fpr: float
    tpr: float

    def per_budget(self, hits: float) -> float:
        """Precision."""
        return hits / self.budget

    def per_positive(self, hits: float) -> float:
        """Recall."""
        return min(hits / self.positives, 1.0)

    def per_random(self, hits: float) -> float:
        """Lift."""
        return hits / self.random_hits


@dataclass(frozen=True)
class RankedList:
    """The hold-out rows and the list they speak for: as many rows as the population, the same share of positives."""

    sample: Sample
    curve: RocCurve
    population: int
    level: float

    @classmethod
    def of(cls, y_true: npt.ArrayLike, y_score: npt.ArrayLike, population: int | None, level: float) -> RankedList:
        """From labels and scores; the population is as long as these unless given."""
        sample = _input.check_sample(y_true, y_score)
        n_list = len(sample.scores) if population is None else _input.check_integer("population", population, 1)
        return cls(sample, RocCurve.from_scores(sample.is_positive, sample.scores), n_list, level)

    @property
    def n_rows(self) -> int:
        return len(self.sample.scores)

    @cached_property
    def n_pos(self) -> int:
        return int(self.sample.is_positive.sum())

    @cached_property
    def top(self) -> TopOfList:
        return TopOfList.of(self.sample)

    @property
    def least(self) -> int:
        """The least budget that at least one hold-out row stands for; below it next to nothing is known."""
        return -(-self.population // self.n_rows)

    @cached_property
    def shares(self) -> FloatArray:
        """Share of the list above each threshold of the curve."""
        return (self.n_pos * self.curve.tpr + (self.n_rows - self.n_pos) * self.curve.fpr) / self.n_rows

    def row(self, budget: int) -> Row:
        r"""Hits to expect among the first ``budget`` of the next list.

        The range of `podium.inference.precision_at_interval` is for a list as long as the hold-out, whose hits vary as
        much as the estimate does: twice one variance. A list of N rows instead of n has n/N of that variance relative
        to its length, so that the distance to the limits shrinks or grows by :math:`\sqrt{(1 + n/N)/2}`.
        """
        k = min(max(1, round(budget * self.n_rows / self.population)), self.n_rows)
        found = self.top.interval(k, self.level)
        stretch = np.sqrt((1 + self.n_rows / self.population) / 2)
        low, high = (
            budget / k * (found.estimate + stretch * (limit - found.estimate)) for limit in (found.low, found.high)
        )
        positives = self.n_pos * self.population / self.n_rows
        most = min(budget, int(np.ceil(positives)))
        # Where the range for k rows excludes nothing on one side, there is no distance to shrink.
        if found.low == 0:
            low = 0.0
        if found.high == min(k, self.n_pos):
            high = float(most)
        share = budget / self.population
        # Rows that tie at the cut are all above the threshold shown; the curve is cut where the budget ends.
        at = int(np.searchsorted(self.shares, share - 1e-12))
        return Row(
            budget=budget,
            hits=budget / k * found.estimate,
            low=max(0, int(np.floor(low + 1e-9))),
            high=min(most, int(np.ceil(high - 1e-9))),
            random_hits=positives * share,
            positives=positives,
            threshold=float(self.curve.thresholds[max(at, 1)]),
            fpr=float(np.interp(share, self.shares, self.curve.fpr)),
            tpr=float(np.interp(share, self.shares, self.curve.tpr)),
        )

    def rows(self, budget: int) -> list[Row]:
        """One row per budget of the slider: round numbers up to the whole list, and the one asked for."""
        rounds = {int(d * 10**e) for e in range(len(str(self.population))) for d in _ROUND if d * 10**e % 1 == 0}
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
