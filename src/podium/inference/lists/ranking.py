"""What every method of this package sees: a list in tie groups, a φ, and the scores of its ranks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from podium._fast.lists import groups, interpolation, shifts
from podium._fast.lists.wins import wins
from podium._types import Array, FloatArray, Sample
from podium.exceptions import DegenerateSampleError
from podium.inference.lists.score_table import score_table
from podium.metrics.linear import extremes
from podium.phi import Phi
from podium.ranks import TieGroups, sorted_classes


def is_untied(ties: TieGroups) -> bool:
    """Whether every group is one item of weight one."""
    return ties.pos.dtype.kind != "f" and len(ties.pos) == ties.n_total


class RankScores:
    """Scores a(r) = φ(r/(K + 1)) of the ranks in a list of K items, which is ``ties`` or one item more or less."""

    def __init__(self, phi: Phi, ties: TieGroups, n_items: float) -> None:
        self._phi = phi.bind(n_items)
        self._ties = ties
        self._size = n_items + 1
        self._weighted = ties.pos.dtype.kind == "f"
        self._untied = is_untied(ties)

    def of_groups(self, shift: float) -> FloatArray:
        """Score of every group's mid-rank, shifted."""
        if self._untied:  # group g has rank g + 1
            start = 1 + int(shift)
            return self._table[start : start + len(self._ties.pos)]
        if self._weighted:
            return self._between((self._below + self._upto + 1) / 2 + shift)
        scores, between, ranks = interpolation.at_mid_ranks(self._ties.total, int(2 * shift), self._table)
        scores[between] = self._phi.value(ranks / self._size)
        return scores

    def beside_groups(self) -> tuple[FloatArray, FloatArray]:
        """Scores of an item that joins just below, and just above, each group."""
        if self._untied:
            return self._table[1:-2], self._table[2:-1]
        if self._weighted:
            return self._between(self._below + 1), self._between(self._upto + 1)
        return self._table[self._below + 1], self._table[self._upto + 1]

    def _between(self, ranks: FloatArray) -> FloatArray:
        # Fractional weights can push a shifted rank off the list: half a place inside its ends is the limit.
        return self._phi.value(np.clip(ranks, 0.5, self._size - 0.5) / self._size)

    def range(self, n_pos: float, n_neg: float) -> tuple[float, float]:
        """Sum of the scores of the positives in the worst and in the best order."""
        if self._weighted:
            low, high = extremes(n_pos, n_neg, self._phi)
        else:
            low = float(self._table[1 : int(n_pos) + 1].sum())
            high = float(self._table[int(n_neg) + 1 : -1].sum())
        if not high > low:
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
    def _upto(self) -> Array:
        return np.cumsum(self._ties.total)

    @cached_property
    def _below(self) -> Array:
        return self._upto - self._ties.total


@dataclass(frozen=True)
class Ranking:
    """A checked sample and a φ."""

    sample: Sample
    phi: Phi

    @cached_property
    def classes(self) -> tuple[Array, Array]:
        """Scores of the positives and of the negatives, ascending."""
        return sorted_classes(self.sample)

    @cached_property
    def ties(self) -> TieGroups:
        if self.sample.weight is None:
            return TieGroups(*groups.merge_counts(*self.classes))
        return TieGroups.of(self.sample)

    @property
    def n_pos(self) -> float:
        return self.ties.n_pos if self.sample.weight is not None else len(self.classes[0])

    @property
    def n_neg(self) -> float:
        return self.ties.n_neg if self.sample.weight is not None else len(self.classes[1])

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
        phi = self.phi.bind(self.n_pos + self.n_neg)
        low, middle, high = phi.value(np.array([0.25, 0.5, 0.75]))
        return abs(low + high - 2 * middle) < 1e-12 and phi.sup_norm_second_derivative == 0  # the cheap test first

    def scores(self, change: int) -> RankScores:
        """Scores of the ranks when the list has so many items more."""
        return RankScores(self.phi, self.ties, self.ties.n_total + change)

    @cached_property
    def range(self) -> tuple[float, float]:
        """W_min and W_max."""
        return self._scores.range(self.n_pos, self.n_neg)

    @cached_property
    def wins(self) -> FloatArray:
        """How many negatives each positive beats, positives ascending, ties counting one half."""
        return wins(*self.classes)

    @cached_property
    def omega(self) -> float:
        """ω̂ with mid-ranks: `podium.metrics.rank_statistic`."""
        if self.is_auc and self.sample.weight is None:
            return float(self.wins.sum()) / self.n_pos / self.n_neg
        low, high = self.range
        value = (shifts.total(self._scores.of_groups(0), self.ties.pos) - low) / (high - low)
        # Sums in another order round otherwise: a perfect list is perfect, not 1 − 2e-16.
        return float(round(value)) if abs(value - round(value)) < 1e-12 else value

    @cached_property
    def _scores(self) -> RankScores:
        return self.scores(0)
