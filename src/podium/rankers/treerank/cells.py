"""A ranking tree: cells cut in two by rules, and the segments that remain, from best to worst."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from podium._fast import trees
from podium._types import BoolArray, FloatArray
from podium.rankers.treerank.gain import Codes, CurveGain

Integers = npt.NDArray[np.int32]
Cells = npt.NDArray[np.intp]


@dataclass(frozen=True)
class RankingTree:
    """Arrays by cell, cell 0 being all rows; arrays by split of the rules that cut cells.

    ``first`` is the first split of a cell's rule and ``upper``, ``lower`` are the cells it is cut into; −1 where it was
    not cut. ``n_pos`` and ``n_neg`` are the masses of the training rows, ``gain`` what the cut adds to ω_φ where the
    upper cell comes right above the lower one. A split sends the bins in ``bits`` of a ``column`` to its first child,
    the others to its second: another split, or −1 − a cell. ``decrease`` is by how much it makes its two sides purer
    (Gini's impurity times mass, both classes of the cell having the same mass).
    """

    first: Integers
    upper: Integers
    lower: Integers
    n_pos: FloatArray
    n_neg: FloatArray
    gain: FloatArray
    column: Integers
    bits: npt.NDArray[np.uint64]
    children: Integers
    decrease: FloatArray

    def cells(self, codes: Codes) -> Cells:
        """The uncut cell of every row."""
        out = np.empty(len(codes), dtype=np.intp)
        trees.walk(codes, self.first, self.column, self.bits, self.children, out)
        return out

    @cached_property
    def order(self) -> Cells:
        """The uncut cells from best to worst: by their share of positives, so that the curve is concave."""
        leaves = np.flatnonzero(self.first < 0)
        return leaves[np.argsort(-self.share[leaves], kind="stable")]

    @property
    def share(self) -> FloatArray:
        """The share of positives of every cell."""
        return self.n_pos / (self.n_pos + self.n_neg)

    @cached_property
    def scores(self) -> FloatArray:
        """By cell: the share of training rows in poorer ones, plus half of those in equally rich ones.

        Equally rich ones tie: of the pure cells in a deep tree none is better than another. NaN where a cell was cut.
        """
        _, group = np.unique(-self.share[self.order], return_inverse=True)
        size = np.bincount(group, (self.n_pos + self.n_neg)[self.order])
        out = np.full(len(self.first), np.nan)
        out[self.order] = (1 - (np.cumsum(size) - size / 2) / size.sum())[group]
        return out

    def auc_gains(self) -> FloatArray:
        r"""By cell that was cut: what the cut adds to the AUC of the training rows.

        A positive and a negative are tied until a cut parts them. So the AUC is ½ plus, over cuts and over segments a
        and b on the two sides of each, ½ Σ |p_a q_b − p_b q_a|, p and q the shares of all positives and of all
        negatives. Where all segments of the upper side are richer, that is the triangle
        ½ |p_upper q_lower − p_lower q_upper|.
        """
        p, q = (mass[self.order] / mass[self.order].sum() for mass in (self.n_pos, self.n_neg))
        parted = np.abs(np.outer(p, q) - np.outer(q, p)) / 2
        inside = np.zeros((len(self.first), len(self.order)))
        inside[self.order, np.arange(len(self.order))] = 1.0
        cut = np.flatnonzero(self.first >= 0)
        for cell in cut[::-1]:  # children come after their parent
            inside[cell] = inside[self.upper[cell]] + inside[self.lower[cell]]
        return np.einsum("ia,ab,ib->i", inside[self.upper[cut]], parted, inside[self.lower[cut]], optimize=True)

    def gain_by_column(self, n_columns: int) -> FloatArray:
        """The gains of all cuts, each shared among the columns of its rule by how much their splits decrease."""
        cut = np.flatnonzero(self.first >= 0)
        rule = np.repeat(np.arange(len(cut)), np.diff(np.append(self.first[cut], len(self.column))))
        in_all = np.bincount(rule, self.decrease, len(cut))
        share = self.decrease / np.where(in_all > 0, in_all, 1.0)[rule]
        return np.bincount(self.column, self.gain[cut][rule] * share, n_columns).astype(np.float64)

    def pruned(self, penalty: float) -> RankingTree:
        """The subtree for which the sum of gains less ``penalty`` for each cut is largest."""
        return self.cut_at(self.worth(self.gain, penalty))

    def worth(self, gain: FloatArray, penalty: float, always: BoolArray | None = None) -> BoolArray:
        """Which cuts make the sum of gains less ``penalty`` for each largest, those to keep ``always`` among them."""
        best = np.zeros(len(self.first))
        keep = np.zeros(len(self.first), dtype=np.bool_) if always is None else always.copy()
        for cell in range(len(self.first) - 1, -1, -1):  # children come after their parent
            if self.first[cell] >= 0:
                total = gain[cell] - penalty + best[self.upper[cell]] + best[self.lower[cell]]
                keep[cell] |= total > 0
                best[cell] = max(total, 0.0)
        return keep

    def gains(self, gain: CurveGain) -> FloatArray:
        """By cell: what its cut adds to another ω_φ, where the upper cell comes right above the lower one."""
        size, below, out = self.n_pos + self.n_neg, np.zeros(len(self.first)), np.zeros(len(self.first))
        cut = np.flatnonzero(self.first >= 0)
        for cell in cut:  # parents come before their children
            below[self.lower[cell]] = below[cell]
            below[self.upper[cell]] = below[cell] + size[self.lower[cell]]
        part = gain.value(self.n_pos, below, size)
        out[cut] = part[self.upper[cut]] + part[self.lower[cut]] - part[cut]
        return out

    def cut_at(self, keep: BoolArray) -> RankingTree:
        """Only the cuts of cells to ``keep``, as far as they are reached."""
        reached = np.zeros(len(self.first), dtype=np.bool_)
        reached[0] = True
        for cell in np.flatnonzero(keep):
            if reached[cell]:
                reached[[self.upper[cell], self.lower[cell]]] = True
        cut = keep & reached
        was_cut = np.flatnonzero(self.first >= 0)  # rules lie in the order of the cells
        sizes = np.diff(np.append(self.first[was_cut], len(self.column)))
        splits = np.repeat(cut[was_cut], sizes)
        cell_number, split_number = np.cumsum(reached) - 1, np.cumsum(splits) - 1
        children = self.children[splits]
        to_split, to_cell = np.maximum(children, 0), np.maximum(-1 - children, 0)
        children = np.where(children >= 0, split_number[to_split], -1 - cell_number[to_cell])

        def renumbered(values: Integers, number: Cells) -> Integers:
            return np.where(cut, number[values], -1)[reached].astype(np.int32)

        return RankingTree(
            renumbered(self.first, split_number) if len(splits) else self.first[reached],
            renumbered(self.upper, cell_number),
            renumbered(self.lower, cell_number),
            self.n_pos[reached],
            self.n_neg[reached],
            np.where(cut, self.gain, 0.0)[reached],
            self.column[splits],
            self.bits[splits],
            children.astype(np.int32),
            self.decrease[splits],
        )
