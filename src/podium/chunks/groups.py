"""The groups of a list that is known by counts: what is between which scores, and what is not known of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from podium import phi as phi_
from podium._fast import lists
from podium._types import Array, BoolArray
from podium.chunks.cells import is_wide
from podium.chunks.rearranged import Parts, apart, spread_out
from podium.chunks.scores import ClassScores
from podium.inference.intervals import jackknife
from podium.inference.lists.influence import Influence
from podium.inference.lists.ranking import Ranking
from podium.phi import Phi
from podium.ranks.pooled import PositiveRanks, TieGroups

_LONG = 1 << 26  # rows, beyond which a table of all ranks is no longer small


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Groups:
    """Groups of rows by ascending scores; :class:`podium.chunks.CountedList` says what the fields are."""

    starts: Array
    pos: Array
    neg: Array
    wide: BoolArray

    @classmethod
    def of_cells(cls, starts: Array, pos: Array, neg: Array) -> Self:
        """From what lies in cells; empty ones are left out.

        Parameters
        ----------
        starts : array of shape (n_cells,)
            The lower end of every cell, ascending.
        pos, neg : arrays of shape (n_cells,)
            How many positives and negatives, or how much weight of each, lie in every cell.
        """
        some = (pos > 0) | (neg > 0)
        return cls(starts=starts[some], pos=pos[some], neg=neg[some], wide=is_wide(starts)[some])

    @classmethod
    def of_scores(cls, pos: ClassScores, neg: ClassScores) -> Self:
        """From all scores of each class.

        Parameters
        ----------
        pos, neg : ClassScores
            The scores of the positives and of the negatives.
        """
        if pos.is_plain and neg.is_plain:
            starts, *masses = lists.merge_counts(pos.ordered(), neg.ordered())
        else:
            both = [scores.distinct() for scores in (pos, neg)]
            starts = np.union1d(both[0][0], both[1][0])
            masses = [np.zeros(len(starts), mass.dtype) for _, mass in both]
            for of_class, (values, mass) in zip(masses, both, strict=True):
                of_class[np.searchsorted(starts, values)] = mass
        return cls(starts=starts, pos=masses[0], neg=masses[1], wide=np.zeros(len(starts), np.bool_))

    def settled_by(self, gathered: Groups) -> Self:
        """With the unsettled groups replaced by the distinct scores of their rows.

        Parameters
        ----------
        gathered : Groups
            The rows of the unsettled groups, one group for each distinct score.
        """
        kept = ~self.unsettled
        starts = np.concatenate([self.starts[kept], gathered.starts])
        order = np.argsort(starts, kind="stable")
        pos, neg, wide = (
            np.concatenate([getattr(self, name)[kept], getattr(gathered, name)])[order]
            for name in ("pos", "neg", "wide")
        )
        return type(self)(starts=starts[order], pos=pos, neg=neg, wide=wide)

    def group_of(self, scores: Array) -> Array:
        """The number of the group of each of these scores, which were counted.

        Parameters
        ----------
        scores : array
            Scores that are among those counted.
        """
        return np.searchsorted(self.starts, scores, "right") - 1

    @cached_property
    def n_pos(self) -> float:
        """The number of positives, or their weight."""
        return self.pos.sum().item()

    @cached_property
    def n_neg(self) -> float:
        """The number of negatives, or their weight."""
        return self.neg.sum().item()

    @cached_property
    def unsettled(self) -> BoolArray:
        """Which groups hold both classes and more than one score: their order is not known and counts as ties."""
        return self.wide & (self.pos > 0) & (self.neg > 0)

    @cached_property
    def max_error(self) -> float:
        """By how much the AUC can be wrong at most: 0 where the list is exact."""
        these = self.unsettled
        return float((self.pos[these] / self.n_pos) @ (self.neg[these] / self.n_neg)) / 2

    def ranking(self, phi: Phi | str) -> Ranking:
        """The list as the methods of `podium.inference` see it.

        Parameters
        ----------
        phi : Phi or str
            Which part of the list matters, as an object or as text such as ``"power:3"``.
        """
        # Masses that are floats take sums over ranks by integrals: no table of all ranks.
        return Ranking.of_groups(self.float_ties if self.is_long else self.ties, phi_.resolve(phi))

    def influence(self, phi: Phi | str) -> Influence:
        """Jackknife influence values of ω_φ by group.

        Parameters
        ----------
        phi : Phi or str
            Which part of the list matters, as an object or as text such as ``"power:3"``.
        """
        return jackknife.influence(self.ranking(phi))

    def _in_parts(self, parts: Parts) -> Self:
        group, pos, neg = parts
        return type(self)(starts=self.starts[group], pos=pos, neg=neg, wide=self.wide[group])

    @cached_property
    def with_rows_apart(self) -> Self:
        """With the rows of runs apart: pseudo-event limits ask what one more loss would do, which ties with one row."""
        return self._in_parts(spread_out(self.pos, self.neg, self._runs))

    @property
    def _runs(self) -> BoolArray:
        """Which groups hold rows of one class that need not tie."""
        return self.wide & ~self.unsettled

    def in_order(self, *, positives_first: bool) -> Self:
        """With the unsettled groups in an order: one class below the other.

        Parameters
        ----------
        positives_first : bool
            Whether the positives of an unsettled group take its lower ranks.
        """
        return self._in_parts(apart(self.pos, self.neg, self.unsettled, positives_first=positives_first))

    @property
    def is_weighted(self) -> bool:
        """Whether the masses are weights rather than numbers of rows."""
        return self.pos.dtype.kind == "f"

    @property
    def is_long(self) -> bool:
        """Whether a table of all ranks would be large."""
        return self.n_pos + self.n_neg > _LONG

    @cached_property
    def ties(self) -> TieGroups:
        """The groups as groups of tied rows."""
        return TieGroups(self.starts, self.pos, self.neg)

    @cached_property
    def float_ties(self) -> TieGroups:
        """The same with masses in floating point."""
        return TieGroups(self.starts, self.pos.astype(np.float64), self.neg.astype(np.float64))

    @cached_property
    def positive_ranks(self) -> PositiveRanks:
        """Every positive by itself: those of a run need not tie, and in any order their ranks are these."""
        ties = self.ties
        below, upto = np.repeat(ties.below, self.pos), np.repeat(ties.upto, self.pos)
        alone = np.repeat(self._runs, self.pos)
        place = np.arange(len(below)) - np.repeat(np.cumsum(self.pos) - self.pos, self.pos)
        below[alone] += place[alone]
        upto[alone] = below[alone] + 1
        return PositiveRanks(np.repeat(self.starts, self.pos), below, upto, None, self.n_pos, self.n_neg)
