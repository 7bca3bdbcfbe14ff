"""Draws that see equal rows as one: a weight of three is then the same as three rows, to the last digit."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import pdtr

from podium._fast.draws import GOLDEN, splitmix
from podium._types import BoolArray, FloatArray
from podium.rankers import fingerprints
from podium.rankers.fingerprints import Marks


def row_keys(X: FloatArray) -> Marks:
    """A number per row, equal for equal rows; of the ranks in each column, so that units and origins do not matter."""
    ranks = np.empty(X.shape)
    for j, values in enumerate(X.T):
        ranks[:, j] = np.unique(values, return_inverse=True)[1]
    return fingerprints.hashes(ranks)


_MOST = 12  # of a Poisson variable with mean 1; more has a chance of 1e-11


def folds(keys: Marks, is_positive: BoolArray, weight: FloatArray, n_folds: int) -> npt.NDArray[np.intp]:
    """Folds of about equal mass in both classes; equal rows are in the same one."""
    out = np.empty(len(keys), dtype=np.intp)
    for label in (False, True):
        rows = np.flatnonzero(is_positive == label)
        _, which = np.unique(_mixed(keys[rows], 0), return_inverse=True)
        mass = np.bincount(which, weights=weight[rows])
        before = np.cumsum(mass) - mass
        out[rows] = np.floor(before * (n_folds / mass.sum()))[which]
    return np.minimum(out, n_folds - 1)


def bootstrap_counts(keys: Marks, seed: int) -> FloatArray:
    """How often each row is drawn: Poisson variables with mean one, the usual limit of drawing N of N rows."""
    uniform = _mixed(keys, seed) / 2.0**64
    return np.searchsorted(pdtr(np.arange(_MOST), 1.0), uniform).astype(np.float64)


def _mixed(keys: Marks, seed: int) -> Marks:
    """Marks that look independent for other seeds."""
    return splitmix(keys, np.uint64((seed + 1) * int(GOLDEN) % 2**64), 1)
