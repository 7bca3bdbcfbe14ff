"""What every method of this package sees: a list in tie groups, a φ, and the scores of its ranks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from podium._fast import lists
from podium._fast.lists import wins
from podium._fast.order import by_class
from podium._types import Array, FloatArray, Sample
from podium.exceptions import DegenerateSampleError, InputError
from podium.metrics.linear import FEWEST_ROWS, statistic
from podium.phi import Phi
from podium.ranks.means import RankMeans
from podium.ranks.pooled import TieGroups
from podium.ranks.score_table import score_table
from podium.rounds.counted import CountedList

_LONG = 1e8  # rows beyond which one row is the limit of small changes, to eight digits
_MOST_ROWS = 1e15
_LEAST_RISE = 1e-290  # of φ over the ranks: over less, numbers divided by it are infinite


def is_untied(ties: TieGroups) -> bool:
    """Whether every group is one item of weight one."""
    return ties.pos.dtype.kind != "f" and len(ties.pos) == ties.n_total


class RankScores:
    """Scores a(r) = φ(r/(K + 1)) of the ranks in a list of K items, which is ``ties`` or one item more or less."""

    def __init__(self, phi: Phi, ties: TieGroups, n_items: float) -> None:
        self._phi = phi.bind(n_items)
        self._ties = ties
        self._n_items, self._size = n_items, n_items + 1
        self._weighted = ties.pos.dtype.kind == "f"
        self._untied = is_untied(ties)

    def of_groups(self, first: int = 0, last: int = 0) -> FloatArray:
        """Mean score of the ranks of every group, with its first rank moved by ``first`` and its last one by ``last``.

        Where no rank is left, as in a group of one item that leaves, the value is finite and without meaning.
        """
        if self._untied:  # group g has rank g + 1
            n_groups = len(self._ties.pos)
            low, high = (self._table[1 + move : 1 + move + n_groups] for move in (first, last))
            return low if last <= first else (low + high) / 2
        below, upto = self._ties.below + first, self._ties.upto + last
        if self._weighted:
            # Fractional weights can push a moved rank off the list, and one past the other.
            low, high = (np.clip(end, 0, self._size - 1) for end in (np.minimum(below, upto), np.maximum(below, upto)))
            return self._means.mean(low, high)
        return lists.means(below, upto, self._table)

    def range(self, n_pos: float, n_neg: float) -> tuple[float, float]:
        """Sum of the scores of the positives in the worst and in the best order."""
        if self._weighted:
            low, high = self._means.range(n_pos, n_neg)
        else:
            low = float(self._table[1 : int(n_pos) + 1].sum())
            high = float(self._table[int(n_neg) + 1 : -1].sum())
        if not high - low > _LEAST_RISE:
            raise DegenerateSampleError(
                f"ω needs a φ that tells ranks apart; {self._phi} takes one value on all ranks of {n_pos:g} positives "
                f"among {n_pos + n_neg:g} items.",
                "choose a φ that reaches further down the list, or use more data.",
            )
        return low, high

    @cached_property
    def _table(self) -> FloatArray:
        return score_table(self._phi, int(self._size))

    @cached_property
    def _means(self) -> RankMeans:
        return RankMeans.of(self._phi, self._n_items)


@dataclass(frozen=True)
class Ranking:
    """A checked sample and a φ."""

    sample: Sample
    phi: Phi
    has_rows: bool = True

    @classmethod
    def of_groups(cls, ties: TieGroups, phi: Phi) -> Ranking:
        """A list of which the tie groups are known, not the rows: for what needs no others."""
        ranking = cls(Sample(ties.values, ties.pos > 0), phi, has_rows=False)
        vars(ranking)["ties"] = ties
        return ranking

    @classmethod
    def of_counts(cls, counted: CountedList, phi: Phi) -> Ranking:
        """A list that is known by counts."""
        return cls.of_groups(counted.ties, phi)

    def __post_init__(self) -> None:
        if self.sample.weight is None:
            return
        n_rows = float(self.sample.weight.sum())
        if not FEWEST_ROWS <= n_rows <= _MOST_ROWS:
            raise InputError(
                f"Weights count rows: inference needs weights that sum to between {FEWEST_ROWS:g} and {_MOST_ROWS:g}; "
                f"got {n_rows:g}.",
                "multiply them so that they sum to the number of independent rows.",
            )

    @property
    def is_long(self) -> bool:
        """Whether weights make so many rows that a difference by one of them loses its digits."""
        return self.is_grouped and self.ties.pos.dtype.kind == "f" and self.ties.n_total > _LONG

    @cached_property
    def classes(self) -> tuple[Array, Array]:
        """Scores of the positives and of the negatives, ascending."""
        return by_class(self.sample.scores, self.sample.is_positive)

    @cached_property
    def ties(self) -> TieGroups:
        if self.sample.weight is None:
            return TieGroups(*lists.merge_counts(*self.classes))
        return TieGroups.of(self.sample)

    @property
    def is_grouped(self) -> bool:
        """Whether the tie groups are the way to everything else: rows have weights, or are not known."""
        return self.sample.weight is not None or not self.has_rows

    @property
    def n_pos(self) -> float:
        return self.ties.n_pos if self.is_grouped else len(self.classes[0])

    @property
    def n_neg(self) -> float:
        return self.ties.n_neg if self.is_grouped else len(self.classes[1])

    def with_phi(self, phi: Phi) -> Ranking:
        """The same list under another φ; what was sorted stays sorted."""
        other = Ranking(self.sample, phi, self.has_rows)
        names = ("ties",) if self.is_grouped else ("classes", "ties")
        vars(other).update({name: getattr(self, name) for name in names if self.sample.weight is None})
        return other

    def require_two_per_class(self) -> None:
        if min(self.n_pos, self.n_neg) < 2:
            raise DegenerateSampleError(
                f"A variance needs at least two positives and two negatives; got {self.n_pos:g} positive and "
                f"{self.n_neg:g} negative.",
                "method='mcdiarmid', or 'kl' for the AUC, gives limits without a variance.",
            )

    @cached_property
    def is_auc(self) -> bool:
        """Whether ω_φ is the AUC: φ is affine."""
        return self.phi.bind(self.n_pos + self.n_neg).is_affine

    def scores(self, change: int) -> RankScores:
        """Scores of the ranks when the list has so many items more."""
        return RankScores(self.phi, self.ties, self.ties.n_total + change)

    @cached_property
    def range(self) -> tuple[float, float]:
        """W_min and W_max."""
        return self._scores.range(self.n_pos, self.n_neg)

    @cached_property
    def wins(self) -> tuple[FloatArray, FloatArray]:
        """How many of the other class each positive and each negative beats, ascending, ties counting one half."""
        return wins(*self.classes)

    @cached_property
    def omega(self) -> float:
        """ω̂: `podium.metrics.rank_statistic`."""
        if self.sample.weight is not None:
            return statistic(self.sample, self.phi)
        if self.is_auc:
            beaten = lists.half_cumulated(self.ties.neg) if self.is_grouped else None
            won = self.wins[0].sum() if beaten is None else lists.total(beaten, self.ties.pos)
            return float(won) / self.n_pos / self.n_neg
        low, high = self.range
        value = (lists.total(self._scores.of_groups(), self.ties.pos) - low) / (high - low)
        # Sums in another order round otherwise: a perfect list is perfect, not 1 − 2e-16.
        return float(round(value)) if abs(value - round(value)) < 1e-12 else value

    @cached_property
    def _scores(self) -> RankScores:
        return self.scores(0)
