"""Fingerprints by which a ranker recognises rows it was trained on, without keeping the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

Fingerprints = npt.NDArray[np.uint64]

_AT_MOST = 1000  # rows: enough to recognise a training set, or half of one, for certain


def some_of(X: Any) -> Fingerprints:
    """The fingerprints of up to a thousand rows, evenly spread."""
    n_rows = X.shape[0]
    return of(X[np.unique(np.linspace(0, n_rows - 1, min(n_rows, _AT_MOST)).astype(np.intp))])


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


def _mixed(values: npt.NDArray[np.float64]) -> Fingerprints:
    """The bits of each number, the high ones folded onto the low: whole numbers differ in the high ones alone."""
    bits = (np.ascontiguousarray(values, dtype=np.float64) + 0.0).view(np.uint64)  # + 0.0: −0 and 0 are the same
    bits = (bits ^ (bits >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    return bits ^ (bits >> np.uint64(29))
