"""Fingerprints by which a ranker recognizes its training rows, too short to reveal their content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy
from scipy import sparse

from podium.rankers.door import is_frame, numbers, rows_of

Marks = npt.NDArray[np.uint64]

_AT_MOST = 1000  # rows: enough to recognize a training set, or half of one, for certain
_AT_LEAST, _ENTRIES = 100, 500_000  # of very long rows fewer are enough
_FEWEST_BITS, _SPARE_BITS = 10, 4
_CHANCE = 1e-4  # that rows never seen are taken for training rows


@dataclass(frozen=True, eq=False)
class Fingerprints:
    """The first bits of a hash of up to a thousand training rows, and the share of these rows that are not unique.

    With N training rows there are about 16·N different fingerprints. There are many more possible rows, and very many
    share each fingerprint, so rows cannot be reconstructed by guessing and checking.
    """

    marks: Marks
    n_bits: int
    repeated: float

    def __post_init__(self) -> None:
        if not (self.marks.ndim == 1 and len(self.marks) and 0 < self.n_bits <= 64 and 0 <= self.repeated <= 1):
            raise ValueError("fingerprints have marks of up to 64 bits")

    @classmethod
    def of_training(cls, X: Any) -> Fingerprints:
        """Of a training set."""
        return cls.of_some(rows_of(X, training_places(*X.shape)), X.shape[0])

    @classmethod
    def of_some(cls, X: Any, n_training: int) -> Fingerprints:
        """Of these rows of a training set of that size."""
        n_bits = max(_FEWEST_BITS, int(np.ceil(np.log2(n_training))) + _SPARE_BITS)
        whole, times = np.unique(hashes(X), return_counts=True)
        return cls(np.unique(_first_bits(whole, n_bits)), n_bits, 1 - np.count_nonzero(times == 1) / X.shape[0])

    def recognize(self, X: Any) -> bool:
        """Whether more rows match a fingerprint than expected by chance.

        A new row has one because it is equal to a training row, with a probability of about the share of these that
        are there more than once (Good, 1953, and Turing), or else as any row may.
        """
        n_known = len(self.marks)
        alike = self.repeated + 3 * np.sqrt(self.repeated * (1 - self.repeated) / n_known)
        found = np.count_nonzero(np.isin(_first_bits(hashes(X), self.n_bits), self.marks))
        return bool(scipy.stats.binom.sf(found - 1, X.shape[0], min(1.0, alike + n_known / 2.0**self.n_bits)) < _CHANCE)


def training_places(n_rows: int, n_columns: int) -> npt.NDArray[np.intp]:
    """Positions of the rows of a training set whose fingerprints are kept."""
    return spread(n_rows, max(_AT_LEAST, _ENTRIES // n_columns))


def spread(n_rows: int, at_most: int = _AT_MOST) -> npt.NDArray[np.intp]:
    """Positions of up to a thousand rows, evenly spread."""
    return np.unique(np.linspace(0, n_rows - 1, min(n_rows, at_most, _AT_MOST)).astype(np.intp))


def _first_bits(whole: Marks, n_bits: int) -> Marks:
    return whole >> np.uint64(64 - n_bits)


def hashes(X: Any) -> Marks:
    """One number per row: equal for equal rows, and for different ones with a chance of about 2⁻⁶⁴ only.

    A sum over the columns of bits times random odd numbers, modulo 2⁶⁴; a zero adds nothing, so that sparse rows and
    dense ones get the same number.
    """
    X = numbers(X) if is_frame(X) else X
    columns = np.random.default_rng(0).integers(2**63, size=X.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    if isinstance(X, np.ndarray):
        return _mixed(X) @ columns
    bits = sparse.csr_array((_mixed(X.data), X.indices, X.indptr), shape=X.shape)
    return np.asarray(bits @ columns)


def _mixed(values: npt.NDArray[np.float64]) -> Marks:
    """The bits of each number, the high ones folded onto the low: whole numbers differ in the high ones alone."""
    bits = (np.ascontiguousarray(values, dtype=np.float64) + 0.0).view(np.uint64)  # + 0.0: −0 and 0 are the same
    bits = (bits ^ (bits >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    return bits ^ (bits >> np.uint64(29))
