"""Ranking trees: cell by cell, the best subset that a small tree finds goes above the rest; and pruning them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from podium._fast import trees
from podium._types import BoolArray, FloatArray
from podium.phi import Mww, Phi
from podium.rankers.treerank.cells import Cells, Integers, RankingTree
from podium.rankers.treerank.gain import Bins, Codes, CurveGain

_LEAST_GAIN = 1e-10  # of ω; less is rounding
_MOST_COSTS = 10  # that are tried for a cut


@dataclass(frozen=True)
class BinnedRows:
    """Rows to grow from."""

    codes: Codes
    is_positive: BoolArray
    weight: FloatArray
    bins: Bins

    def part(self, rows: npt.NDArray[np.intp], weight: FloatArray | None = None) -> BinnedRows:
        """Some of the rows, with other weights if given."""
        weight = self.weight if weight is None else weight
        return BinnedRows(self.codes[rows], self.is_positive[rows], weight[rows], self.bins)

    @property
    def mass(self) -> tuple[float, float]:
        """The mass of positives and of negatives."""
        return float(self.weight @ self.is_positive), float(self.weight @ ~self.is_positive)


@dataclass(frozen=True, kw_only=True)
class GrowthLimits:
    """How far a tree is grown."""

    max_depth: int  # levels of cuts
    rule_depth: int  # levels of splits in the rule of a cut
    least: float  # mass of each part of a split
    n_columns: int  # drawn for a split


@dataclass(frozen=True)
class _Cell:
    """A cell that may be cut: its number, rows, masses, the mass of the rows ranked below it, its level."""

    number: int
    rows: npt.NDArray[np.intp]
    n_pos: float
    n_neg: float
    below: float
    level: int


@dataclass(frozen=True)
class _Cut:
    """A rule (its children −1 for up, −2 for down), rows and masses of the parts above and below, and the gain."""

    column: Integers
    bits: npt.NDArray[np.uint64]
    children: Integers
    decrease: FloatArray
    rows: tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]
    above: tuple[float, float]
    below: tuple[float, float]
    gain: float


@dataclass
class _Table:
    """What becomes a tree."""

    first: list[int] = field(default_factory=list)
    upper: list[int] = field(default_factory=list)
    lower: list[int] = field(default_factory=list)
    n_pos: list[float] = field(default_factory=list)
    n_neg: list[float] = field(default_factory=list)
    gain: list[float] = field(default_factory=list)
    rules: list[tuple[Integers, npt.NDArray[np.uint64], Integers, FloatArray]] = field(default_factory=list)
    n_splits: int = 0

    def add(self, n_pos: float, n_neg: float) -> int:
        """A cell, not cut yet."""
        for column in (self.first, self.upper, self.lower):
            column.append(-1)
        self.n_pos.append(n_pos)
        self.n_neg.append(n_neg)
        self.gain.append(0.0)
        return len(self.first) - 1

    def cut(self, cell: _Cell, cut: _Cut) -> tuple[_Cell, _Cell]:
        """Cut a cell; the cells that it is cut into."""
        up = _Cell(self.add(*cut.above), cut.rows[0], *cut.above, cell.below + sum(cut.below), cell.level + 1)
        down = _Cell(self.add(*cut.below), cut.rows[1], *cut.below, cell.below, cell.level + 1)
        self.first[cell.number], self.gain[cell.number] = self.n_splits, cut.gain
        self.upper[cell.number], self.lower[cell.number] = up.number, down.number
        ends = np.array([-1 - down.number, -1 - up.number])  # of children −2 and −1
        children = np.where(cut.children < 0, ends[np.minimum(cut.children, -1) + 2], cut.children + self.n_splits)
        self.rules.append((cut.column, cut.bits, children, cut.decrease))
        self.n_splits += len(cut.column)
        return up, down

    def tree(self) -> RankingTree:
        whole = [np.array(v, dtype=np.int32) for v in (self.first, self.upper, self.lower)]
        masses = [np.array(v, dtype=np.float64) for v in (self.n_pos, self.n_neg, self.gain)]
        column, bits, children, decrease = (
            np.concatenate([np.empty(shape, dtype), *(rule[i] for rule in self.rules)]).astype(dtype)
            for i, (shape, dtype) in enumerate(
                [((0,), np.int32), ((0, trees.WORDS), np.uint64), ((0, 2), np.int32), ((0,), np.float64)]
            )
        )
        return RankingTree(*whole, *masses, column, bits, children, decrease)  # type: ignore[arg-type,call-arg]


def grow(data: BinnedRows, gain: CurveGain, limits: GrowthLimits, rng: np.random.Generator) -> RankingTree:
    """A tree of the rows."""
    table, masses = _Table(), data.mass
    todo = deque([_Cell(table.add(*masses), np.arange(len(data.weight)), *masses, 0.0, 0)])
    while todo:  # in the order of their numbers, in which their rules will lie
        cell = todo.popleft()
        if cell.level < limits.max_depth and min(cell.n_pos, cell.n_neg) > 0:
            cut = _best_cut(data, cell, gain, limits, rng)
            if cut is not None:
                todo += table.cut(cell, cut)
    return table.tree()


def _best_cut(
    data: BinnedRows, cell: _Cell, gain: CurveGain, limits: GrowthLimits, rng: np.random.Generator
) -> _Cut | None:
    """The cut of the cell by a classification with costs of equal classes, then with those that fit φ there better."""
    best, seed = None, rng.integers(2**63, dtype=np.uint64)
    costs = np.array([1 / cell.n_neg, 1 / cell.n_pos])
    for _ in range(_MOST_COSTS):
        cut = _cut(data, cell, gain, limits, costs, seed)
        if cut is None or (best is not None and cut.gain < best.gain + _LEAST_GAIN):
            break
        best = cut
        new = gain.costs(cell.n_pos, cell.n_neg, cell.below, *cut.above)
        if new is None or np.isclose(new[0] * costs[1], new[1] * costs[0], rtol=1e-6):
            break
        costs = new
    return best


def _cut(
    data: BinnedRows, cell: _Cell, gain: CurveGain, limits: GrowthLimits, costs: FloatArray, seed: np.uint64
) -> _Cut | None:
    """The parts that a classification tree of the cell finds, the richest first, up to where the gain is largest.

    At φ(u) = u these are the parts richer than the cell: no other union of parts has a larger TPR − FPR.
    """
    rows = cell.rows.copy()
    column, bits, children, ends, mass = trees.partition(
        data.codes,
        data.is_positive,
        data.weight,
        rows,
        data.bins.n_bins,
        data.bins.is_categorical,
        costs / (costs[0] * cell.n_neg + costs[1] * cell.n_pos),
        limits.rule_depth,
        limits.least,
        limits.n_columns,
        seed,
    )
    if len(mass) == 1:
        return None
    order = np.argsort(-mass[:, 1] / mass.sum(axis=1), kind="stable")
    neg, pos = np.cumsum(mass[order], axis=0)[:-1].T
    gains = gain.of_cuts(cell.n_pos, cell.n_neg, cell.below, pos, neg)
    best = int(np.argmax(gains))
    if gains[best] < _LEAST_GAIN:
        return None
    goes_up = np.zeros(len(mass), dtype=np.bool_)
    goes_up[order[: best + 1]] = True
    by_part = np.split(rows, ends[:-1])
    upper, lower = (np.concatenate([by_part[i] for i in np.flatnonzero(side)]) for side in (goes_up, ~goes_up))
    decrease = _decrease(children, mass / [cell.n_neg, cell.n_pos])
    to_ends = np.where(children < 0, np.where(goes_up, -1, -2)[-1 - children], children)
    rule = _simplified(column, bits, to_ends, decrease)
    (neg_up, pos_up), (neg_down, pos_down) = (mass[side].sum(axis=0).tolist() for side in (goes_up, ~goes_up))
    return _Cut(*rule, (upper, lower), (pos_up, neg_up), (pos_down, neg_down), float(gains[best]))


def _decrease(children: Cells, parts: FloatArray) -> FloatArray:
    """How much less impure the two sides of every split are than its rows: n·m/(n + m), half of Gini's times mass."""
    of_splits = np.zeros((len(children), 2))
    sides = np.zeros((len(children), 2, 2))
    for split in range(len(children) - 1, -1, -1):  # children come after their parent
        sides[split] = [parts[-1 - child] if child < 0 else of_splits[child] for child in children[split]]
        of_splits[split] = sides[split].sum(axis=0)
    impurity = sides.prod(axis=2) / np.maximum(sides.sum(axis=2), np.finfo(float).tiny)
    return np.maximum(of_splits.prod(axis=1) / of_splits.sum(axis=1) - impurity.sum(axis=1), 0.0)


