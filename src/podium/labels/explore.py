r"""Which rows below the top to look at, so that few looks say what the whole list is like.

A look at row i tells :math:`c_i y_i` of an estimate whose slope in its label is :math:`c_i`. With a chance
:math:`p_i` of a positive its standard deviation is :math:`|c_i| \sqrt{p_i (1 - p_i)}`. Strata along the list with equal
sums of these, and equally many rows drawn from each, come near the best allocation (Dalenius and Hodges 1959).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from podium import _input
from podium._types import Array, BoolArray, FloatArray
from podium.labels.lists import RankedRows
from podium.labels.measures import Measure, first_rows, prevalence, rank_statistic
from podium.phi import Mww

AIMS = ("recall", "auc", "hits")  # what looks are to make known of the whole list
_MOST_STRATA = 10
_PER_STRATUM = 2  # rows drawn at least, for a variance
_ALIKE = 0.25  # of the looks go by the number of rows alone: predicted chances may be wrong


class StratifiedDraw(NamedTuple):
    """Rows in the order of a list, cut into strata; how many rows each holds, and how many are drawn from it."""

    n_rows: Array
    n_drawn: Array

    @property
    def inclusion(self) -> FloatArray:
        """The probability of each row to be drawn."""
        return np.repeat(self.n_drawn / self.n_rows, self.n_rows)

    def draw(self, rng: np.random.Generator) -> BoolArray:
        """From every stratum a simple random sample: whether each row was drawn."""
        parts = [rng.permutation(n) < drawn for n, drawn in zip(self.n_rows, self.n_drawn, strict=True)]
        return np.concatenate([np.zeros(0, dtype=np.bool_), *parts])


def strata(spread: FloatArray, n_drawn: int) -> StratifiedDraw:
    """Strata with equal sums of ``spread``, of which rows in the order of the list have each their own.

    None has fewer rows than are drawn from it; all rows are drawn where there are no more.
    """
    n_rows = len(spread)
    if n_drawn >= n_rows:
        whole = np.array([n_rows] if n_rows else [], dtype=np.intp)
        return StratifiedDraw(whole, whole)
    n_strata = max(1, min(n_drawn // _PER_STRATUM, _MOST_STRATA))
    drawn = n_drawn // n_strata + (np.arange(n_strata) < n_drawn % n_strata)
    upto = np.cumsum(_ALIKE * max(spread.mean(), 1e-300) + (1 - _ALIKE) * spread)
    ends = np.searchsorted(upto, upto[-1] * np.arange(1, n_strata) / n_strata, side="left") + 1
    least = np.cumsum(drawn)
    ends = np.append(ends, n_rows)
    for stratum in range(n_strata):
        first = ends[stratum - 1] if stratum else 0
        ends[stratum] = np.clip(ends[stratum], first + drawn[stratum], n_rows - (least[-1] - least[stratum]))
    return StratifiedDraw(np.diff(ends, prepend=0), drawn)


def measure(scores: FloatArray, aim: str, k: int) -> Measure:
    """The measure of a whole list that looks are to make known; recall among the first k rows."""
    _input.check_choice("explore_for", aim, AIMS)
    rows = RankedRows.by(scores)
    if aim == "auc":
        return rank_statistic(rows, Mww())
    return first_rows(rows, "recall-at", k) if aim == "recall" else prevalence(rows)


def spread(measure: Measure, chances: FloatArray) -> FloatArray:
    """The standard deviation of what each row's label adds to the measure, given the chances of a positive."""
    return np.asarray(np.abs(measure.slopes(chances)) * np.sqrt(chances * (1 - chances)))
