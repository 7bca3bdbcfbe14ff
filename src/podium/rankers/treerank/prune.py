"""How far a tree is cut back: the penalty on cuts with the largest ω_φ of rows left out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from podium._types import FloatArray
from podium.phi import Phi
from podium.rankers.treerank.cells import RankingTree
from podium.rankers.treerank.gain import CurveGain
from podium.rankers.treerank.grow import BinnedRows, Limits, grow

_N_PENALTIES = 30
_SMALLEST = 1e-5  # of the penalties, in units of ω


def cross_validated_penalty(data: BinnedRows, phi: Phi, limits: Limits, fold: npt.NDArray[np.intp]) -> float:
    """The largest penalty whose ω_φ of rows left out is within a standard error of the best; none without folds.

    The standard error is that of the mean difference over the folds. Where the best is not above no cut at all by more
    than chance, the penalty is the largest one, and nothing is cut.
    """
    penalties = np.concatenate([[0.0], np.geomspace(_SMALLEST, 0.5, _N_PENALTIES)])
    values = []
    for k in range(int(fold.max()) + 1):
        rest, left_out = (data.part(np.flatnonzero(where)) for where in (fold != k, fold == k))
        if min(*rest.mass, *left_out.mass) <= 0:
            continue
        tree = grow(rest, CurveGain(phi, *rest.mass), limits, np.random.default_rng(0))
        judged = CurveGain(phi, *left_out.mass)
        values.append([_omega(tree.pruned(penalty), left_out, judged) for penalty in penalties])
    if not values:
        return 0.0
    by_fold = np.array(values)
    best = by_fold[:, np.argmax(by_fold.mean(axis=0))]
    if not _is_above(best, by_fold[:, -1]):
        return float(penalties[-1])
    behind = best[:, None] - by_fold
    error = behind.std(axis=0, ddof=1) / np.sqrt(len(behind)) if len(behind) > 1 else np.zeros(len(penalties))
    return float(penalties[np.flatnonzero(behind.mean(axis=0) <= error + 1e-12)[-1]])


def _is_above(best: FloatArray, uncut: FloatArray) -> bool:
    """Whether cuts bring more than chance, by a t-test over the folds at 2.5 %: the best of many looks good."""
    lead, n_folds = best - uncut, len(best)
    if n_folds < 2:
        return True
    return bool(lead.mean() > stdtrit(n_folds - 1, 0.975) * lead.std(ddof=1) / np.sqrt(n_folds))


def _omega(tree: RankingTree, rows: BinnedRows, judged: CurveGain) -> float:
    """ω_φ of other rows, from their masses in the segments."""
    cells, n_cells = tree.cells(rows.codes), len(tree.first)
    size = np.bincount(cells, rows.weight, n_cells)[tree.order]
    pos = np.bincount(cells, rows.weight * rows.is_positive, n_cells)[tree.order]
    held = size > 0
    below = judged.n_total - np.cumsum(size)
    return float(judged.value(*(np.asarray(v[held], dtype=np.float64) for v in (pos, below, size))).sum())