def _simplified(
    column: Integers, bits: npt.NDArray[np.uint64], children: Cells, decrease: FloatArray
) -> tuple[Integers, npt.NDArray[np.uint64], Integers, FloatArray]:
    """Without splits both of whose sides go the same way."""
    leads_to = np.arange(len(column))
    for split in range(len(column) - 1, -1, -1):  # children come after their parent
        both = [child if child < 0 else leads_to[child] for child in children[split]]
        children[split] = both
        leads_to[split] = both[0] if both[0] == both[1] else split
    kept = leads_to == np.arange(len(column))
    children = children[kept]
    number = np.cumsum(kept) - 1
    renumbered = np.where(children < 0, children, number[np.maximum(children, 0)]).astype(np.int32)
    return column[kept], bits[kept], renumbered, decrease[kept]


_N_PENALTIES = 30
_SMALLEST = 1e-5  # of the penalties, in units of ω
_PENALTIES = np.concatenate([[0.0], np.geomspace(_SMALLEST, 0.5, _N_PENALTIES)])


def cut_back(tree: RankingTree, penalty: float, auc_penalty: float) -> RankingTree:
    """Cuts that ω_φ is worth, and of the others those that the AUC is worth: where φ is flat they order the rest."""
    for_phi = tree.worth(tree.gain, penalty)
    if auc_penalty == np.inf:
        return tree.cut_at(for_phi)
    by_auc = tree.gains(CurveGain(Mww(), float(tree.n_pos[0]), float(tree.n_neg[0])))
    return tree.cut_at(tree.worth(by_auc, auc_penalty, for_phi))


