"""Measures of a list as functions of totals of its labels, and bounds on them where labels are missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from podium import _input
from podium._fast import lists
from podium._types import Array, FloatArray
from podium.exceptions import DegenerateSampleError
from podium.labels.lists import PartlyLabeled, RankedRows
from podium.phi import Mww, Phi
from podium.ranks.score_table import score_table


@dataclass(frozen=True, eq=False)
class Measure:
    r"""θ = f(Σ a_i y_i, Σ y_i): a measure of the labels y of a list whose scores are known.

    The worths a rise along the list, and f rises with its first argument in a straight line.
    """

    name: str
    n_rows: int
    worth: FloatArray  # of every entry
    value: Callable[[FloatArray, FloatArray], FloatArray]
    phi: Phi = field(default_factory=Mww)

    def at(self, labels: FloatArray) -> float:
        """Its value at the labels of every entry, which may be fractions, and of several rows together."""
        return float(self.value(self.worth @ labels, labels.sum()))

    def slopes(self, labels: FloatArray) -> FloatArray:
        """How much it rises with the label of each row."""
        total, n_pos = self.worth @ labels, labels.sum()
        unit = max(float(np.abs(self.worth).max()), 1e-300)
        by_worth = (self.value(total + unit, n_pos) - self.value(total, n_pos)) / unit
        step = min(0.5, n_pos / 2, (self.n_rows - n_pos) / 2)
        by_count = (self.value(total, n_pos + step) - self.value(total, n_pos - step)) / (2 * step)
        return np.asarray(by_worth * self.worth + by_count)

    def extremes(
        self, rows: PartlyLabeled, low: FloatArray | float = 0.0, high: FloatArray | float = 1.0
    ) -> list[FloatArray]:
        """Labels of all rows with the lowest and with the highest value, where unknown ones may be low to high.

        With any number of further positives, the value is lowest if they stand at the bottom, highest at the top: so it
        is enough to look at labels that are high up to some row and low from there on, or the other way.
        """
        known = np.where(rows.is_labeled, rows.is_positive, 0.0)
        unlabeled = rows.unlabeled_from_bottom
        ends = (rows.count * low)[unlabeled], (rows.count * high)[unlabeled]
        worth, found = self.worth[unlabeled], []
        for below, above, best in ((ends[1], ends[0], np.argmin), (*ends, np.argmax)):
            total, n_pos = (
                known @ weight + np.concatenate([[0.0], np.cumsum(part * (below - above))]) + part @ above
                for weight, part in ((self.worth, worth), (np.ones(len(known)), np.ones(len(worth))))
            )
            possible = np.flatnonzero((n_pos > 0) & (n_pos < rows.n_rows))
            if len(possible) == 0:
                raise DegenerateSampleError("A ranking is judged by pairs; all rows have the same label.")
            cut = possible[best(self.value(total[possible], n_pos[possible]))]
            labels = known.copy()
            labels[unlabeled] = np.where(np.arange(len(unlabeled)) < cut, below, above)
            found.append(labels)
        return found

    def bounds(self, rows: PartlyLabeled) -> tuple[float, float]:
        """The lowest and the highest value that labels of the rows without one could give."""
        lowest, highest = (self.at(labels) for labels in self.extremes(rows))
        return lowest, highest


def rank_statistic(rows: RankedRows, phi: Phi) -> Measure:
    """ω_φ: f is (W − W_min)/(W_max − W_min) of as many positives."""
    size = rows.n_rows
    bound, last = phi.bind(size), size - 1
    table = score_table(bound, size + 1)
    worth = lists.means(rows.below, rows.upto, table)[rows.group]
    scores = table[1:-1]
    first = _sums_of_line(scores) if bound.is_affine else _sums(scores)
    lowest = _sums_from(first, lambda i: scores[i], last)
    highest = _sums_from(lambda i: first(size) - first(size - i), lambda i: scores[last - i], last)

    def value(total: FloatArray, n_pos: FloatArray) -> FloatArray:
        low, high = lowest(n_pos), highest(n_pos)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((total - low) / (high - low))

    return Measure(str(phi), size, worth, value, phi)


def _sums(scores: FloatArray) -> Callable[[Any], FloatArray]:
    """Sums of so many first scores."""
    sums = np.concatenate([[0.0], np.cumsum(scores)])
    return lambda n: sums[n]


def _sums_of_line(scores: FloatArray) -> Callable[[Any], FloatArray]:
    """The same where scores rise in equal steps."""
    return lambda n: n * (scores[0] + scores[np.maximum(n - 1, 0)]) / 2


def _sums_from(
    sum_at: Callable[[Any], FloatArray], score_at: Callable[[Array], FloatArray], last: int
) -> Callable[[FloatArray], FloatArray]:
    """Sums of the first n scores, also of a fraction of the last one: as `podium.ranks.means` has it for weights."""

    def sum_of(n: FloatArray) -> FloatArray:
        whole = np.minimum(np.floor(n), last).astype(np.intp)
        part, here = n - whole, score_at(whole)
        after = score_at(np.minimum(whole + 1, last)) - here
        before = np.where(whole > 0, here - score_at(np.maximum(whole - 1, 0)), after)
        after = np.where(whole < last, after, before)
        rise = np.where(np.abs(before) < np.abs(after), before, after)
        return np.asarray(sum_at(whole) + here * part + rise * (part**2 - part) / 2)

    return sum_of


def among_first(rows: RankedRows, k: float) -> FloatArray:
    """Which rows are among the first k; of a tie group at the cut, by the share that is."""
    return np.asarray(np.clip((rows.upto - (rows.n_rows - k)) / (rows.upto - rows.below), 0.0, 1.0)[rows.group])


def first_rows(rows: RankedRows, name: str, k: int) -> Measure:
    """Precision, recall or lift among the first k rows."""
    size = rows.n_rows
    _input.check_integer("k", k, 1, size, f"the list has {size} rows.")
    value: Callable[[FloatArray, FloatArray], FloatArray] = {
        "precision-at": lambda hits, n_pos: hits / k + 0 * n_pos,
        "recall-at": lambda hits, n_pos: hits / n_pos,
        "lift-at": lambda hits, n_pos: hits / n_pos * (size / k),
    }[name]
    return Measure(f"{name}:{k}", size, among_first(rows, k), value)


def prevalence(rows: RankedRows) -> Measure:
    """The share of positives in the list."""
    return Measure(
        "prevalence", rows.n_rows, np.zeros(len(rows.group)), lambda total, n_pos: n_pos / rows.n_rows + 0 * total
    )
