"""Fingerprints by which a ranker recognises rows it was trained on, without keeping the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.stats import binom

Fingerprints = npt.NDArray[np.uint64]

_AT_MOST = 1000  # rows: enough to recognise a training set, or half of one, for certain


def some_of(X: Any) -> Fingerprints:
    """The fingerprints of up to a thousand rows, evenly spread."""
    return of(X[spread(X.shape[0])])


def spread(n_rows: int) -> npt.NDArray[np.intp]:
    """Positions of up to a thousand rows, evenly spread."""
    return np.unique(np.linspace(0, n_rows - 1, min(n_rows, _AT_MOST)).astype(np.intp))


def of(X: Any) -> Fingerprints:
    """One number per row: equal for equal rows, and for different ones with a chance of about 2⁻⁶⁴ only.

    A sum over the columns of bits times random odd numbers, modulo 2⁶⁴; a zero adds nothing, so that sparse rows and
    dense ones get the same fingerprints.
    """
    columns = np.random.default_rng(0).integers(2**63, size=X.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    if isinstance(X, np.ndarray):
        return _mixed(X) @ columns
    bits = sparse.csr_array((_mixed(X.data), X.indices, X.indptr), shape=X.shape)
    return np.asarray(bits @ columns)


def among(X: Any, known: Fingerprints) -> bool:
    """Whether any row is one of those known."""
    return bool(np.isin(of(X), known).any())


def recognized(X: Any, known: Fingerprints) -> bool:
    """Whether more rows are among those known than would be by chance, as new rows may equal old ones.

    A new row is equal to one of those known with a probability of about the share of these that are there more than
    once (Good, 1953, and Turing): none where every row is different.
    """
    _, times = np.unique(known, return_counts=True)
    repeated = 1 - np.count_nonzero(times == 1) / len(known)
    chance = min(1.0, repeated + 3 * np.sqrt(repeated * (1 - repeated) / len(known)))
    found = np.count_nonzero(np.isin(of(X), known))
    return bool(binom.sf(found - 1, X.shape[0], chance) < 1e-3)


def _mixed(values: npt.NDArray[np.float64]) -> Fingerprints:
    """The bits of each number, the high ones folded onto the low: whole numbers differ in the high ones alone."""
    bits = (np.ascontiguousarray(values, dtype=np.float64) + 0.0).view(np.uint64)  # + 0.0: −0 and 0 are the same
    bits = (bits ^ (bits >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    return bits ^ (bits >> np.uint64(29))