def cross_validated_penalties(
    data: BinnedRows, phi: Phi, limits: GrowthLimits, fold: npt.NDArray[np.intp]
) -> tuple[float, float]:
    """The largest penalty whose ω_φ of rows left out is within a standard error of the best; that of the AUC likewise.

    The standard error is that of the mean difference over the folds. Where the best is not above no cut at all by more
    than chance, the penalty is the largest one, and nothing is cut. Nothing is penalized without folds.
    """
    trees = []
    for k in range(int(fold.max()) + 1):
        rest, left_out = (data.part(np.flatnonzero(where)) for where in (fold != k, fold == k))
        if min(*rest.mass, *left_out.mass) > 0:
            trees.append((grow(rest, CurveGain(phi, *rest.mass), limits, np.random.default_rng(0)), left_out))

    def chosen(judged_by: Phi, pruned: Callable[[RankingTree, float], RankingTree]) -> float:
        return _penalty([[_omega(pruned(tree, p), rows, judged_by) for p in _PENALTIES] for tree, rows in trees])

    penalty = chosen(phi, lambda tree, p: cut_back(tree, p, np.inf))
    if phi.is_affine:
        return penalty, np.inf  # it was the AUC
    return penalty, chosen(Mww(), lambda tree, p: cut_back(tree, penalty, p))


def _penalty(values: list[list[float]]) -> float:
    """The choice by what every fold says of every penalty."""
    if not values:
        return 0.0
    by_fold = np.array(values)
    best = by_fold[:, np.argmax(by_fold.mean(axis=0))]
    if not _is_above(best, by_fold[:, -1]):
        return float(_PENALTIES[-1])
    behind = best[:, None] - by_fold
    error = behind.std(axis=0, ddof=1) / np.sqrt(len(behind)) if len(behind) > 1 else np.zeros(len(_PENALTIES))
    return float(_PENALTIES[np.flatnonzero(behind.mean(axis=0) <= error + 1e-12)[-1]])


def _is_above(best: FloatArray, uncut: FloatArray) -> bool:
    """Whether cuts bring more than chance, by a t-test over the folds at 2.5 %: the best of many looks good."""
    lead, n_folds = best - uncut, len(best)
    if n_folds < 2:
        return True
    return bool(lead.mean() > stdtrit(n_folds - 1, 0.975) * lead.std(ddof=1) / np.sqrt(n_folds))


def _omega(tree: RankingTree, rows: BinnedRows, phi: Phi) -> float:
    """ω_φ of other rows, from their masses in the segments."""
    judged = CurveGain(phi, *rows.mass)
    cells, n_cells = tree.cells(rows.codes), len(tree.first)
    size = np.bincount(cells, rows.weight, n_cells)[tree.order]
    pos = np.bincount(cells, rows.weight * rows.is_positive, n_cells)[tree.order]
    held = size > 0
    below = judged.n_total - np.cumsum(size)
    return float(judged.value(*(np.asarray(v[held], dtype=np.float64) for v in (pos, below, size))).sum())
