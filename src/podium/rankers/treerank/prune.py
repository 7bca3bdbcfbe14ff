"""How far a tree is cut back: the penalties on cuts with the largest ω_φ, then the largest AUC, of rows left out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from podium._types import FloatArray
from podium.phi import Mww, Phi
from podium.rankers.treerank.cells import RankingTree
from podium.rankers.treerank.gain import CurveGain
from podium.rankers.treerank.grow import BinnedRows, GrowthLimits, grow

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
