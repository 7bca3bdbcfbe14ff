"""Where cells start: at single scores, at quantiles, and inside cells that need to be finer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from podium._fast.lists import merge_counts, twice_wins
from podium._results.result import Result
from podium._types import Array, BoolArray
from podium.exceptions import InputError
from podium.ranks.pooled import PositiveRanks, TieGroups
from podium.rounds.scores import ClassScores


def lowest(dtype: np.dtype[Any]) -> Any:
    """A number that no score lies below."""
    return dtype.type(-np.inf) if dtype.kind == "f" else np.iinfo(dtype).min


def following(values: Array) -> Array:
    """The next number of the same type."""
    return np.nextafter(values, np.inf) if values.dtype.kind == "f" else values + 1


def around(values: Array) -> Array:
    """Cells that hold each of these distinct scores alone, and what lies between them."""
    apart = np.unique(np.stack([values, following(values)], axis=1))
    return np.concatenate([[lowest(values.dtype)], apart])


def quantiles(pos: tuple[Array, Array], neg: tuple[Array, Array], n_cells: int) -> Array:
    """About so many cells with equal parts of both classes, by samples of them; scores seen twice by themselves."""
    values = np.concatenate([pos[0], neg[0]])
    order = np.argsort(values, kind="stable")
    upto = np.cumsum(np.concatenate([mass / mass.sum() for _, mass in (pos, neg)])[order])
    values = values[order]
    twice = np.concatenate([values[:-1][values[:-1] == values[1:]], pos[0][pos[1] > 1], neg[0][neg[1] > 1]])
    if values.dtype.kind == "f":
        values = np.interp(np.linspace(0, upto[-1], n_cells), upto, values)
    return np.union1d(values[:: max(1, len(values) // n_cells)], around(np.unique(twice)))


def subdivided(starts: Array, these: BoolArray, n_parts: int) -> Array:
    """Some of the cells in equal parts, as far as they have two ends."""
    low, high = starts[:-1][these[:-1]], starts[1:][these[:-1]]
    finite = low > lowest(starts.dtype)
    low, high = low[finite], high[finite]
    steps = np.arange(1, n_parts) / n_parts
    inner = low[:, None] * (1 - steps) + high[:, None] * steps  # not by the width, which may overflow
    return np.union1d(starts, inner.astype(starts.dtype).ravel())


def is_wide(starts: Array) -> BoolArray:
    """Whether a cell can hold different scores."""
    return np.append(starts[1:] > following(starts[:-1]), True)


_LONG = 1 << 26  # rows, beyond which a table of all ranks is no longer small
_MOST_PAIRS = 1 << 62  # twice as many are counted in 64 bits
_MOST_PARTS = 1 << 22


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CountedList(TieGroups, Result):
    """A list known by its counts, which `podium.metrics` and `podium.inference` take in place of labels and scores.

    Attributes
    ----------
    values : ndarray
        Where the groups start, ascending: a group holds the rows with scores from its start up to the next one's.
    pos, neg : ndarray
        The number of rows of each class in every group, or their weight.
    wide : ndarray
        Whether a group may hold different scores. If all of them are of one class, their order does not matter.
    n_pos, n_neg : int or float
        The numbers of positives and of negatives, or their weights.
    max_error : float
        Bound on the error of the AUC: 0 if the list is exact.
    """

    values: Array
    pos: Array
    neg: Array
    wide: BoolArray

    def __repr__(self) -> str:
        error = f", wrong by {self.max_error:.1g} at most" if self.max_error else ""
        return f"list of {self.n_pos:,} positives and {self.n_neg:,} negatives with AUC {self.auc():.3f}{error}"

    @classmethod
    def of_cells(cls, starts: Array, pos: Array, neg: Array) -> CountedList:
        """From what lies in cells; empty ones are left out.

        Parameters
        ----------
        starts : array of shape (n_cells,)
            The lower end of every cell, ascending.
        pos, neg : arrays of shape (n_cells,)
            How many positives and negatives, or how much weight of each, lie in every cell.
        """
        some = (pos > 0) | (neg > 0)
        return CountedList(values=starts[some], pos=pos[some], neg=neg[some], wide=is_wide(starts)[some])

    @classmethod
    def of_scores(cls, pos: ClassScores, neg: ClassScores) -> CountedList:
        """From all scores of each class.

        Parameters
        ----------
        pos, neg : ClassScores
            The scores of the positives and of the negatives.
        """
        if pos.is_plain and neg.is_plain:
            return HeldList(pos.ordered(), neg.ordered())
        both = [scores.distinct() for scores in (pos, neg)]
        values = np.union1d(both[0][0], both[1][0])
        masses = [np.zeros(len(values), mass.dtype) for _, mass in both]
        for of_class, (distinct, mass) in zip(masses, both, strict=True):
            of_class[np.searchsorted(values, distinct)] = mass
        return CountedList(values=values, pos=masses[0], neg=masses[1], wide=np.zeros(len(values), np.bool_))

    def settled_by(self, gathered: CountedList) -> CountedList:
        """With the unsettled groups replaced by the distinct scores of their rows.

        Parameters
        ----------
        gathered : CountedList
            The rows of the unsettled groups, one group for each distinct score.
        """
        kept = ~self.unsettled
        values = np.concatenate([self.values[kept], gathered.values])
        order = np.argsort(values, kind="stable")
        pos, neg, wide = (
            np.concatenate([getattr(self, name)[kept], getattr(gathered, name)])[order]
            for name in ("pos", "neg", "wide")
        )
        return CountedList(values=values[order], pos=pos, neg=neg, wide=wide)

    def group_of(self, scores: Array) -> Array:
        """The number of the group of each of these scores, which were counted.

        Parameters
        ----------
        scores : array
            Scores that are among those counted.
        """
        return np.searchsorted(self.values, scores, "right") - 1

    def auc(self) -> float:
        """Area under the ROC curve; without weights from whole numbers, the nearest float."""
        if self.is_weighted:
            return self.share_won
        twice_won = 2 * np.cumsum(self.neg) - self.neg
        some = self.pos > 0
        # Sums of products may exceed 2⁶³: the upper and the lower half of each factor by themselves.
        high, low = np.divmod(twice_won[some], 1 << 31)
        total = (int(self.pos[some] @ high) << 31) + int(self.pos[some] @ low)
        return total / (2 * self.n_pos * self.n_neg)

    @cached_property
    def unsettled(self) -> BoolArray:
        """Which groups hold both classes and more than one score: their order is not known and counts as ties."""
        return self.wide & (self.pos > 0) & (self.neg > 0)

    @cached_property
    def max_error(self) -> float:
        """Bound on the error of the AUC: 0 if the list is exact."""
        these = self.unsettled
        return float((self.pos[these] / self.n_pos) @ (self.neg[these] / self.n_neg)) / 2

    def require_exact(self) -> None:
        """Refuse a list that is not exact."""
        if self.max_error:
            low, high = (order.auc() for order in self.extremes)
            raise InputError(
                f"Memory does not suffice for exact ranks: the AUC lies between {low:.9g} and {high:.9g}.",
                "podium.rounds.count_list(..., memory=...) gives a list with bounds, for metrics in place of rows.",
            )

    @property
    def extremes(self) -> tuple[CountedList, CountedList]:
        """The list in the worst and in the best order of the rows whose order is not known; equal if it is exact."""
        return self._in_order(positives_first=True), self._in_order(positives_first=False)

    def _in_order(self, *, positives_first: bool) -> CountedList:
        """With each unsettled group as two: one class below the other."""
        group = np.repeat(np.arange(len(self.pos)), 1 + self.unsettled)
        first = np.append(group[1:] == group[:-1], False)
        second = np.insert(first[:-1], 0, False)
        without_pos, without_neg = (second, first) if positives_first else (first, second)
        return self._in_parts(
            group, np.where(without_pos, 0, self.pos[group]), np.where(without_neg, 0, self.neg[group])
        )

    @cached_property
    def with_rows_apart(self) -> Self | CountedList:
        """With the rows of runs apart: pseudo-event limits ask what one more loss would do, which ties with one row."""
        these = self._runs
        total = (self.pos + self.neg)[these]
        parts = np.ones(len(self.pos), np.int64)
        parts[these] = np.clip(total, 1, max(1, _MOST_PARTS // max(1, len(total))))
        group = np.repeat(np.arange(len(parts)), parts)
        place = np.arange(len(group)) - np.repeat(np.cumsum(parts) - parts, parts)
        pos, neg = (_share(mass[group], parts[group], place) for mass in (self.pos, self.neg))
        return self._in_parts(group, pos, neg)

    def _in_parts(self, group: Array, pos: Array, neg: Array) -> CountedList:
        return CountedList(values=self.values[group], pos=pos, neg=neg, wide=self.wide[group])

    @property
    def _runs(self) -> BoolArray:
        """Which groups hold rows of one class that need not tie."""
        return self.wide & ~self.unsettled

    @property
    def is_weighted(self) -> bool:
        """Whether the masses are weights rather than numbers of rows."""
        return self.pos.dtype.kind == "f"

    @property
    def is_long(self) -> bool:
        """Whether a table of all ranks would be large."""
        return self.n_pos + self.n_neg > _LONG

    @property
    def ties(self) -> TieGroups:
        """As groups of tied rows; those of a long list in floating point, whose sums over ranks are integrals."""
        if self.is_long:
            return TieGroups(self.values, self.pos.astype(np.float64), self.neg.astype(np.float64))
        return TieGroups(self.values, self.pos, self.neg)

    @cached_property
    def positive_ranks(self) -> PositiveRanks:
        """Every positive by itself: those of a run need not tie, and in any order their ranks are these."""
        below, upto = np.repeat(self.below, self.pos), np.repeat(self.upto, self.pos)
        alone = np.repeat(self._runs, self.pos)
        place = np.arange(len(below)) - np.repeat(np.cumsum(self.pos) - self.pos, self.pos)
        below[alone] += place[alone]
        upto[alone] = below[alone] + 1
        return PositiveRanks(np.repeat(self.values, self.pos), below, upto, None, self.n_pos, self.n_neg)


class HeldList(CountedList):
    """The scores of each class, ascending. The AUC needs no groups, which take three times the memory of the scores."""

    classes: tuple[Array, Array]

    def __init__(self, pos: Array, neg: Array) -> None:
        # Fields of a frozen dataclass are set as cached properties set themselves.
        self.__dict__.update(classes=(pos, neg), n_pos=len(pos), n_neg=len(neg), max_error=0.0)

    @cached_property
    def _groups(self) -> tuple[Array, Array, Array]:
        return merge_counts(*self.classes)

    @cached_property
    def values(self) -> Array:
        return self._groups[0]

    @cached_property
    def pos(self) -> Array:
        return self._groups[1]

    @cached_property
    def neg(self) -> Array:
        return self._groups[2]

    @cached_property
    def wide(self) -> BoolArray:
        return np.zeros(len(self.values), np.bool_)

    @property
    def extremes(self) -> tuple[Self, Self]:
        return self, self

    @property
    def with_rows_apart(self) -> Self:
        return self

    @property
    def is_weighted(self) -> bool:
        return False

    def auc(self) -> float:
        n_pairs = self.n_pos * self.n_neg
        return super().auc() if n_pairs > _MOST_PAIRS else int(twice_wins(*self.classes)) / (2 * n_pairs)


def _share(mass: Array, parts: Array, place: Array) -> Array:
    """The share of one of so many equal parts; of whole numbers the first ones take what is left over."""
    return mass / parts if mass.dtype.kind == "f" else mass // parts + (place < mass % parts)
